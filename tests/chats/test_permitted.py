"""The list of always allowed tools is a user's own, and each can be taken back."""

import pytest
from django.test import Client

from chatsite.accounts.models import User
from chatsite.tools import permissions


@pytest.mark.django_db
def test_each_sees_and_takes_back_their_own() -> None:
    ann, bob = (User.objects.create_user(name) for name in ("ann", "bob"))
    for tool in ("zeta__write", "fetch_page", "fetch_page"):
        permissions.give(ann.pk, tool)
    permissions.give(bob.pk, "fetch_page")
    client = Client()
    assert client.get("/permissions/").status_code == 302
    assert client.post("/permissions/take-back/", {"tool": "fetch_page"}).status_code == 302
    client.force_login(ann)
    answer = client.get("/permissions/")
    assert [one["tool"] for one in answer.json()["permissions"]] == ["fetch_page", "zeta__write"]
    assert client.get("/permissions/take-back/").status_code == 405
    for _ in range(2):
        assert client.post("/permissions/take-back/", {"tool": "fetch_page"}).status_code == 204
    assert [one["tool"] for one in client.get("/permissions/").json()["permissions"]] == ["zeta__write"]
    assert permissions.given(bob.pk, "fetch_page")
    assert not permissions.given(ann.pk, "fetch_page")
