"""A stream in numbers: counts, times where they were recorded, and the health line.

The health line holds what arrived against the output tokens that the upstream counted: an order of magnitude
apart means that events were lost on the way. Deltas may carry many tokens each, so the text that arrived is
taken into account too, and thinking that the provider hides is not.
"""

from collections import Counter
from itertools import pairwise
from typing import Any

from streamrender.assembler import Assembler
from streamrender.events import DELTA_FIELDS, Event

Summary = dict[str, Any]

_BLOCK = 60  # tokens
_IMAGE = 30  # blocks' worth


def summarize(events: list[Event]) -> Summary:
    """{events, deltas, characters, blocks, faults, unknown, usage, ended, error, stop_reason, model, times,
    health}.

    `times` is None unless events carry `at`: {first_token, last, longest_gap} in milliseconds,
    tokens_per_second.
    """
    assembler = Assembler()
    deltas: list[Event] = []
    characters = weight = 0
    for event in events:
        assembler.feed(event)
        delta = event.get("delta")
        if event.get("type") == "content_block_delta" and isinstance(delta, dict):
            field = DELTA_FIELDS.get(str(delta.get("type")))
            text = delta.get(field[0]) if field else None
            if isinstance(text, str) and text and delta["type"] != "signature_delta":
                deltas.append(event)
                characters += len(text)
                weight += sum(4 if char > "\u2e7f" else 1 for char in text)
    message = assembler.to_dict()
    usage = message["usage"]
    # A refusal withholds what was counted; images are counted but are no text.
    tokens = 0 if message["stop_reason"] == "refusal" and not deltas else usage["output_tokens"]
    weights = sum(_IMAGE if _has_image(block) else 1 for block in message["content"])
    return {
        "model": message["model"],
        "ended": message["ended"],
        "error": message["error"],
        "stop_reason": message["stop_reason"],
        "events": dict(Counter(str(event.get("type")) for event in events)),
        "deltas": len(deltas),
        "characters": characters,
        "blocks": dict(Counter(str(block.get("type")) for block in message["content"])),
        "faults": dict(Counter(fault["kind"] for fault in assembler.faults)),
        "usage": usage,
        "times": _times(deltas, events, usage["output_tokens"]),
        "health": health(len(deltas), weight / 4, tokens, usage["thinking_tokens"], weights),
    }


def health(deltas: int, estimate: float, tokens: int, thinking: int = 0, blocks: int = 0) -> Summary:
    """{deltas, output_tokens, verdict}: `estimate` is the tokens that the arrived text makes, about 4
    characters each.

    `blocks`: what each costs besides its text (names, ids, frames) is allowed for. verdict: "ok"; "lost" when
    far less arrived than was counted; "uncounted" when the upstream counted nothing or far less than arrived;
    "empty" when there is nothing to compare.
    """
    arrived = max(deltas, estimate)
    if not tokens:
        verdict = "uncounted" if deltas else "empty"
    elif tokens - thinking > 10 * arrived + _BLOCK * (blocks + 1):
        verdict = "lost"
    else:
        verdict = "uncounted" if estimate > 10 * tokens + _BLOCK else "ok"
    return {"deltas": deltas, "output_tokens": tokens, "verdict": verdict}


def _has_image(block: dict[str, Any]) -> bool:
    content = block.get("content")
    parts = (
        [block, *(part for part in content if isinstance(part, dict))]
        if isinstance(content, list)
        else [block]
    )
    return any(part.get("type") == "image" for part in parts)


def lines(summary: Summary) -> list[str]:
    """The summary as lines of text."""
    health_ = summary["health"]
    counts = ", ".join(f"{kind} {count}" for kind, count in summary["events"].items())
    blocks = ", ".join(f"{kind} {count}" for kind, count in summary["blocks"].items())
    out = [
        f"model: {summary['model'] or 'not named'}",
        f"ended: {summary['ended']}, stop reason {summary['stop_reason']}",
        f"events: {counts}",
        f"blocks: {blocks or 'none'}",
        f"text: {summary['characters']} characters in {summary['deltas']} deltas",
        "usage: " + ", ".join(f"{key} {count}" for key, count in summary["usage"].items()),
    ]
    if summary["error"]:
        out.append(f"error: {summary['error']['type']}: {summary['error']['message']}")
    if summary["faults"]:
        out.append("faults: " + ", ".join(f"{kind} {count}" for kind, count in summary["faults"].items()))
    if summary["times"]:
        out.append("times: " + ", ".join(f"{key} {value}" for key, value in summary["times"].items()))
    counted = f"{health_['deltas']} deltas for {health_['output_tokens']} output tokens"
    out.append(f"health: {counted}, {health_['verdict']}")
    return out


def _times(deltas: list[Event], events: list[Event], tokens: int) -> dict[str, float] | None:
    marks = [event["at"] for event in events if isinstance(event.get("at"), int | float)]
    firsts = [event["at"] for event in deltas if isinstance(event.get("at"), int | float)]
    if not marks:
        return None
    times: dict[str, float] = {"last": marks[-1]}
    if firsts:
        times["first_token"] = firsts[0]
        times["longest_gap"] = max((b - a for a, b in pairwise(firsts)), default=0)
        if firsts[-1] > firsts[0]:
            times["tokens_per_second"] = round(tokens * 1000 / (firsts[-1] - firsts[0]), 1)
    return times
