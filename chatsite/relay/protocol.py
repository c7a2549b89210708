"""The frames between page and server, version 1: reading and checking what comes, making what goes. Pure.

docs/protocol.md describes every frame for people who write a client. A frame that comes in is a dataclass of
checked fields; anything else raises `BadFrame` with a code, a message and whether the socket must close.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any
from uuid import UUID

VERSION = 1
HEARTBEAT = 15
PONG_WITHIN = 10
LARGEST_FRAME = 64 * 1024
LONGEST_TEXT = 48_000
DEEPEST = 6
MOST_TURNS = 2000
MOST_FILES = 50


class Close(IntEnum):
    """Close codes. Only 4xxx: Daphne turns the others into 1011."""

    BAD_FRAME = 4400
    LOGIN = 4401
    ORIGIN = 4403
    NOT_FOUND = 4404
    SLOW = 4408
    DRAIN = 4412
    TOO_BIG = 4413
    RATE = 4429


class BadFrame(Exception):
    """A frame that is not understood: `code` for the `no` frame, `close` when the socket cannot go on."""

    def __init__(self, code: str, message: str, close: Close | None = None, id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.close = close
        self.id = id


@dataclass(frozen=True)
class Position:
    """Where a viewer is in a turn."""

    epoch: str
    rev: int


@dataclass(frozen=True)
class Hello:
    conversation: UUID | None
    turns: dict[str, Position] = field(default_factory=dict)


@dataclass(frozen=True)
class Submit:
    id: UUID
    conversation: UUID | None
    parent: UUID | None
    text: str
    model: str | None
    retry: UUID | None
    feed: "Tab | None" = None
    attachments: tuple[UUID, ...] = ()
    more: bool = False
    goes_on: bool = False


@dataclass(frozen=True)
class Stop:
    id: str
    turn: UUID


@dataclass(frozen=True)
class Approve:
    id: str
    turn: UUID
    call: str
    granted: bool
    always: bool = False


@dataclass(frozen=True)
class Tab:
    """A tab that will run the model of a turn: its secret, and what it calls the model."""

    secret: str
    model: str


@dataclass(frozen=True)
class Feeding:
    turn: UUID
    secret: str
    gone: bool


@dataclass(frozen=True)
class Chunks:
    turn: UUID
    secret: str
    n: int
    data: list[Any]


@dataclass(frozen=True)
class Ack:
    turn: str
    rev: int


@dataclass(frozen=True)
class Ping:
    n: int


@dataclass(frozen=True)
class Pong:
    n: int


Incoming = Hello | Submit | Stop | Approve | Feeding | Chunks | Ack | Ping | Pong


def read(text: str) -> Incoming:
    """The frame in `text`. Raises BadFrame."""
    # Every character is at least a byte, so the cheap test comes first.
    if len(text) > LARGEST_FRAME or len(text.encode("utf-8", "surrogatepass")) > LARGEST_FRAME:
        raise BadFrame("too_large", f"A frame may hold {LARGEST_FRAME} bytes.", Close.TOO_BIG)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFrame("bad_frame", "A frame is one JSON object.", Close.BAD_FRAME) from None
    if not isinstance(data, dict) or _deeper(data, DEEPEST):
        raise BadFrame("bad_frame", "A frame is one JSON object, not deeply nested.", Close.BAD_FRAME)
    reader = _READERS.get(str(data.get("type")))
    id_ = data.get("id") if isinstance(data.get("id"), str) else None
    if reader is None:
        raise BadFrame("bad_frame", "Unknown type of frame.", id=id_)
    try:
        return reader(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadFrame(
            "bad_frame", f"A field of {data['type']} is missing or wrong: {error}"[:200], id=id_
        ) from None


def _deeper(value: Any, limit: int) -> bool:
    if isinstance(value, dict):
        return limit == 0 or any(_deeper(item, limit - 1) for item in value.values())
    if isinstance(value, list):
        return limit == 0 or any(_deeper(item, limit - 1) for item in value)
    return False


def _hello(data: dict[str, Any]) -> Hello:
    if data.get("v") != VERSION:
        raise BadFrame("version", f"This server speaks version {VERSION}: reload the page.", Close.BAD_FRAME)
    turns = data.get("turns") or {}
    if len(turns) > MOST_TURNS:
        raise ValueError("turns")
    return Hello(
        _optional_uuid(data, "conversation"),
        {
            str(UUID(key)): Position(_text(value, "epoch", 100), _whole(value, "rev"))
            for key, value in turns.items()
        },
    )


def _submit(data: dict[str, Any]) -> Submit:
    id_ = UUID(_text(data, "id", 40))
    retry = _optional_uuid(data, "retry")
    text = "" if retry else data["text"]
    if not isinstance(text, str):
        raise ValueError("text")
    # Lone surrogates cannot be stored; NUL cannot on PostgreSQL.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "�")
    if len(text.encode()) > LONGEST_TEXT:
        raise BadFrame("too_large", f"A message may hold {LONGEST_TEXT} bytes.", id=str(id_))
    files = () if retry else _uuids(data, "attachments")
    if not retry and not text.strip() and not files:
        raise ValueError("text")
    model = data.get("model")
    return Submit(
        id_,
        _optional_uuid(data, "conversation"),
        _optional_uuid(data, "parent"),
        text,
        None if model is None else _text(data, "model", 200),
        retry,
        _tab(data.get("feed")),
        files,
        retry is not None and data.get("more") is True,
        retry is not None and data.get("continue") is True,
    )


def _uuids(data: dict[str, Any], name: str) -> tuple[UUID, ...]:
    given = data.get(name) or []
    if not isinstance(given, list) or len(given) > MOST_FILES:
        raise ValueError(name)
    return tuple(UUID(item) for item in given)


def _tab(data: dict[str, Any] | None) -> Tab | None:
    if data is None:
        return None
    model = data.get("model") or ""
    if not isinstance(model, str) or not model.isprintable():
        raise ValueError("feed")
    return Tab(_secret(data), model[:80])


def _secret(data: dict[str, Any]) -> str:
    secret = _text(data, "secret", 100)
    if not secret.isascii() or len(secret) < 20:
        raise ValueError("secret")
    return secret


def _feeding(data: dict[str, Any]) -> Feeding:
    return Feeding(UUID(_text(data, "turn", 40)), _secret(data), data.get("gone") is True)


def _chunks(data: dict[str, Any]) -> Chunks:
    if not isinstance(data["data"], list):
        raise ValueError("data")
    turn = UUID(_text(data, "turn", 40))
    return Chunks(turn, _secret(data), _whole(data, "n"), data["data"])


def _stop(data: dict[str, Any]) -> Stop:
    return Stop(_text(data, "id", 100), UUID(_text(data, "turn", 40)))


def _approve(data: dict[str, Any]) -> Approve:
    if not isinstance(data["granted"], bool):
        raise ValueError("granted")
    turn = UUID(_text(data, "turn", 40))
    always = data.get("always") is True
    return Approve(_text(data, "id", 100), turn, _text(data, "call", 500), data["granted"], always)


def _ack(data: dict[str, Any]) -> Ack:
    return Ack(str(UUID(_text(data, "turn", 40))), _whole(data, "rev"))


def _ping(data: dict[str, Any]) -> Ping:
    return Ping(_whole(data, "n"))


def _pong(data: dict[str, Any]) -> Pong:
    return Pong(_whole(data, "n"))


_READERS: dict[str, Callable[[dict[str, Any]], Incoming]] = {
    "hello": _hello,
    "submit": _submit,
    "stop": _stop,
    "approve": _approve,
    "feed": _feeding,
    "chunks": _chunks,
    "ack": _ack,
    "ping": _ping,
    "pong": _pong,
}


def _text(data: dict[str, Any], name: str, longest: int) -> str:
    value = data[name]
    if not isinstance(value, str) or not value or len(value) > longest:
        raise ValueError(name)
    return value


def _whole(data: dict[str, Any], name: str) -> int:
    value = data[name]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError(name)
    return value


def _optional_uuid(data: dict[str, Any], name: str) -> UUID | None:
    value = data.get(name)
    return None if value is None else UUID(_text(data, name, 40))


# What goes out. Frames are dicts; `encode` makes the text.


def encode(frame: dict[str, Any]) -> str:
    """The frame as compact JSON."""
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))


def welcome(process: str) -> dict[str, Any]:
    """The first frame of every socket."""
    return {"type": "welcome", "v": VERSION, "heartbeat": HEARTBEAT, "process": process}


def heading(
    *,
    conversation: str,
    turn: str,
    parent: str | None,
    text: str,
    created: str,
    model: str,
    attachments: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """What a snapshot says besides the page; the same for the whole life of a turn."""
    return {
        "conversation": conversation,
        "turn": turn,
        "parent": parent,
        "user": {"text": text, "created": created, "attachments": list(attachments)},
        "model": model,
    }


def snapshot(heading: dict[str, Any], epoch: str, rev: int, page: dict[str, Any]) -> dict[str, Any]:
    """A whole turn at a revision."""
    return {"type": "snapshot", **heading, "epoch": epoch, "rev": rev, "page": page}


def ops(turn: str, epoch: str, start: int, end: int, changes: list[Any]) -> dict[str, Any]:
    """What leads from revision `start` to `end`."""
    return {"type": "ops", "turn": turn, "epoch": epoch, "from": start, "to": end, "changes": changes}


def ok(id: str, conversation: str, turn: str, duplicate: bool) -> dict[str, Any]:
    """Done, and committed."""
    return {"type": "ok", "id": id, "conversation": conversation, "turn": turn, "duplicate": duplicate}


def no(id: str | None, code: str, message: str) -> dict[str, Any]:
    """Refused; `message` is for developers, clients word it by `code`."""
    return {"type": "no", "id": id, "code": code, "message": message}


def title(conversation: str, title: str) -> dict[str, Any]:
    """A conversation got its title."""
    return {"type": "title", "conversation": conversation, "title": title}


def removed(conversation: str, turns: list[str]) -> dict[str, Any]:
    """These turns are no longer there; with none, some came back: ask for them by a hello."""
    return {"type": "removed", "conversation": conversation, "turns": turns}


def ended(conversation: str, turn: str, title: str, ending: str) -> dict[str, Any]:
    """A turn of the user's has ended, in whichever conversation."""
    return {"type": "ended", "conversation": conversation, "turn": turn, "title": title, "ending": ending}


def bye(reason: str, after_ms: int) -> dict[str, Any]:
    """The socket will close; come back after so many milliseconds."""
    return {"type": "bye", "reason": reason, "after_ms": after_ms}
