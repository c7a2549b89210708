"""Hypothesis strategies: streams of every wire, regular and wild, and the bytes of neither."""

import json
from typing import Any

from hypothesis import strategies as st

# Text with what breaks decoders: surrogate escapes, separators that are no line ends, CJK, emoji, controls.
TEXT = st.text(
    st.one_of(
        st.sampled_from('ab {}[]"\\\n\r\u2028\u2029\x85\x00:,北😀\ufffd\ufeff'),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=8,
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(TEXT, JSON, max_size=3).map(lambda value: json.dumps(value, ensure_ascii=False))
INDEX = st.integers(0, 3) | st.sampled_from([None, "1", True, -1, 10**9, [1], 1.5])
KIND = (
    st.sampled_from(["text", "thinking", "tool_use", "server_tool_use", "redacted_thinking", "mcp_tool_use"])
    | TEXT
)
DELTA = st.one_of(
    st.builds(lambda t: {"type": "text_delta", "text": t}, TEXT | JSON),
    st.builds(lambda t: {"type": "thinking_delta", "thinking": t}, TEXT | JSON),
    st.builds(lambda t: {"type": "signature_delta", "signature": t}, TEXT),
    st.builds(lambda t: {"type": "input_json_delta", "partial_json": t}, ARGUMENTS | TEXT),
    st.builds(lambda t: {"type": "citations_delta", "citation": t}, JSON),
    st.builds(lambda t: {"type": "compaction_delta", "content": t}, JSON),
    st.dictionaries(st.sampled_from(["type", "text", "thinking"]), JSON, max_size=3),
    JSON,
)
BLOCK = st.one_of(
    st.builds(lambda k, t: {"type": k, "text": t, "id": "t", "name": "f", "input": {}}, KIND, TEXT),
    st.dictionaries(st.sampled_from(["type", "text", "id", "input", "to"]), JSON, max_size=3),
    JSON,
)
USAGE = (
    st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "server_tool_use"]), JSON, max_size=3)
    | JSON
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["m1", "m2"]) | JSON,
        "content": st.lists(BLOCK, max_size=2) | JSON,
        "usage": USAGE,
        "stop_reason": st.sampled_from([None, "", "end_turn", "tool_use", "sensitive"]) | JSON,
        "model": TEXT | JSON,
    },
)
STOP = st.fixed_dictionaries({}, optional={"stop_reason": JSON | st.sampled_from(["max_tokens", "stop"])})

