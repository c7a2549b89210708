"""OpenAI Chat Completions chunks and their dialects (DeepSeek, GLM, Qwen, Mistral, Groq, OpenRouter, Ollama,
xAI, ...).

The stream is complete with a finish_reason; `[DONE]` alone proves nothing, since proxies write it after an
upstream that died. Tool calls are keyed by index and id (see `ToolCalls`). Of `reasoning_content`,
`reasoning` and `reasoning_details` the first that holds text is the thinking; the details are also kept,
merged, under `provider` of the message, since they must go back.
"""

from typing import Any, ClassVar

from streamrender.events import Event
from streamrender.wire.chat_parts import (
    QUIET,
    STANDARD,
    citation,
    content_pieces,
    details_text,
    error_of,
    merge_details,
    usage,
)
from streamrender.wire.stop_reasons import stop_reason
from streamrender.wire.think_tags import ThinkTags
from streamrender.wire.tool_calls import ToolCalls
from streamrender.wire.translate import Translator, string

_DELTA = frozenset(
    {
        "role",
        "content",
        "reasoning_content",
        "reasoning",
        "reasoning_details",
        "tool_calls",
        "function_call",
        "refusal",
        "annotations",
        "channel",
    }
)
_FAILED = frozenset({"error", "network_error"})


class OpenAIChatDecoder(Translator):
    """One Chat Completions response; see `Decoder`.

    `think_tags`: the server writes its thinking into the text as <think>...</think>; "open" when it leaves
    the opening tag out.
    """

    wire = "openai-chat"
    TEXT_KEYS: ClassVar[frozenset[str]] = frozenset(
        {
            "content",
            "reasoning_content",
            "reasoning",
            "text",
            "thinking",
            "summary",
            "refusal",
            "arguments",
            "input",
        }
    )

    def __init__(self, think_tags: bool | str = False) -> None:
        super().__init__()
        self._calls = ToolCalls(self)
        self._tags = ThinkTags(think_tags == "open") if think_tags else None
        self._details: list[dict[str, Any]] = []
        self._told: dict[str, Any] = {}
        self._extra: dict[str, Any] = {}
        self._last: dict[str, Any] = {}
        self._counts: Any = None
        self._text_at: int | None = None
        self._refusal: list[str] = []
        self._end_marked = False

    def _chunk(self, name: str, value: dict[str, Any], out: list[Event]) -> None:
        error = error_of(name, value)
        if error is not None:
            self._fail(error, out)
        choices = value.get("choices")
        if not isinstance(choices, list):
            if error is None:
                self._seen -= 1
                out.append({"type": "unknown", "name": name or string(value.get("object")), "raw": value})
            return
        first = not self._begun and bool(choices)
        if first:
            self._begin(out, string(value.get("id")), string(value.get("model")), value)
        delta: dict[str, Any] = {}
        for choice in choices:
            if type(choice) is not dict:
                self._fault(out, "bad_event", str(choice))
            elif choice.get("index") not in (0, None):
                out.append({"type": "unknown", "name": "choice", "raw": choice})
            else:
                self._choice(choice, delta, out)
        if first or delta or self._extra or value.get("usage") or not QUIET.issuperset(value):
            self._tell(value, delta, out)

    def _choice(self, choice: dict[str, Any], told: dict[str, Any], out: list[Event]) -> None:
        delta = choice.get("delta")
        if type(delta) is not dict:
            delta = choice.get("message")
        if type(delta) is dict:
            self._delta(delta, out)
        if choice.get("logprobs") and any(
            choice["logprobs"].values() if isinstance(choice["logprobs"], dict) else ()
        ):
            out.append({"type": "unknown", "name": "logprobs", "raw": choice["logprobs"]})
        reason = choice.get("finish_reason")
        if type(reason) is str and reason:
            self._finish_with(reason, choice, told, out)

    def _finish_with(
        self, reason: str, choice: dict[str, Any], told: dict[str, Any], out: list[Event]
    ) -> None:
        self._flush_tags(out)
        self._calls.settle(out)
        self._calls.close_custom(out)
        self._done = True
        told["stop_reason"] = stop_reason(reason, self._calls.count > 0)
        told["raw"] = reason
        if self._refusal and told["stop_reason"] == "end_turn":
            told["stop_reason"] = "refusal"
        if told["stop_reason"] == "refusal":
            text = "".join(self._refusal) or None
            told["stop_details"] = {"type": "refusal", "category": None, "explanation": text}
        if reason in _FAILED and self._error is None:
            detail = choice.get("native_finish_reason")
            self._fail({"type": reason, "message": string(detail) or f"finish_reason {reason}"}, out)

    def _delta(self, delta: dict[str, Any], out: list[Event]) -> None:
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        details = delta.get("reasoning_details")
        if details and isinstance(details, list):
            merge_details(self._details, details)
            reasoning = reasoning or details_text(details)
        if reasoning and isinstance(reasoning, str):
            self._write(out, "thinking", reasoning)
        content = delta.get("content")
        if content:
            if type(content) is str:
                self._content(content, out)
            elif isinstance(content, list):
                self._parts(content, out)
        calls = delta.get("tool_calls")
        if calls and isinstance(calls, list):
            self._flush_tags(out)
            for position, call in enumerate(calls):
                if isinstance(call, dict):
                    self._calls.take(call, position, out)
                else:
                    self._fault(out, "bad_event", str(call))
        if (
            not _DELTA.issuperset(delta)
            or delta.get("refusal")
            or delta.get("function_call")
            or "annotations" in delta
        ):
            self._rare(delta, out)

    def _rare(self, delta: dict[str, Any], out: list[Event]) -> None:
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            self._refusal.append(refusal)
            self._text_at = self._write(out, "text", refusal)
        if isinstance(delta.get("function_call"), dict):
            self._calls.take({"index": -1, "function": delta["function_call"]}, 0, out)
        for note in delta.get("annotations") or ():
            if isinstance(note, dict) and self._text_at is not None:
                self._raw_delta(out, {"type": "citations_delta", "citation": citation(note)})
        extra = {key: one for key, one in delta.items() if key not in _DELTA and one not in (None, "", [])}
        self._extra.update({key: one for key, one in extra.items() if isinstance(one, dict | list)})
        plain = {key: one for key, one in extra.items() if not isinstance(one, dict | list)}
        if plain:
            out.append({"type": "unknown", "name": "delta", "raw": plain})

    def _content(self, text: str, out: list[Event]) -> None:
        if self._tags is None:
            self._text_at = self._write(out, "text", text)
            return
        for kind, piece in self._tags.feed(text):
            index = self._write(out, kind, piece)
            if kind == "text":
                self._text_at = index

    def _flush_tags(self, out: list[Event]) -> None:
        for kind, piece in self._tags.close() if self._tags else ():
            self._write(out, kind, piece)

    def _parts(self, parts: list[Any], out: list[Event]) -> None:
        for kind, piece in content_pieces(parts):
            if isinstance(piece, str):
                index = self._write(out, kind, piece)
                if kind == "text":
                    self._text_at = index
            else:
                if self._text_at is None:
                    self._text_at = self._write(out, "text", "")
                self._raw_delta(out, {"type": "content_part", "part": piece})

    def _raw_delta(self, out: list[Event], delta: dict[str, Any]) -> None:
        out.append({"type": "content_block_delta", "index": self._text_at, "delta": delta})

    def _tell(self, value: dict[str, Any], delta: dict[str, Any], out: list[Event]) -> None:
        """A message_delta with what this chunk says of the whole message, when it says something new."""
        told = {key: one for key, one in value.items() if key not in STANDARD and one is not None}
        told.update(self._extra)
        self._extra = {}
        if not self._begun and not value["choices"]:
            self._extra = told  # before the first choice there is no message yet
            return
        if "raw" in delta:
            told["stop_reason"] = delta.pop("raw")
            delta, self._last = {} if delta == self._last else delta, delta
        news = {key: one for key, one in told.items() if self._told.get(key) != one}
        if delta:
            news["stop_reason"] = told["stop_reason"]
        self._told.update(news)
        event: Event = {"type": "message_delta", "delta": delta}
        counts = value.get("usage")
        if not isinstance(counts, dict):
            groq = value.get("x_groq")
            counts = groq.get("usage") if isinstance(groq, dict) else None
        if isinstance(counts, dict) and counts != self._counts:
            self._counts = counts
            event["usage"] = usage(counts)
            event["usage_raw"] = counts
        if news:
            event["provider"] = news
        if delta or len(event) > 2:
            self._begin(out, string(value.get("id")), string(value.get("model")))
            out.append(event)

    def _end_mark(self, out: list[Event], text: str) -> None:
        if text and not self._done and not self._end_marked and self._error is None:
            self._end_marked = True
            self._fault(out, "no_finish_reason", "the stream says [DONE] without a finish_reason")

    def _finish(self, out: list[Event]) -> None:
        self._flush_tags(out)
        self._calls.settle(out)
        if self._details and self._begun:
            out.append(
                {"type": "message_delta", "delta": {}, "provider": {"reasoning_details": self._details}}
            )
        super()._finish(out)
