"""Files beside messages: their bytes say what they are, nobody else gets them, nothing of them is lost."""

import json
import uuid
from base64 import b64encode
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from chatsite.accounts.models import User
from chatsite.chats import archive, attachments, export, sharing, thread
from chatsite.chats.history import prompt_for
from chatsite.chats.models import Attachment, Conversation
from chatsite.chats.submit import Refused, submit
from chatsite.providers import anthropic, gemini, openai_chat, openai_responses
from chatsite.providers.registry import get
from chatsite.relay import turns
from chatsite.relay.models import Turn
from chatsite.relay.protocol import Submit, read

pytestmark = pytest.mark.django_db(transaction=True)

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20
PDF = b"%PDF-1.7\nhello"
HTML = b"<script>alert(1)</script>"
BUILDERS: dict[str, Any] = {
    "anthropic": anthropic.request,
    "gemini": gemini.request,
    "chat": openai_chat.request,
    "responses": openai_responses.request,
}


@pytest.fixture(autouse=True)
def _data(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA = tmp_path
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-opus-5-5")
    monkeypatch.setenv("GLM_API_KEY", "x")


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def upload(client: Client, data: bytes, name: str = "a.png") -> Any:
    return client.post("/attachments/", {"file": SimpleUploadedFile(name, data)})


def frame(*files: Attachment, **fields: Any) -> Submit:
    given = {"conversation": None, "parent": None, "text": "Look", "model": None, "retry": None}
    return Submit(**{**given, "id": uuid.uuid4(), "attachments": tuple(f.id for f in files), **fields})


def sent(ann: User, *files: Attachment, **fields: Any) -> Turn:
    accepted = submit(ann.pk, frame(*files, **fields))
    turns.finish(accepted.turn.id, 1, "complete", None, 5)
    return Turn.objects.get(id=accepted.turn.id)


@pytest.mark.parametrize(
    ("data", "name", "kind", "media_type"),
    [
        (PNG, "a.exe", "image", "image/png"),
        (b"\xff\xd8\xff\xe0rest", "a", "image", "image/jpeg"),
        (b"GIF89a" + b"\x00" * 9, "a.txt", "image", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a.png", "image", "image/webp"),
        (PDF, "../../a.pdf", "pdf", "application/pdf"),
        ("# 标题\n\tx".encode(), "a.md", "text", "text/plain"),
        (HTML, "a.png", "text", "text/plain"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg", "text", "text/plain"),
    ],
)
def test_the_bytes_say_what_a_file_is(ann: User, data: bytes, name: str, kind: str, media_type: str) -> None:
    answer = upload(client_of(ann), data, name)
    assert answer.status_code == 201
    made = answer.json()
    assert (made["kind"], made["media_type"], made["bytes"]) == (kind, media_type, len(data))
    assert "/" not in made["name"]
    assert attachments.path_of(made["id"]).read_bytes() == data


@pytest.mark.parametrize(
    ("data", "code", "status"),
    [(b"", "empty", 400), (b"MZ\x90\x00\x03", "bad_type", 415), (b"\xff\xfea\x00", "bad_type", 415)],
)
def test_what_cannot_be_attached_is_refused_in_words(ann: User, data: bytes, code: str, status: int) -> None:
    answer = upload(client_of(ann), data)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["message"]
    assert not Attachment.objects.exists()


def test_sizes_and_numbers_are_limited(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(attachments.LARGEST, "text", 10)
    monkeypatch.setattr(attachments, "MOST_UNSENT", 2)
    monkeypatch.setattr(attachments, "MOST_PER_MESSAGE", 1)
    client = client_of(ann)
    assert upload(client, b"x" * 11).json()["code"] == "too_large"
    files = [Attachment.objects.get(id=upload(client, b"x").json()["id"]) for _ in range(2)]
    assert upload(client, b"x").json()["code"] == "too_many"
    with pytest.raises(Refused, match="1 files"):
        submit(ann.pk, frame(*files))


def test_only_the_owner_gets_a_file_and_in_a_sandbox(ann: User) -> None:
    made = upload(client_of(ann), HTML, "a\r\nb.html").json()
    answer = client_of(ann).get(made["url"])
    assert b"".join(answer.streaming_content) == HTML
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["Cache-Control"].startswith("private")
    bob = User.objects.create_user("bob")
    assert client_of(bob).get(made["url"]).status_code == 404
    assert client_of(bob).post(made["url"] + "delete/").status_code == 404
    assert Client().get(made["url"]).status_code == 302
    with pytest.raises(Refused):
        submit(bob.pk, frame(Attachment.objects.get()))
    picture = upload(client_of(ann), PNG).json()
    assert client_of(ann).get(picture["url"])["Content-Disposition"].startswith("inline")


def test_an_upload_needs_a_csrf_token(ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    assert upload(client, PNG).status_code == 403


def test_an_unsent_file_can_be_taken_back_a_sent_one_stays(ann: User) -> None:
    client = client_of(ann)
    first, second = (attachments.take(ann.pk, "a.png", PNG) for _ in range(2))
    assert client.post(f"/attachments/{first.id}/delete/").status_code == 204
    assert not attachments.path_of(first.id).exists()
    sent(ann, second)
    assert client.post(f"/attachments/{second.id}/delete/").status_code == 409
    assert attachments.path_of(second.id).exists()


def test_unsent_files_are_swept_and_sent_ones_go_with_their_conversation(ann: User) -> None:
    old, new, kept = (attachments.take(ann.pk, "a.png", PNG) for _ in range(3))
    turn = sent(ann, kept)
    Attachment.objects.filter(id__in=[old.id, kept.id]).update(created=timezone.now() - timedelta(days=2))
    assert attachments.sweep() == 1
    assert [attachments.path_of(f.id).exists() for f in (old, new, kept)] == [False, True, True]
    turn.conversation.delete()
    assert not attachments.path_of(kept.id).exists()


def test_a_deleted_conversation_gives_no_files(ann: User) -> None:
    made = attachments.take(ann.pk, "a.png", PNG)
    turn = sent(ann, made)
    Conversation.objects.filter(id=turn.conversation_id).update(deleted_at=timezone.now())
    assert client_of(ann).get(f"/attachments/{made.id}/").status_code == 404


def test_each_wire_gets_the_file_itself(ann: User) -> None:
    files = [
        attachments.take(ann.pk, name, data)
        for name, data in (("a.png", PNG), ("b.pdf", PDF), ("c.txt", "文".encode()))
    ]
    turn = sent(ann, *files)
    prompt = prompt_for(turn, frozenset({"image", "pdf", "text"}))
    png, pdf = b64encode(PNG).decode(), b64encode(PDF).decode()
    text = '<file name="c.txt">\n文\n</file>'

    def content(wire: str) -> Any:
        body = BUILDERS[wire](prompt, base_url="http://h", model="m", provider=wire).body
        first = (body.get("messages") or body.get("contents") or body.get("input"))[0]
        return first.get("content") or first["parts"]

    def inline(media_type: str, data: str) -> dict[str, str]:
        return {"type": "base64", "media_type": media_type, "data": data}

    said = {"type": "text", "text": "Look"}
    assert [{k: v for k, v in block.items() if k != "cache_control"} for block in content("anthropic")] == [
        {"type": "image", "source": inline("image/png", png)},
        {"type": "document", "source": inline("application/pdf", pdf), "title": "b.pdf"},
        {"type": "text", "text": text},
        said,
    ]
    assert content("gemini") == [
        {"inlineData": {"mimeType": "image/png", "data": png}},
        {"inlineData": {"mimeType": "application/pdf", "data": pdf}},
        {"text": text},
        {"text": "Look"},
    ]
    file = {"filename": "b.pdf", "file_data": f"data:application/pdf;base64,{pdf}"}
    assert content("chat") == [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}},
        {"type": "file", "file": file},
        {"type": "text", "text": text},
        said,
    ]
    assert content("responses") == [
        {"type": "input_image", "image_url": f"data:image/png;base64,{png}", "detail": "auto"},
        {"type": "input_file", **file},
        {"type": "input_text", "text": text},
        {"type": "input_text", "text": "Look"},
    ]


def test_a_model_that_takes_no_such_file_is_not_asked(ann: User) -> None:
    made = attachments.take(ann.pk, "a.png", PNG)
    with pytest.raises(Refused, match="takes no image") as refused:
        submit(ann.pk, frame(made, model="glm:glm-5.3"))
    assert refused.value.code == "attachment"
    made.refresh_from_db()
    assert made.conversation is None
    assert not Conversation.objects.exists()
    turn = sent(ann, made)
    prompt = prompt_for(turn, get("glm:glm-5.3").takes)
    assert prompt.messages[0]["content"][0]["text"].startswith("[The attached file a.png")


def test_a_message_may_be_files_alone_and_can_be_sent_again(ann: User) -> None:
    made = attachments.take(ann.pk, "photo.png", PNG)
    turn = sent(ann, made, text="")
    assert turn.conversation.title == "photo.png"
    [told] = thread.heading(turn)["user"]["attachments"]
    assert told == attachments.about(made)
    edited = sent(ann, made, conversation=turn.conversation_id, text="Again")
    assert thread.heading(edited)["user"]["attachments"] == [told]
    with pytest.raises(Refused, match="no longer there"):
        submit(ann.pk, frame(made))


def test_the_frame_names_files_by_id() -> None:
    id_ = str(uuid.uuid4())
    raw = {"type": "submit", "id": id_, "conversation": None, "parent": None, "model": None, "retry": None}
    submitted = read(json.dumps({**raw, "text": "", "attachments": [id_]}))
    assert isinstance(submitted, Submit)
    assert submitted.attachments == (uuid.UUID(id_),)


def test_a_file_survives_export_and_import(ann: User) -> None:
    turn = sent(ann, attachments.take(ann.pk, "a.png", PNG))
    assert "*a.png*" in export.markdown(turn.conversation)
    written = json.loads(json.dumps(archive.written(turn.conversation)))
    made = archive.read(ann.pk, written)
    [copy] = Attachment.objects.filter(conversation=made)
    assert attachments.path_of(copy.id).read_bytes() == PNG
    [again] = thread.shown(made)
    assert thread.heading(again)["user"]["attachments"][0]["id"] == str(copy.id)
    for file in written["attachments"].values():
        file["data"] = b64encode(b"MZ\x00").decode()
    with pytest.raises(archive.Unreadable):
        archive.read(ann.pk, written)


def test_a_shared_snapshot_shows_names_alone(ann: User) -> None:
    turn = sent(ann, attachments.take(ann.pk, "a.png", PNG))
    [shown] = sharing._frames(turn.conversation)
    assert shown["user"]["attachments"][0] | {"id": ""} == {
        "id": "",
        "kind": "image",
        "name": "a.png",
        "bytes": len(PNG),
        "media_type": "image/png",
        "url": "",
    }


def test_requests_are_kept_without_files(ann: User) -> None:
    turn = sent(ann, attachments.take(ann.pk, "a.png", PNG + bytes(9000)))
    choice = get("anthropic:claude-opus-5-5")
    for wire, build in BUILDERS.items():
        request = build(prompt_for(turn, choice.takes), base_url="http://h", model="m", provider=wire)
        assert len(json.dumps(request.body)) > 12_000
        assert len(json.dumps(request.redacted())) < 2_000