ANTHROPIC: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda m: {"type": "message_start", "message": m}, MESSAGE),
    st.builds(lambda i, b: {"type": "content_block_start", "index": i, "content_block": b}, INDEX, BLOCK),
    st.builds(lambda i, d: {"type": "content_block_delta", "index": i, "delta": d}, INDEX, DELTA),
    st.builds(lambda i: {"type": "content_block_stop", "index": i}, INDEX),
    st.builds(lambda d, u: {"type": "message_delta", "delta": d, "usage": u}, STOP | JSON, USAGE),
    st.sampled_from([{"type": "message_stop"}, {"type": "ping"}, {"type": "message_stop"}]),
    st.builds(lambda e: {"type": "error", "error": e}, JSON),
    st.builds(lambda t: {"type": t}, TEXT),
    JSON,
)
_PATH = st.sampled_from(["$.a", "$.b[0].c", "$.b[1]", "$.a.b", "$['x y']", "$", "$..", "$.b[99999]", 5])
_ARG = st.builds(
    lambda p, k, v, w: {"jsonPath": p, k: v, "willContinue": w},
    _PATH,
    st.sampled_from(["stringValue", "numberValue", "boolValue", "nullValue"]),
    TEXT | JSON,
    st.booleans(),
)
_CALL = st.fixed_dictionaries(
    {},
    optional={
        "name": TEXT | JSON,
        "args": JSON,
        "partialArgs": st.lists(_ARG, max_size=4) | JSON,
        "willContinue": st.booleans(),
        "id": TEXT | JSON,
    },
)
_PART = st.one_of(
    st.fixed_dictionaries(
        {"text": TEXT}, optional={"thought": st.booleans() | JSON, "thoughtSignature": TEXT | JSON}
    ),
    st.builds(lambda c: {"functionCall": c}, _CALL),
    st.builds(lambda k, v: {k: v}, st.sampled_from(["executableCode", "toolCall", "inlineData", "x"]), JSON),
    JSON,
)
_CANDIDATE = st.fixed_dictionaries(
    {},
    optional={
        "content": st.builds(lambda p: {"parts": p}, st.lists(_PART, max_size=3) | JSON) | JSON,
        "finishReason": st.sampled_from(["STOP", "MAX_TOKENS", "SAFETY", ""]) | JSON,
        "index": st.integers(0, 1) | JSON,
        "groundingMetadata": st.builds(
            lambda a, b: {"groundingChunks": a, "groundingSupports": b}, JSON, JSON
        ),
    },
)
GEMINI = st.one_of(
    st.fixed_dictionaries(
        {"candidates": st.lists(_CANDIDATE, max_size=2) | JSON},
        optional={"usageMetadata": JSON, "promptFeedback": JSON, "responseId": TEXT | JSON},
    ),
    st.builds(lambda e: {"error": e}, JSON),
    JSON,
)
_TOOL = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(0, 2) | JSON,
        "id": st.sampled_from(["a", "b", None, ""]) | JSON,
        "function": st.fixed_dictionaries(
            {}, optional={"name": TEXT | JSON, "arguments": ARGUMENTS | TEXT | JSON}
        )
        | JSON,
        "custom": st.fixed_dictionaries({"name": TEXT, "input": TEXT}),
    },
)
_CHAT_DELTA = st.fixed_dictionaries(
    {},
    optional={
        "content": TEXT | st.lists(JSON, max_size=2) | JSON,
        "reasoning_content": TEXT | JSON,
        "reasoning_details": st.lists(
            JSON | st.builds(lambda t: {"type": "reasoning.text", "text": t}, TEXT | JSON)
        ),
        "tool_calls": st.lists(_TOOL | JSON, max_size=3) | JSON,
        "refusal": TEXT | JSON,
        "function_call": JSON,
        "annotations": JSON,
        "other": JSON,
    },
)
_CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(0, 1) | JSON,
        "delta": _CHAT_DELTA | JSON,
        "finish_reason": st.sampled_from(["stop", "length", "tool_calls", "error", ""]) | JSON,
        "logprobs": JSON,
    },
)
CHAT = st.one_of(
    st.fixed_dictionaries(
        {"choices": st.lists(_CHOICE | JSON, max_size=2) | JSON},
        optional={"usage": USAGE, "id": TEXT | JSON, "model": JSON, "x_groq": JSON, "error": JSON},
    ),
    JSON,
)
_FAMILY = st.sampled_from(
    [
        "output_text.delta",
        "output_text.done",
        "refusal.delta",
        "reasoning_text.delta",
        "reasoning_summary_text.delta",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "code_interpreter_call_code.delta",
        "content_part.added",
        "output_text.annotation.added",
        "web_search_call.searching",
        "audio.delta",
        "x",
    ]
)
_ITEM = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["message", "reasoning", "function_call", "mcp_call", "web_search_call", "x"])
        | JSON
    },
    optional={
        "id": st.sampled_from(["i1", "i2"]) | JSON,
        "content": JSON
        | st.lists(st.builds(lambda t: {"type": "output_text", "text": t}, TEXT | JSON), max_size=2),
        "arguments": ARGUMENTS | JSON,
        "name": TEXT | JSON,
        "summary": JSON,
        "output": JSON,
    },
)
_RESPONSE = st.fixed_dictionaries(
    {},
    optional={
        "id": TEXT | JSON,
        "output": st.lists(_ITEM | JSON, max_size=3) | JSON,
        "usage": JSON,
        "status": JSON,
        "error": JSON,
        "incomplete_details": JSON,
    },
)
RESPONSES = st.one_of(
    st.builds(
        lambda f, i, c, t, k: {
            "type": f"response.{f}",
            "output_index": i,
            "content_index": c,
            "delta": t,
            k: t,
        },
        _FAMILY,
        INDEX,
        st.integers(0, 1) | JSON,
        TEXT | JSON,
        st.sampled_from(["text", "arguments", "part", "annotation", "x"]),
    ),
    st.builds(
        lambda s, i, o: {"type": f"response.output_item.{s}", "output_index": i, "item": o},
        st.sampled_from(["added", "done"]),
        INDEX,
        _ITEM | JSON,
    ),
    st.builds(
        lambda s, r: {"type": f"response.{s}", "response": r},
        st.sampled_from(["created", "in_progress", "completed", "incomplete", "failed"]),
        _RESPONSE,
    ),
    st.builds(lambda e: {"type": "error", "error": e}, JSON),
    JSON,
)
VALUES = {
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "chunks": TEXT
    | st.builds(lambda v: {"done": v}, st.booleans())
    | st.builds(lambda e: {"error": e}, JSON)
    | JSON,
}


def _escape_halves(text: str) -> str:
    """JSON text whose emoji are escapes of surrogates, and with lone halves of them."""
    return text.replace("😀", "\\ud83d\\ude00").replace("北", "\\ud83d")


@st.composite
def streams(draw: st.DrawFn, wire: str) -> bytes:
    """Bytes of a stream of this wire: its values, framed well or less well, with junk between."""
    out: list[str] = []
    for value in draw(st.lists(VALUES[wire], max_size=8)):
        text = json.dumps(value, ensure_ascii=draw(st.booleans()), allow_nan=False)
        if draw(st.integers(0, 3)) == 0:
            text = _escape_halves(text)
        if wire == "chunks":
            out.append(text + draw(st.sampled_from(["\n", "\n", "\n\n", "\r\n"])))
            continue
        ending = draw(st.sampled_from(["\n\n", "\n\n", "\r\n\r\n", "\r\r", "\n", ""]))
        prefix = draw(st.sampled_from(["data: ", "data:", "event: x\ndata: ", "", "error: ", ": c\ndata: "]))
        out.append(prefix + text + ending)
        out.append(
            draw(st.sampled_from(["", "", "", "data: [DONE]\n\n", "junk\n", "<html>\n", ":\n", "data\n\n"]))
        )
    data = "".join(out).encode("utf-8", "surrogatepass")
    cut = draw(st.integers(0, len(data)))
    return data if draw(st.booleans()) else data[:cut]
