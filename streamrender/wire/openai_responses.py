"""OpenAI's Responses stream: items and their parts as blocks, terminal values as the truth.

Items are keyed by output_index, else by item_id (some gateways rotate ids, llama.cpp gives no indexes).
Deltas append; a `.done` and the terminal response replace what streamed where they differ (`block_final`).
The final items are matched by id, then by type and order, since their positions may differ from the stream's
indexes. Terminal: response.completed, response.incomplete, response.failed.
"""

import json
from typing import Any, ClassVar

from streamrender.events import Event
from streamrender.wire import jsontext
from streamrender.wire.chat_parts import citation
from streamrender.wire.responses_items import SERVER_TOOLS, Sub, item_blocks, part_text, usage
from streamrender.wire.stop_reasons import stop_reason
from streamrender.wire.translate import Translator, string

_TERMINAL = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
# Signs of life that carry nothing which the items do not bring: progress words, part frames, image previews.
_LIFE = frozenset(
    {"in_progress", "queued", "searching", "interpreting", "generating", "compacting", "completed"}
)
# Argument texts that are no JSON: streamed inside a JSON object under this key.
_WRAPPED = {
    "custom_tool_call_input": "input",
    "code_interpreter_call_code": "code",
    "shell_call_command": "command",
    "apply_patch_call_operation_diff": "diff",
}
_IMPLIED = {"output_text": "message", "refusal": "message", "reasoning_text": "reasoning"}
_PROVIDER = ("status", "incomplete_details", "service_tier", "previous_response_id", "conversation")


class _Item:
    """One output item while it streams."""

    def __init__(self, key: Any, item: dict[str, Any]) -> None:
        self.key = key
        self.ident = string(item.get("id"))
        self.kind = string(item.get("type"))
        self.blocks: dict[Sub, int] = {}
        self.types: dict[Sub, str] = {}
        self.texts: dict[Sub, list[str]] = {}
        self.noted: dict[Sub, Any] = {}
        self.part: Any = None
        self.wrapped = False
        self.final: dict[str, Any] | None = None


