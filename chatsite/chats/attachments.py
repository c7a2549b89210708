"""Files beside messages: taken in, kept in the data folder, given to their owner, and to models as base64.

What a file is, its bytes say; its name is only shown. A message refers to it by a block whose source is
{"type": "attachment", "id"}; `resolved` turns that into what builders take. Files of messages that were never
sent are swept; the others go with their conversation.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Set
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from chatsite.chats.models import Attachment, Conversation
from chatsite.chats.sniff import sniffed
from chatsite.relay.signals import swept

LARGEST = {"image": 5 * 1024 * 1024, "pdf": 20 * 1024 * 1024, "text": 512 * 1024}
LARGEST_EXPORT = 20 * 1024 * 1024
MOST_PER_MESSAGE = 10
MOST_UNSENT = 40
KEEP_UNSENT = timedelta(days=1)

Block = dict[str, Any]


class Unusable(Exception):
    """A file or reference that is refused. `code`: empty, bad_type, too_large, too_many, not_found."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def take(owner_id: int, name: str, data: bytes) -> Attachment:
    """Keep a file that was not sent yet. Raises Unusable."""
    if not data:
        raise Unusable("empty", "The file is empty.")
    found = sniffed(data)
    if found is None:
        raise Unusable("bad_type", "Only PNG, JPEG, GIF and WebP images, PDF and text files can be attached.")
    kind, media_type = found
    if len(data) > LARGEST[kind]:
        raise Unusable("too_large", f"A file of this kind may hold {LARGEST[kind]} bytes.")
    sweep(owner_id)
    if Attachment.objects.filter(owner_id=owner_id, conversation=None).count() >= MOST_UNSENT:
        raise Unusable("too_many", f"There may be {MOST_UNSENT} files that were not sent yet.")
    made = Attachment(
        owner_id=owner_id, kind=kind, name=plain_name(name), media_type=media_type, bytes=len(data)
    )
    path = path_of(made.id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(data)
    made.save()
    return made


def path_of(attachment: UUID | str) -> Path:
    """Where the bytes lie: only an id, never a name, gets into a path."""
    ident = str(UUID(str(attachment)))
    folder: Path = settings.DATA / "attachments"
    return folder / ident[:2] / ident


def about(made: Attachment) -> dict[str, Any]:
    """What pages are told: {"id", "kind", "name", "bytes", "media_type", "url"}."""
    return {
        "id": str(made.id),
        "kind": made.kind,
        "name": made.name,
        "bytes": made.bytes,
        "media_type": made.media_type,
        "url": f"/attachments/{made.id}/",
    }


def send(owner_id: int, conversation: Conversation, ids: Iterable[UUID]) -> list[Block]:
    """Tie these files to the conversation; the blocks of the message that brings them. Raises Unusable.

    A file that was sent in the same conversation before may be sent again, as an edited message does.
    """
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > MOST_PER_MESSAGE:
        raise Unusable("too_many", f"A message may bring {MOST_PER_MESSAGE} files.")
    found = Attachment.objects.filter(owner_id=owner_id).in_bulk(wanted)
    if any(id_ not in found or found[id_].conversation_id not in (None, conversation.id) for id_ in wanted):
        raise Unusable("not_found", "An attached file is no longer there.")
    Attachment.objects.filter(id__in=wanted).update(conversation=conversation)
    return [reference(found[id_]) for id_ in wanted]


def reference(made: Attachment) -> Block:
    """The block that stands for a file in a stored message."""
    return {
        "type": "image" if made.kind == "image" else "document",
        "title": made.name,
        "source": {
            "type": "attachment",
            "id": str(made.id),
            "media_type": made.media_type,
            "kind": made.kind,
            "bytes": made.bytes,
        },
    }


def named(content: Iterable[Block]) -> list[dict[str, Any]]:
    """The files of a stored message as pages are told of them, without asking the database."""
    return [
        {
            "id": source["id"],
            "kind": source["kind"],
            "name": block.get("title", ""),
            "bytes": source["bytes"],
            "media_type": source["media_type"],
            "url": f"/attachments/{source['id']}/",
        }
        for block in content
        if (source := _source(block)) is not None
    ]


def resolved(content: list[Block], takes: Set[str]) -> list[Block]:
    """The content with each reference replaced by the file itself, in Anthropic's shape; kinds outside
    `takes` by a note.
    """
    return [_resolved(block, takes) for block in content]


def kinds(content: Iterable[Block]) -> set[str]:
    """The kinds of files in a stored message: image, pdf, text."""
    return {source["kind"] for block in content if (source := _source(block)) is not None}


def packed(conversation: Conversation) -> dict[str, Any]:
    """The conversation's files for an export: {id: {"name", "data"}}, base64. Beyond LARGEST_EXPORT bytes,
    and where a file is gone, data is null.
    """
    files: dict[str, Any] = {}
    room = LARGEST_EXPORT
    for made in Attachment.objects.filter(conversation=conversation).order_by("created", "id"):
        data = None
        if made.bytes <= room and path_of(made.id).exists():
            data = b64encode(path_of(made.id).read_bytes()).decode()
            room -= made.bytes
        files[str(made.id)] = {"name": made.name, "data": data}
    return files


def unpacked(conversation: Conversation, files: dict[str, Any]) -> dict[str, Block]:
    """Keep the files of an export for a new conversation; the blocks for its messages by their old ids.

    A file without data becomes a note. Raises ValueError for data that is no file of ours.
    """
    blocks: dict[str, Block] = {}
    for old, file in files.items():
        name = plain_name(file["name"])
        if file["data"] is None:
            blocks[old] = {"type": "text", "text": f"[{name}]"}
            continue
        try:
            made = take(conversation.owner_id, name, b64decode(file["data"], validate=True))
        except Unusable as error:
            raise ValueError(error.message) from error
        blocks[old] = send(conversation.owner_id, conversation, [made.id])[0]
    return blocks


def sweep(owner_id: int | None = None) -> int:
    """Remove files that were never sent and are a day old; how many."""
    old = Attachment.objects.filter(conversation=None, created__lt=timezone.now() - KEEP_UNSENT)
    if owner_id is not None:
        old = old.filter(owner_id=owner_id)
    return old.delete()[0]


def plain_name(name: str) -> str:
    """A name to be shown: the last part of a path, without control characters.

    >>> plain_name("C:\\\\dir\\\\a\\nb.png")
    'ab.png'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(letter for letter in last if letter.isprintable()).strip()[:200] or "file"


def _source(block: Block) -> dict[str, Any] | None:
    source = block.get("source")
    return source if isinstance(source, dict) and source.get("type") == "attachment" else None


def _resolved(block: Block, takes: Set[str]) -> Block:
    source = _source(block)
    if source is None:
        return block
    name = block.get("title", "")
    if source["kind"] not in takes:
        return {"type": "text", "text": f"[The attached file {name} cannot be shown to this model.]"}
    try:
        data = path_of(source["id"]).read_bytes()
    except OSError:
        return {"type": "text", "text": f"[The attached file {name} is no longer there.]"}
    if source["kind"] == "text":
        # Named and fenced off as plain text, which every wire takes the same way.
        return {"type": "text", "text": f'<file name="{name}">\n{data.decode("utf-8", "replace")}\n</file>'}
    inline = {"type": "base64", "media_type": source["media_type"], "data": b64encode(data).decode()}
    if source["kind"] == "image":
        return {"type": "image", "source": inline}
    return {"type": "document", "source": inline, "title": name}


@receiver(swept, dispatch_uid="chats.attachments.swept")
def _sweep_all(**_: Any) -> None:
    sweep()


@receiver(post_delete, sender=Attachment, dispatch_uid="chats.attachments")
def _remove_file(instance: Attachment, **_: Any) -> None:
    path_of(instance.id).unlink(missing_ok=True)
