"""The one-time way in."""

from datetime import timedelta
from io import StringIO

import pytest
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