class OpenAIResponsesDecoder(Translator):
    """One Responses stream; see `Decoder` for the contract."""

    wire = "openai-responses"
    TEXT_KEYS: ClassVar[frozenset[str]] = frozenset({"delta", "text", "arguments"})

    def __init__(self) -> None:
        super().__init__()
        self._items: list[_Item] = []

    def _chunk(self, name: str, value: dict[str, Any], out: list[Event]) -> None:
        kind = string(value.get("type")) or name
        if self._done:
            self._fault(out, "after_end", kind)
        elif kind == "response.output_text.delta":
            self._text(value, ("part", _int(value.get("content_index"))), "text", out)
        elif kind == "error" or ("error" in value and not kind.startswith("response.")):
            error = value.get("error")
            self._fail(error if isinstance(error, dict) else value, out)
        elif kind.startswith("response."):
            response = value.get("response")
            if isinstance(response, dict):
                self._response(kind, response, out)
            else:
                self._item_event(kind.removeprefix("response."), value, out)
        elif value.get("object") == "response":
            self._fault(out, "whole_message", "the upstream sent no stream")
            self._response(f"response.{value.get('status')}", value, out)
        else:
            self._seen -= 1
            out.append({"type": "unknown", "name": kind, "raw": value})

    def _response(self, kind: str, response: dict[str, Any], out: list[Event]) -> None:
        self._begin(out, string(response.get("id")), string(response.get("model")), response)
        if kind not in _TERMINAL:
            return
        output = response.get("output")
        if isinstance(output, list):
            self._reconcile([item for item in output if isinstance(item, dict)], out)
        self._close_all(out)
        told = {key: response[key] for key in _PROVIDER if response.get(key) is not None}
        event: Event = {"type": "message_delta", "delta": self._stop(kind, response, told), "provider": told}
        counts = response.get("usage")
        if isinstance(counts, dict):
            runs = sum(1 for item in self._items if item.kind in SERVER_TOOLS or item.kind == "mcp_call")
            event["usage"] = usage(counts, runs)
            event["usage_raw"] = counts
        out.append(event)
        if kind in ("response.failed", "response.cancelled"):
            error = response.get("error")
            if self._error is None:
                self._fail(error if isinstance(error, dict) else {"type": kind, "message": kind}, out)
        self._done = True

    def _stop(self, kind: str, response: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
        if kind == "response.incomplete":
            details = response.get("incomplete_details")
            raw = string(details.get("reason")) if isinstance(details, dict) else ""
            told["stop_reason"] = raw or "incomplete"
            return {"stop_reason": stop_reason(told["stop_reason"])}
        told["stop_reason"] = string(response.get("status")) or kind.removeprefix("response.")
        if kind != "response.completed":
            return {}
        if any(item.kind in ("function_call", "custom_tool_call") for item in self._items):
            return {"stop_reason": "tool_use"}
        texts = [
            text
            for item in self._items
            for sub, text in item.texts.items()
            if item.types.get(sub) == "refusal"
        ]
        if texts:
            explanation = "".join(texts[0])
            return {
                "stop_reason": "refusal",
                "stop_details": {"type": "refusal", "category": None, "explanation": explanation},
            }
        return {"stop_reason": "end_turn"}

    # Items.

    def _item_event(self, kind: str, value: dict[str, Any], out: list[Event]) -> None:
        family, _, step = kind.rpartition(".")
        if kind == "output_item.added":
            self._added(value, out)
        elif kind == "output_item.done":
            item = value.get("item")
            if isinstance(item, dict):
                self._settle(self._find(value, item) or self._added(value, out), item, out)
        elif family in ("content_part", "reasoning_summary_part", "reasoning_part"):
            self._part(family, step, value, out)
        elif step in ("delta", "added") and family:
            self._piece(family, value, out)
        elif step == "done":
            self._piece_done(family, value, out)
        elif step in _LIFE or kind in _LIFE or step == "partial_image":
            out.append({"type": "ping"})
        else:
            out.append({"type": "unknown", "name": f"response.{kind}", "raw": value})

    def _find(self, value: dict[str, Any], item: dict[str, Any] | None = None) -> _Item | None:
        key = value.get("output_index")
        if isinstance(key, int):
            return next((one for one in reversed(self._items) if one.key == key), None)
        ident = value.get("item_id") or (item or {}).get("id")
        if ident:
            return next((one for one in reversed(self._items) if ident in (one.ident, one.key)), None)
        return self._items[-1] if self._items and item is None else None

    def _added(self, value: dict[str, Any], out: list[Event]) -> _Item:
        item = value.get("item")
        item = item if isinstance(item, dict) else {}
        key = value.get("output_index")
        entry = _Item(key if isinstance(key, int) else item.get("id"), item)
        self._items.append(entry)
        if entry.kind not in ("message", "reasoning"):
            sub, block = item_blocks(item)[0]
            self._open_sub(entry, sub, block, out)
        return entry

    def _open_sub(self, item: _Item, sub: Sub, block: dict[str, Any], out: list[Event]) -> int:
        """Open one block of an item; its text, if it has some already, is written as a first delta."""
        kind = string(block.get("type"))
        text = ""
        start = {key: one for key, one in block.items() if key != "input_text"}
        if kind.endswith("tool_use"):
            text = string(block.get("input_text"))
        elif kind in ("text", "thinking"):
            text, start[kind] = block[kind], ""
        index = self._open_block(out, start)
        item.blocks[sub] = index
        item.noted[sub] = block.get("provider")
        item.types.setdefault(sub, kind)
        item.texts[sub] = [text] if text else []
        if text:
            self._grow(out, index, _delta_type(kind), text)
        return index

    def _block(
        self, value: dict[str, Any], family: str, sub: Sub, kind: str, out: list[Event]
    ) -> tuple[_Item, int]:
        item = self._find(value)
        if item is None:
            implied = {"type": _IMPLIED.get(family, "reasoning" if kind == "thinking" else "function_call")}
            self._fault(out, "implicit_block_start", f"{family} for an item that was not added")
            key = value.get("output_index")
            item = _Item(key if isinstance(key, int) else value.get("item_id"), implied)
            self._items.append(item)
        index = item.blocks.get(sub)
        if index is None:
            block: dict[str, Any] = {"type": kind, kind: ""} if kind != "tool_use" else _unnamed(item)
            index = self._open_sub(item, sub, block, out)
        return item, index

    def _text(
        self, value: dict[str, Any], sub: Sub, kind: str, out: list[Event], family: str = "output_text"
    ) -> None:
        text = value.get("delta")
        if not isinstance(text, str):
            self._fault(out, "bad_delta", f"{family} holds no text")
            return
        item, index = self._block(value, family, sub, kind, out)
        if family == "refusal":
            item.types[sub] = "refusal"
        item.texts[sub].append(text)
        self._grow(out, index, _delta_type(kind), text)

    def _part(self, family: str, step: str, value: dict[str, Any], out: list[Event]) -> None:
        """Frames around parts: a later summary part begins a new paragraph of the thinking."""
        item = self._find(value)
        part = value.get("part")
        if item is None or not isinstance(part, dict) or step != "added":
            return
        if family == "content_part" and item.kind == "message":
            sub = ("part", _int(value.get("content_index")))
            if sub not in item.blocks:
                self._open_sub(item, sub, {"type": "text", "text": part_text(part)}, out)

    def _piece(self, family: str, value: dict[str, Any], out: list[Event]) -> None:
        if family == "refusal":
            self._text(value, ("part", _int(value.get("content_index"))), "text", out, family)
        elif family in ("reasoning_summary_text", "reasoning_text"):
            place = (family, value.get("summary_index", value.get("content_index")))
            item, index = self._block(value, family, "thinking", "thinking", out)
            if item.part not in (None, place) and item.texts["thinking"]:
                item.texts["thinking"].append("\n\n")
                self._grow(out, index, "thinking_delta", "\n\n")
            item.part = place
            self._text(value, "thinking", "thinking", out, family)
        elif family in ("function_call_arguments", "mcp_call_arguments"):
            self._text(value, "call", "tool_use", out, family)
        elif family in _WRAPPED:
            self._wrapped(family, value, out)
        elif family == "output_text.annotation":
            note = value.get("annotation")
            item, index = self._block(value, family, ("part", _int(value.get("content_index"))), "text", out)
            if isinstance(note, dict):
                delta = {"type": "citations_delta", "citation": citation(note)}
                out.append({"type": "content_block_delta", "index": index, "delta": delta})
        else:
            out.append({"type": "unknown", "name": f"response.{family}.delta", "raw": value})

    def _wrapped(self, family: str, value: dict[str, Any], out: list[Event]) -> None:
        text = value.get("delta", value.get("command"))
        item, index = self._block(value, family, "call", "tool_use", out)
        if not isinstance(text, str) or (item.texts["call"] and not item.wrapped):
            return
        piece = json.dumps(text, ensure_ascii=False)[1:-1]
        if not item.wrapped:
            item.wrapped = True
            piece = f'{{"{_WRAPPED[family]}": "{piece}'
        item.texts["call"].append(piece)
        self._grow(out, index, "input_json_delta", piece)

    def _piece_done(self, family: str, value: dict[str, Any], out: list[Event]) -> None:
        """A terminal text replaces what streamed, when it differs."""
        item = self._find(value)
        sub: Sub
        if family in ("output_text", "refusal"):
            text, sub, kind = part_text(value), ("part", _int(value.get("content_index"))), "text"
        elif family in ("function_call_arguments", "mcp_call_arguments"):
            text, sub, kind = string(value.get("arguments")), "call", "tool_use"
        else:
            return
        if item is None or sub not in item.blocks:
            self._text({**value, "delta": text}, sub, kind, out, family)
        elif text and text != "".join(item.texts[sub]):
            self._replace(item, sub, text, out)

    def _replace(self, item: _Item, sub: Sub, text: str, out: list[Event]) -> None:
        old = "".join(item.texts[sub])
        item.texts[sub] = [text]
        kind = item.types[sub].replace("refusal", "text")
        index = item.blocks[sub]
        if text.startswith(old):
            self._grow(out, index, _delta_type(kind), text[len(old) :])
            return
        self._fault(out, "final_differs", f"block {index} ends otherwise than it streamed")
        self._block_final(index, kind, text, out)

    def _settle(self, item: _Item, final: dict[str, Any], out: list[Event]) -> None:
        """An item is final: what its blocks lack is written, what differs replaced, the item itself noted."""
        if item.final == final:
            return
        item.final = final
        item.ident = item.ident or string(final.get("id"))
        item.kind = string(final.get("type")) or item.kind
        for sub, block in item_blocks(final):
            if sub not in item.blocks:
                self._open_sub(item, sub, block, out)
                continue
            kind = string(block.get("type"))
            text = block.get("input_text" if kind.endswith("tool_use") else kind)
            if isinstance(text, str) and text and text != "".join(item.texts[sub]):
                self._final(item, sub, kind, text, out)
            if "provider" in block and block["provider"] != item.noted.get(sub):
                item.noted[sub] = block["provider"]
                self._note(out, item.blocks[sub], block["provider"])
        for index in item.blocks.values():
            self._close_block(out, index)

    def _final(self, item: _Item, sub: Sub, kind: str, text: str, out: list[Event]) -> None:
        """The text of a final item that is not what streamed; for tools of the provider that is no fault."""
        if text.startswith("".join(item.texts[sub])) or not (item.wrapped or item.kind in SERVER_TOOLS):
            self._replace(item, sub, text, out)
        else:
            item.texts[sub] = [text]
            self._block_final(item.blocks[sub], kind, text, out)
        item.wrapped = False

    def _block_final(self, index: int, kind: str, text: str, out: list[Event]) -> None:
        block: dict[str, Any] = {"type": kind}
        if kind.endswith("tool_use"):
            try:
                block["input"] = jsontext.mend(jsontext.parse(text))
            except ValueError:
                block["input"] = None
            block["input_text"] = text
        else:
            block[kind] = text
        out.append({"type": "block_final", "index": index, "block": block})

    def _reconcile(self, output: list[dict[str, Any]], out: list[Event]) -> None:
        """Match the terminal response's items to those that streamed; open what never did."""
        by_ident = {item.ident: item for item in reversed(self._items) if item.ident}
        matches = [by_ident.pop(string(final.get("id")), None) for final in output]
        taken = {id(match) for match in matches}
        free: dict[str, list[_Item]] = {}
        for item in reversed(self._items):
            if id(item) not in taken:
                free.setdefault(item.kind, []).append(item)
        for final, match in zip(output, matches, strict=True):
            if match is None:
                same = free.get(string(final.get("type")))
                match = same.pop() if same else None
            if match is None:
                match = _Item(None, final)
                self._items.append(match)
            self._settle(match, final, out)


def _delta_type(kind: str) -> str:
    return {"text": "text_delta", "thinking": "thinking_delta"}.get(kind, "input_json_delta")


def _unnamed(item: _Item) -> dict[str, Any]:
    return {"type": "tool_use", "id": item.ident or string(item.key), "name": "", "input": {}}


def _int(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
