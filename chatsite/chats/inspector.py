"""What really happened in a turn: its requests, the raw frames of each answer with their times, its events.

All of it is read from what the relay stored, through the owner of the conversation. Requests were stored
without secrets. Answers are JSON of numbers and states, and text that the page shows as plain text.
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chatsite.relay.exchange import exchange_bytes
from chatsite.relay.models import Exchange, Turn
from chatsite.relay.pages import journaled, unpacked
from streamrender import frames
from streamrender.events import Event
from streamrender.summary import summarize
from streamrender.wire import WIRES

ROWS = 200
SHORT = 600
LONG = 4_000
STEPS = 120


Row = dict[str, Any]
"""{n, at, gap, size, kind, name, data}: see streamrender.frames.Raw."""


@require_GET
@never_cache
@login_required
def turn(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """{turn: {id, model, provider, status, ending}, figures, exchanges: [{turn, number, wire, url, status,
    error, started, bytes, kept, duration, summary, strip}]}; times in milliseconds. `figures`: see there.

    `turn` of an exchange is another one where this turn goes on with what that one had begun; `started`
    counts from the beginning of that turn. `strip`: bytes that came in each of at most STEPS equal parts of
    the answer's time.
    """
    found = _own(request, turn_id)
    _, events = journaled(found)
    exchanges = [one for part in [*_begun(found, events), found] for one in _exchanges(part)]
    about = {
        "id": str(found.id),
        "model": found.model,
        "provider": found.provider,
        "status": found.status,
        "ending": found.ending,
    }
    return JsonResponse({"turn": about, "figures": figures(events, exchanges), "exchanges": exchanges})


def _begun(turn: Turn, events: list[Event]) -> list[Turn]:
    """The turns that this one goes on with, as its events name them, oldest first; those that are left."""
    requests = [event for event in events if event["type"] == "request_started"]
    names = [str(event["turn"]) for event in requests if event.get("turn")]
    if not names:
        return []
    # By name and not by id: an imported file may name anything.
    found = Turn.objects.filter(conversation=turn.conversation_id, removed_at=None).defer("page", "record")
    turns = {str(one.id): one for one in found.exclude(id=turn.id)}
    return [turns[name] for name in dict.fromkeys(names) if name in turns]


def _exchanges(turn: Turn) -> list[dict[str, Any]]:
    began = turn.started or turn.created
    found = []
    for exchange in turn.exchanges.order_by("number"):
        body, arrivals = response_of(exchange)
        decoded = frames.events(exchange.wire, body, arrivals) if exchange.wire in WIRES else []
        found.append(
            {
                "turn": str(turn.id),
                "number": exchange.number,
                "wire": exchange.wire,
                "url": exchange.url,
                "status": exchange.status,
                "error": exchange.error,
                "started": int((exchange.started_at - began).total_seconds() * 1000),
                "bytes": sum(length for _, length in arrivals),
                "kept": len(body),
                "duration": arrivals[-1][0] if arrivals else 0,
                "summary": summarize(decoded),
                "strip": strip(arrivals),
            }
        )
    return found


@require_GET
@never_cache
@login_required
def events(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """The journaled events as rows: see `_page`. Neighbouring deltas of a finished turn were joined."""
    _, found = journaled(_own(request, turn_id))
    rows: list[Row] = []
    before = 0
    for n, event in enumerate(found, 1):
        at = int(event.get("at", before))
        data = {key: value for key, value in event.items() if key not in ("type", "at")}
        text = _json(data) if data else ""
        size = len(text.encode("utf-8", "replace"))
        kind = str(event["type"])
        rows.append(
            {"n": n, "at": at, "gap": at - before, "size": size, "kind": "event", "name": kind, "data": text}
        )
        before = at
    return _page(request, rows)


@require_GET
@never_cache
@login_required
def exchange(request: HttpRequest, turn_id: UUID, number: int) -> HttpResponse:
    """The raw frames of one answer as rows: see `_page`. Also {request, headers}."""
    found = _exchange(request, turn_id, number)
    rows = [dict(raw) for raw in frames.frames(found.wire, *response_of(found))]
    sent = _shortened(unpacked(found.request))
    return _page(request, rows, {"request": _json(sent, indent=2), "headers": found.headers})


@require_GET
@never_cache
@login_required
def download(request: HttpRequest, turn_id: UUID, number: int) -> HttpResponse:
    """The bytes of one answer as they came: a file that `python -m streamrender` and the replay read."""
    body, _ = response_of(_exchange(request, turn_id, number))
    response = HttpResponse(body, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="turn-{turn_id}-{number}.sse"'
    return response


def figures(events: list[Event], exchanges: list[dict[str, Any]]) -> dict[str, Any]:
    """{first, last, gap, rate, deltas, tokens, faults, verdict} of a whole turn; None for what is not known.

    Times are those of the turn, the longest silence and the counts those of its answers: the events of a
    finished turn are joined, so they tell neither.
    """
    parts = [exchange["summary"] for exchange in exchanges] or [summarize(events)]
    times = summarize(events)["times"] or {}
    first, last = times.get("first_token"), times.get("last")
    tokens = sum(part["usage"]["output_tokens"] for part in parts)
    gaps = [part["times"]["longest_gap"] for part in parts if "longest_gap" in (part["times"] or {})]
    faults: Counter[str] = Counter()
    for part in parts:
        faults.update(part["faults"])
    verdicts = {part["health"]["verdict"] for part in parts}
    writing = last - first if first is not None and last is not None else 0
    return {
        "first": first,
        "last": last,
        "gap": max(gaps, default=None),
        "rate": tokens * 1000 / writing if tokens and writing >= 500 else None,
        "deltas": sum(part["deltas"] for part in parts),
        "tokens": tokens,
        "faults": faults,
        "verdict": next((worst for worst in ("lost", "uncounted", "ok") if worst in verdicts), "empty"),
    }


def strip(arrivals: list[list[int]]) -> list[int]:
    """Bytes by time, in at most STEPS equal parts from the request to the last byte."""
    if not arrivals:
        return []
    last = arrivals[-1][0]
    steps = min(STEPS, last + 1)
    found = [0] * steps
    for at, length in arrivals:
        found[at * steps // (last + 1)] += length
    return found


def response_of(exchange: Exchange) -> tuple[bytes, list[list[int]]]:
    """The bytes of an answer that were kept, and [milliseconds, bytes] of each arrival."""
    return exchange_bytes(exchange)


def _own(request: HttpRequest, turn_id: UUID) -> Turn:
    """A turn of the user's, in a conversation that is not deleted. Raises Http404."""
    turns = Turn.objects.filter(owner_id=request.user.pk, removed_at=None, conversation__deleted_at=None)
    found = turns.defer("page").filter(id=turn_id).first()
    if found is None:
        raise Http404
    return found


