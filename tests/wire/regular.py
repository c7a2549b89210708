"""The grammar that every decoder's events obey, whatever the bytes were. Shares no code with the decoders."""

from typing import Any

from streamrender.events import DECODER_KINDS, ENDED

# Which kinds of delta a known block takes; blocks and deltas of other kinds are not judged.
_TAKES = {
    "text": {"text_delta", "citations_delta", "signature_delta"},
    "thinking": {"thinking_delta", "signature_delta"},
    "tool_use": {"input_json_delta", "signature_delta"},
    "server_tool_use": {"input_json_delta", "signature_delta"},
    "mcp_tool_use": {"input_json_delta", "signature_delta"},
    "redacted_thinking": {"signature_delta"},
}
_JUDGED = {"text_delta", "thinking_delta", "input_json_delta", "citations_delta"}
_TEXT = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


def irregularities(events: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the events of a whole stream, in words; empty when they are regular."""
    wrong: list[str] = []
    begun = False
    kinds: dict[int, str] = {}
    stopped: set[int] = set()
    for at, event in enumerate(events):
        kind = event.get("type")
        if kind not in DECODER_KINDS:
            wrong.append(f"{at}: unknown kind {kind}")
        if kind == "stream_end" and (at != len(events) - 1 or event["ended"] not in ENDED):
            wrong.append(f"{at}: stream_end is not last, or says {event['ended']}")
        if kind == "superseded" and event["reason"] == "second_message_start":
            begun, kinds, stopped = False, {}, set()
        if kind == "message_start":
            begun = True
            if event["message"].get("content") != []:
                wrong.append(f"{at}: content in message_start")
        if (
            kind in ("content_block_start", "content_block_delta", "content_block_stop", "message_delta")
            and not begun
        ):
            wrong.append(f"{at}: {kind} before message_start")
        if kind == "content_block_start":
            index = event["index"]
            if type(index) is not int or index in kinds:
                wrong.append(f"{at}: block {index} opened twice")
            kinds[index] = event["content_block"]["type"]
        elif kind == "content_block_delta":
            wrong += _delta(at, event, kinds)
        elif kind == "content_block_stop":
            if event["index"] not in kinds or event["index"] in stopped:
                wrong.append(f"{at}: stop of block {event['index']}")
            stopped.add(event["index"])
    if not events or events[-1].get("type") != "stream_end":
        wrong.append("no stream_end")
    elif events[-1]["ended"] == "completed" and set(kinds) - stopped:
        wrong.append(f"completed with open blocks {set(kinds) - stopped}")
    return wrong


def _delta(at: int, event: dict[str, Any], kinds: dict[int, str]) -> list[str]:
    delta, index = event["delta"], event["index"]
    kind = delta["type"]
    if index not in kinds:
        return [f"{at}: delta for block {index}, which is not open"]
    if kinds[index] in _TAKES and kind in _JUDGED and kind not in _TAKES[kinds[index]]:
        return [f"{at}: {kind} in a {kinds[index]} block"]
    if kind in _TEXT and not isinstance(delta.get(_TEXT[kind]), str):
        return [f"{at}: {kind} without text"]
    return []
