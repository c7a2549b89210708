"""The event vocabulary: what every wire decoder gives and the journal keeps.

An event is a plain, JSON-able dict with a "type". The kinds are those of the Anthropic Messages stream, to
which every other wire is translated, and our own:

| type | fields | from |
|---|---|---|
| message_start | message {id, type, role, model, content [], stop_reason, stop_sequence, usage} | decoder |
| ping | | decoder |
| content_block_start | index, content_block | decoder |
| content_block_delta | index, delta {type, ...} | decoder |
| content_block_stop | index | decoder |
| message_delta | delta {stop_reason, ...}, usage (Anthropic's names), usage_raw?, provider? | decoder |
| message_stop | | decoder |
| error | error {type, message, ...} as the upstream wrote it | decoder |
| block_final | index, block: replaces all that streamed into this block | decoder |
| superseded | reason: `second_message_start` voids all blocks so far, `fallback` the tool calls | decoder |
| fault | kind, detail: an irregularity that was noticed and handled | decoder |
| unknown | name, raw: an upstream event of a type that is not known | decoder |
| stream_end | ended: completed, error, cut_off; error: null or {type, message, ...} | decoder |
| request_started | round, provider, wire, model, continues? (with the text so far, of `turn`) | relay |
| retry_wait | attempt, seconds, error | relay |
| tools_absent | servers: names of tool servers that did not answer in time | relay |
| tool_started, tool_progress, tool_result | id; name / text / content, is_error, unknown? | relay |
| approval_asked, approval_given | id; name, input, each_time / granted | relay |
| turn_end | ending, error | relay |

What a decoder promises (a regular stream), whatever the bytes were: a `message_start` precedes all blocks; a
block is opened once, by the lowest unused index or the upstream's own; a delta belongs to an open or closed
block of a kind that takes it; `message_start.message.content` is empty (whole blocks in it come as block
events); one `stream_end`, last. A journaled event carries `at`, milliseconds since the turn began, which the
relay adds.
"""

from typing import Any

Event = dict[str, Any]

DECODER_KINDS = frozenset(
    {
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "error",
        "block_final",
        "superseded",
        "fault",
        "unknown",
        "stream_end",
    }
)

RELAY_KINDS = frozenset(
    {
        "request_started",
        "retry_wait",
        "tool_started",
        "tools_absent",
        "tool_progress",
        "tool_result",
        "approval_asked",
        "approval_given",
        "turn_end",
    }
)

# The text that each kind of delta carries: delta type -> (field of the delta, field of the block it grows).
DELTA_FIELDS: dict[str, tuple[str, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("partial_json", "input_text"),
    "signature_delta": ("signature", "signature"),
}

ENDED = ("completed", "error", "cut_off")


def fault(kind: str, detail: str) -> Event:
    """A `fault` event; `kind` is a stable word, `detail` at most 300 characters for a person to read."""
    return {"type": "fault", "kind": kind, "detail": detail[:300]}