def _exchange(request: HttpRequest, turn_id: UUID, number: int) -> Exchange:
    found = _own(request, turn_id).exchanges.filter(number=number).first()
    if found is None:
        raise Http404
    return found


def _page(request: HttpRequest, rows: Iterable[Row], more: dict[str, Any] | None = None) -> HttpResponse:
    """{rows, total, next}: ROWS of them after number `after`, of those that hold `q` in name or text.

    `total` counts what `q` finds; `next` is the number to ask on from, None at the end. The text of a row is
    cut after SHORT characters (`cut` says so); `n=NUMBER` gives that one row whole.
    """
    if one := _number(request, "n"):
        return JsonResponse({"rows": [row for row in rows if row["n"] == one]})
    query = request.GET.get("q", "").casefold()
    found = [row for row in rows if query in row["name"].casefold() or query in row["data"].casefold()]
    after = _number(request, "after")
    rest = [row for row in found if row["n"] > after]
    shown = [{**row, "data": row["data"][:SHORT], "cut": len(row["data"]) > SHORT} for row in rest[:ROWS]]
    going_on = shown[-1]["n"] if len(rest) > ROWS else None
    return JsonResponse({**(more or {}), "rows": shown, "total": len(found), "next": going_on})


def _shortened(value: Any) -> Any:
    """The same JSON value with long texts (attachments, mostly) cut."""
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, str) and len(value) > LONG:
        return f"{value[:LONG]} … ({len(value)})"
    return value


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)
