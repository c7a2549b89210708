"""Fewer events that say the same: what a finished turn is kept as.

Neighbouring deltas of one block become one. Its `at` is the first one's, and `until` is the last one's,
so that durations and rates can still be worked out; a delta alone has no `until`. Pings go. Everything
else stays as it is and where it is. So the page and the message made of the compacted events are those
made of all events, and compacting twice changes nothing more.

Not joined: a blank start with what follows it (an empty delta is no first token), deltas that carry
anything besides their text, signatures and citations (their merge rules are the assembler's).
"""

from collections.abc import Iterable
from typing import Any

from streamrender.events import Event

_FIELD = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}
_PLAIN = {"type", "index", "delta", "at", "until"}


def compact(events: Iterable[Event]) -> list[Event]:
    """The compacted events, as new ones where they differ; the given ones are left alone."""
    result: list[Event] = []
    run: list[Event] = []
    for event in events:
        if event.get("type") == "ping":
            continue
        if run and _joins(run[0], event):
            run.append(event)
            continue
        result += _joined(run)
        run = [event]
    return result + _joined(run)


def _text(event: Event) -> str | None:
    """The text of a delta that may be joined."""
    delta = event.get("delta")
    if event.get("type") != "content_block_delta" or not isinstance(delta, dict) or not set(event) <= _PLAIN:
        return None
    field = _FIELD.get(delta.get("type", ""))
    if field is None or set(delta) != {"type", field}:
        return None
    text = delta[field]
    return text if isinstance(text, str) else None


def _joins(left: Event, right: Event) -> bool:
    """Whether `right` belongs to the run that `left` began."""
    before, after = _text(left), _text(right)
    if before is None or after is None or left["delta"]["type"] != right["delta"]["type"]:
        return False
    same = left.get("index", left) == right.get("index", right) and ("at" in left) == ("at" in right)
    return same and (bool(before) or not after)


def _joined(run: list[Event]) -> list[Event]:
    if len(run) < 2:
        return run
    first, last = run[0], run[-1]
    field = _FIELD[first["delta"]["type"]]
    delta: dict[str, Any] = {**first["delta"], field: "".join(event["delta"][field] for event in run)}
    event: Event = {**first, "delta": delta}
    if "at" in first:
        event["until"] = last.get("until", last["at"])
    return [event]
