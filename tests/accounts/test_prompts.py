"""Saved prompts: each user's own, checked, in the order of their titles."""

import pytest
from django.test import Client

from chatsite.accounts import prompts
from chatsite.accounts.models import SavedPrompt, User

TEXT = "Translate into German:\n\n{cursor}\n\nKeep the tone."


def client_of(name: str) -> tuple[Client, User]:
    user = User.objects.create_user(name)
    client = Client()
    client.force_login(user)
    return client, user


@pytest.mark.django_db
def test_a_prompt_is_kept_changed_and_deleted() -> None:
    client, ann = client_of("ann")
    made = client.post("/prompts/", {"title": "Übersetzen", "text": TEXT.replace("\n", "\r\n")})
    assert made.status_code == 201
    assert made.json() == {"id": made.json()["id"], "title": "Übersetzen", "text": TEXT}
    client.post("/prompts/", {"title": "explain", "text": "Explain: "})
    client.post("/prompts/", {"title": "Review", "text": "Review this."})
    titles = [one["title"] for one in client.get("/prompts/").json()["prompts"]]
    assert titles == ["explain", "Review", "Übersetzen"] == [one["title"] for one in prompts.of(ann.pk)]
    address = f"/prompts/{made.json()['id']}/"
    changed = client.post(address, {"title": "翻译", "text": "请翻译：{cursor}"})
    assert changed.json() == {"id": made.json()["id"], "title": "翻译", "text": "请翻译：{cursor}"}
    assert client.post(f"{address}delete/").status_code == 204
    assert client.post(f"{address}delete/").status_code == 404


@pytest.mark.django_db
def test_what_is_not_valid_is_named() -> None:
    client, _ = client_of("ann")
    answer = client.post("/prompts/", {"title": "x" * 101, "text": " "})
    assert (answer.status_code, answer.json()) == (400, {"fields": ["text", "title"]})
    assert client.put("/prompts/").status_code == 405
    assert Client().get("/prompts/").status_code == 302


@pytest.mark.django_db
def test_there_is_an_end_to_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MOST", 1)
    client, _ = client_of("ann")
    assert client.post("/prompts/", {"title": "a", "text": "b"}).status_code == 201
    assert client.post("/prompts/", {"title": "c", "text": "d"}).status_code == 409


@pytest.mark.django_db
def test_nobody_sees_or_touches_those_of_others() -> None:
    client, _ = client_of("ann")
    made = client.post("/prompts/", {"title": "Mine", "text": "Secret"}).json()["id"]
    other, _ = client_of("ben")
    assert other.get("/prompts/").json() == {"prompts": []}
    for path in (f"/prompts/{made}/", f"/prompts/{made}/delete/"):
        assert other.post(path, {"title": "x", "text": "y"}).status_code == 404
    assert SavedPrompt.objects.get().title == "Mine"
