"""Gemini's streamGenerateContent: with `alt=sse` or as one JSON array, errors with or without `data:`.

Every part is a new piece; neighbouring text parts of the same kind join. A thoughtSignature makes no
thinking: it is kept under `provider` of the block it came with (`signed_from`: the character where the signed
part begins, when unsigned text stands before it), an empty signed part is a block of its own, and nothing
joins a signed part. The stream has no end mark: it is complete when a finishReason or a blockReason came, and
ends with the bytes.
"""

import json
from typing import Any, ClassVar

from streamrender.events import Event
from streamrender.wire import jsontext
from streamrender.wire.gemini_parts import citations, part_block, usage
from streamrender.wire.partial_args import PartialArgs
from streamrender.wire.stop_reasons import stop_reason
from streamrender.wire.translate import Translator, string

_CANDIDATE = frozenset(("content", "index", "finishReason", "finishMessage"))
_KNOWN = frozenset(("candidates", "usageMetadata", "promptFeedback", "responseId"))
_CHUNK = _KNOWN | {"error", "modelVersion"}
_TEXT_PART = frozenset(("text", "thought"))


class GeminiDecoder(Translator):
    """One GenerateContent response; see `Decoder` for the contract."""

    wire = "gemini"
    TEXT_KEYS: ClassVar[frozenset[str]] = frozenset({"text", "stringValue"})

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0
        self._call: tuple[int, PartialArgs] | None = None
        self._length = 0
        self._signed = False
        self._text: list[str] = []
        self._text_blocks: list[tuple[int, int]] = []
        self._text_length = 0
        self._finish_reason: str | None = None
        self._told: dict[str, Any] = {}
        self._last: dict[str, Any] = {}
        self._counts: Any = None
        self._server_call = ""

    def _chunk(self, name: str, value: dict[str, Any], out: list[Event]) -> None:
        if "error" in value:
            error = value["error"]
            self._fail(error if isinstance(error, dict) else {"message": str(error)}, out)
            return
        if _KNOWN.isdisjoint(value):
            self._seen -= 1
            out.append({"type": "unknown", "name": name, "raw": value})
            return
        if not self._begun:
            self._begin(out, string(value.get("responseId")), string(value.get("modelVersion")), value)
        told: dict[str, Any] = {}
        if not _CHUNK.issuperset(value):
            told = {key: one for key, one in value.items() if key not in _CHUNK}
        delta: dict[str, Any] = {}
        candidates = value.get("candidates")
        for candidate in candidates if isinstance(candidates, list) else ():
            if not isinstance(candidate, dict):
                self._fault(out, "bad_event", str(candidate))
            elif candidate.get("index") not in (0, None):
                out.append({"type": "unknown", "name": "candidate", "raw": candidate})
            else:
                self._candidate(candidate, told, delta, out)
        if "promptFeedback" in value:
            self._blocked(value["promptFeedback"], told, delta)
        counts = value.get("usageMetadata")
        if delta or told:
            self._tell(counts, told, delta, out)
        elif type(counts) is dict and counts != self._counts:
            self._counts = counts
            out.append({"type": "message_delta", "delta": {}, "usage": usage(counts), "usage_raw": counts})

    def _candidate(
        self, candidate: dict[str, Any], told: dict[str, Any], delta: dict[str, Any], out: list[Event]
    ) -> None:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                self._part(part, out)
            else:
                self._fault(out, "bad_event", str(part))
        if "content" in candidate and len(candidate) == 1 + ("index" in candidate):
            return
        told.update({key: one for key, one in candidate.items() if key not in _CANDIDATE})
        grounding = candidate.get("groundingMetadata")
        if isinstance(grounding, dict) and self._text_blocks:
            for index, citation in citations(grounding, "".join(self._text), self._text_blocks):
                note = {"type": "citations_delta", "citation": citation}
                out.append({"type": "content_block_delta", "index": index, "delta": note})
        reason = candidate.get("finishReason")
        if isinstance(reason, str) and reason:
            self._end_call(out)
            self._done = True
            delta["stop_reason"] = stop_reason(reason, self._calls > 0)
            told["stop_reason"] = reason
            if delta["stop_reason"] == "refusal":
                message = candidate.get("finishMessage")
                delta["stop_details"] = {"type": "refusal", "category": reason, "explanation": message}
        if "finishMessage" in candidate:
            told["finishMessage"] = candidate["finishMessage"]

    def _blocked(self, feedback: Any, told: dict[str, Any], delta: dict[str, Any]) -> None:
        if not isinstance(feedback, dict):
            return
        told["promptFeedback"] = feedback
        reason = feedback.get("blockReason")
        if isinstance(reason, str) and reason and not self._count:
            self._done = True
            told["stop_reason"] = reason
            delta["stop_reason"] = "refusal"
            message = feedback.get("blockReasonMessage")
            delta["stop_details"] = {"type": "refusal", "category": reason, "explanation": message}

    def _tell(self, counts: Any, told: dict[str, Any], delta: dict[str, Any], out: list[Event]) -> None:
        """A message_delta with what this chunk says of the whole message, when it says something new."""
        event: Event = {"type": "message_delta", "delta": delta}
        news = {key: one for key, one in told.items() if self._told.get(key) != one} if told else {}
        if delta == self._last:
            delta = {}  # a finishReason that only repeats
            event["delta"] = delta
        elif delta:
            self._last = delta
            news["stop_reason"] = told["stop_reason"]
        if isinstance(counts, dict) and counts != self._counts:
            self._counts = counts
            event["usage"] = usage(counts)
            event["usage_raw"] = counts
        if news:
            self._told.update(news)
            event["provider"] = news
        if delta or len(event) > 2:
            out.append(event)

    # Parts.

    def _part(self, part: dict[str, Any], out: list[Event]) -> None:
        call = part.get("functionCall")
        if isinstance(call, dict):
            self._function_call(call, part, out)
        elif isinstance(part.get("text"), str):
            if self._call is not None:
                self._end_call(out)
            self._text_part(part, part["text"], out)
        else:
            self._end_call(out)
            block = part_block(part, lambda: f"{self._stem}_s{self._count}", self._server_call)
            if block["type"] == "server_tool_use":
                self._server_call = block["id"]
            self._open_block(out, block)
            self._close_all(out)

    def _text_part(self, part: dict[str, Any], text: str, out: list[Event]) -> None:
        kind = "thinking" if part.get("thought") is True else "text"
        extra = None
        if len(part) > 1:
            extra = {key: one for key, one in part.items() if key not in _TEXT_PART} or None
        if not text:
            if extra is None:
                return
            self._close_all(out)
        prose = self._prose
        if prose is None or prose[0] != kind:
            self._length = 0
            index = self._write(out, kind, text)
        else:
            index = prose[1]
            self._grow(out, index, "text_delta" if kind == "text" else "thinking_delta", text)
        if kind == "text" and text:
            if not self._text_blocks or self._text_blocks[-1][0] != index:
                self._text_blocks.append((index, self._text_length))
            self._text.append(text)
            self._text_length += len(text)
        if extra:
            if self._length and "thoughtSignature" in extra:
                extra["signed_from"] = self._length
            self._note(out, index, extra)
            self._close_block(out, index)
        self._length += len(text)

    def _function_call(self, call: dict[str, Any], part: dict[str, Any], out: list[Event]) -> None:
        name = string(call.get("name"))
        if name or self._call is None:
            self._end_call(out)
            if not name and not call.get("args") and not call.get("partialArgs"):
                return
            self._open_call(call, name, part, out)
        if self._call is None:
            return
        index, args = self._call
        pieces = call.get("partialArgs")
        for piece in pieces if isinstance(pieces, list) else ():
            text = args.put(piece) if isinstance(piece, dict) else None
            if text is None:
                self._fault(out, "bad_path", str(piece))
            elif text:
                self._grow(out, index, "input_json_delta", text)
        if not call.get("willContinue"):
            self._end_call(out)

    def _open_call(self, call: dict[str, Any], name: str, part: dict[str, Any], out: list[Event]) -> None:
        provider = {key: one for key, one in part.items() if key != "functionCall"}
        ident = string(call.get("id"))
        if not ident:
            ident = f"{self._stem}_{self._calls}"
            provider["id_made"] = True
        self._calls += 1
        block: dict[str, Any] = {"type": "tool_use", "id": ident, "name": name, "input": {}}
        if provider:
            block["provider"] = provider
        index = self._open_block(out, block)
        self._call = (index, PartialArgs())
        if call.get("args"):
            self._grow(out, index, "input_json_delta", json.dumps(call["args"], ensure_ascii=False))

    def _end_call(self, out: list[Event]) -> None:
        """The streamed call ends: write what closes its JSON, or give the arguments whole."""
        if self._call is None:
            return
        index, args = self._call
        self._call = None
        if text := args.close():
            self._grow(out, index, "input_json_delta", text)
        self._close_block(out, index)
        if not args.ordered:
            value = jsontext.mend(args.value)
            text = json.dumps(value, ensure_ascii=False)
            block = {"type": "tool_use", "input": value, "input_text": text}
            out.append({"type": "block_final", "index": index, "block": block})
