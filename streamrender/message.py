"""The message of one upstream response, in Anthropic's shape for every wire.

{id, model, role, content[], stop_reason, stop_sequence, stop_details, usage, usage_raw, ended, error,
provider}
- `content[]`: Anthropic's block shapes. A tool block (type ending in `tool_use`) has `input` (object, or null
  unless complete), `input_text` (the raw text that streamed) and `input_status`: complete, incomplete or
  invalid. What a provider adds to a block is under `provider` there and goes back to that provider only.
- `stop_reason` in Anthropic's words (below); the upstream's own word is `provider.stop_reason`.
- `usage` is the normal form of `streamrender.usage`, `usage_raw` the upstream's own counts, merged by its
  rule.
- `ended`: completed, error, cut_off; null while the stream runs. `error`: null or {type, message, ...}.
"""

from typing import Any

from streamrender.events import Event
from streamrender.wire import jsontext
from streamrender.wire.partial_json import PartialJSON

Message = dict[str, Any]


def tool_input(text: str, whole: bool, start: Any = None) -> tuple[dict[str, Any] | None, str]:
    """(input, input_status) of a call whose arguments streamed as `text`.

    `whole`: the stream moved on after the call. `start` is the input that came with the block's start; what
    streamed wins when it parses. No text at all means the start's input or no arguments.
    """
    given = start if isinstance(start, dict) else {}
    if not text.strip():
        return (given, "complete") if whole else (None, "incomplete")
    try:
        value = jsontext.mend(jsontext.parse(text))
    except ValueError:
        if given and whole:
            return given, "complete"
        preview = PartialJSON()
        preview.feed(text)
        return None, "invalid" if preview.state == "invalid" else "incomplete"
    if not isinstance(value, dict):
        return None, "invalid"
    return (value, "complete") if whole else (None, "incomplete")


def assemble(events: list[Event]) -> Message:
    """The message of one response's events."""
    from streamrender.assembler import Assembler

    assembler = Assembler()
    for event in events:
        assembler.feed(event)
    return assembler.to_dict()
