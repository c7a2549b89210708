"""The one-time way in."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from chatsite.accounts import entry
from chatsite.accounts.models import EntryToken, User


@pytest.mark.django_db
def test_command_makes_the_first_user_once() -> None:
    paths = []
    for _ in range(2):
        out = StringIO()
        call_command("entry_token", stdout=out)
        paths.append(out.getvalue().strip())
    assert User.objects.count() == 1
    assert paths[0] != paths[1]
    assert all(path.startswith("/enter/") for path in paths)
    # Only hashes are kept.
    assert not EntryToken.objects.filter(hash__in=[path.rpartition("/")[2] for path in paths]).exists()


@pytest.mark.django_db
def test_token_lets_in_once() -> None:
    token = entry.make(entry.first_user())
    first, second = Client(), Client()
    assert first.get(f"/enter/{token}")["Location"] == "/"
    assert first.get("/").status_code == 200
    assert second.get(f"/enter/{token}").status_code == 403
    assert second.get("/").status_code == 302
    # The browser that is inside already may follow its old link.
    assert first.get(f"/enter/{token}")["Location"] == "/"


@pytest.mark.django_db
def test_old_unknown_and_disabled_tokens_are_refused() -> None:
    user = entry.first_user()
    old = entry.make(user)
    EntryToken.objects.update(created=timezone.now() - timedelta(days=1, seconds=1))
    assert entry.take(old) is None
    assert entry.take("nonsense") is None
    fresh = entry.make(user)
    User.objects.update(is_active=False)
    assert entry.take(fresh) is None


@pytest.mark.django_db
def test_login_and_logout() -> None:
    User.objects.create_user("ann", password="correct horse")
    client = Client()
    assert client.get("/login/").status_code == 200
    assert client.post("/login/", {"username": "ann", "password": "correct horse"})["Location"] == "/"
    assert client.get("/").status_code == 200
    client.post("/logout/")
    assert client.get("/").status_code == 302


@pytest.mark.django_db
def test_looking_at_the_link_does_not_use_it_up() -> None:
    token = entry.make(User.objects.create_user("ann"))
    assert Client().head(f"/enter/{token}").status_code == 200
    assert Client().get(f"/enter/{token}").status_code == 302


@pytest.mark.django_db
def test_a_guest_is_let_in_by_name_and_has_no_rights() -> None:
    out = StringIO()
    call_command("entry_token", "bea", stdout=out)
    client = Client()
    assert client.get(out.getvalue().strip())["Location"] == "/"
    assert client.get("/").status_code == 200
    assert client.get("/admin/").status_code == 302
    call_command("entry_token", "bea", stdout=StringIO())
    assert User.objects.filter(username="bea", is_staff=False).count() == 1
    with pytest.raises(ValidationError):
        call_command("entry_token", "no / name")


@pytest.mark.django_db
def test_the_admin_makes_links_for_guests_and_none_for_who_may_not_come_in() -> None:
    owner, staff = Client(), Client()
    owner.force_login(entry.first_user())
    bea, ced = entry.guest("bea"), entry.guest("ced")
    User.objects.filter(pk=ced.pk).update(is_active=False)
    asked = {"action": "invite", "_selected_action": [bea.pk, ced.pk]}
    page = owner.post("/admin/accounts/user/", asked, follow=True).content.decode()
    (link,) = re.findall(r"Link for bea: http://testserver(/enter/[\w-]+)", page)
    assert "No link for ced" in page
    assert Client().get(link)["Location"] == "/"
    helper = User.objects.create_user("helper", is_staff=True)
    helper.user_permissions.set(Permission.objects.filter(codename__in=["change_user", "view_user"]))
    staff.force_login(helper)
    asked["_selected_action"] = [entry.first_user().pk]
    assert "/enter/" not in staff.post("/admin/accounts/user/", asked, follow=True).content.decode()
