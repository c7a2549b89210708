"""Output items of OpenAI's Responses as blocks in Anthropic's shapes, and its token counts.

`item_blocks(item)` gives [(sub, block), ...]: `sub` names the block within its item ("call", "result",
"thinking", or ("part", n) of a message). The item as it came is under `provider.item` of its first block,
without what the blocks themselves hold in bulk, so that it can go back to the same provider. Unknown item
types become one block of that type.
"""

import json
from typing import Any

from streamrender.wire.chat_parts import citation
from streamrender.wire.translate import string

Sub = str | tuple[str, int]

# Item types that the provider runs itself, by the name their tool has here.
SERVER_TOOLS = {
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_execution",
    "image_generation_call": "image_generation",
    "shell_call": "shell",
    "local_shell_call": "local_shell",
    "apply_patch_call": "apply_patch",
    "computer_call": "computer",
    "tool_search_call": "tool_search",
    "program": "program",
}
_OUTPUTS = {"shell_call_output": "shell", "program_output": "program", "tool_search_output": "tool_search"}


def item_blocks(item: dict[str, Any]) -> list[tuple[Sub, dict[str, Any]]]:
    """The blocks of one output item as it stands."""
    kind = string(item.get("type"))
    ident = string(item.get("call_id")) or string(item.get("id"))
    provider = {"item": _lean(item)}
    if kind == "message":
        return _message(item, provider)
    if kind == "reasoning":
        return [("thinking", {"type": "thinking", "thinking": reasoning_text(item), "provider": provider})]
    if kind == "function_call":
        call = _call("tool_use", ident, string(item.get("name")), item.get("arguments"))
        return [("call", {**call, "provider": provider})]
    if kind == "custom_tool_call":
        text = json.dumps({"input": item["input"]}, ensure_ascii=False) if item.get("input") else ""
        call = _call("tool_use", ident, string(item.get("name")), text)
        return [("call", {**call, "provider": {**provider, "custom": True}})]
    if kind == "mcp_call":
        return _mcp_call(item, ident, provider)
    if kind == "mcp_list_tools":
        listing = {"mcp_server_name": item.get("server_label"), "tools": item.get("tools")}
        return [("call", {"type": "mcp_tool_listing", **listing, "provider": provider})]
    if kind in SERVER_TOOLS:
        return _server_tool(item, kind, ident, provider)
    if kind in _OUTPUTS:
        output = item.get("output", item.get("result"))
        return [("result", _result(_OUTPUTS[kind], ident, output, provider))]
    return [("call", {"type": kind or "unknown", "provider": provider})]


def reasoning_text(item: dict[str, Any]) -> str:
    """What can be read of a reasoning item: its summaries, then its own text; empty when it is hidden."""
    parts = [*_list(item.get("summary")), *_list(item.get("content"))]
    texts = [string(part.get("text")) for part in parts if isinstance(part, dict)]
    return "\n\n".join(text for text in texts if text)


def part_text(part: dict[str, Any]) -> str:
    """The text of a content part: answer or refusal."""
    return string(part.get("text")) or string(part.get("refusal"))


def usage(counts: dict[str, Any], server_tools: int) -> dict[str, Any]:
    """Responses usage in Anthropic's names: input without cache; runs of provider tools as counted here."""
    read = _detail(counts, "input_tokens_details", "cached_tokens")
    result: dict[str, Any] = {
        "input_tokens": max(_number(counts.get("input_tokens")) - read, 0),
        "output_tokens": _number(counts.get("output_tokens")),
        "cache_read_input_tokens": read,
        "output_tokens_details": {
            "thinking_tokens": _detail(counts, "output_tokens_details", "reasoning_tokens")
        },
    }
    if server_tools:
        result["server_tool_use"] = {"calls": server_tools}
    return result


def _message(item: dict[str, Any], provider: dict[str, Any]) -> list[tuple[Sub, dict[str, Any]]]:
    blocks: list[tuple[Sub, dict[str, Any]]] = []
    for number, part in enumerate(_list(item.get("content"))):
        if not isinstance(part, dict):
            continue
        block: dict[str, Any] = {"type": "text", "text": part_text(part), "provider": provider}
        if part.get("type") not in ("output_text", "refusal", "text", None):
            block = {"type": string(part.get("type")) or "unknown", "provider": {**provider, "part": part}}
        notes = [note for note in _list(part.get("annotations")) if isinstance(note, dict)]
        if notes:
            block["citations"] = [citation(note) for note in notes]
        if part.get("type") == "refusal":
            block["provider"] = {**provider, "refusal": True}
        blocks.append((("part", number), block))
    return blocks


def _mcp_call(item: dict[str, Any], ident: str, provider: dict[str, Any]) -> list[tuple[Sub, dict[str, Any]]]:
    call = _call("mcp_tool_use", ident, string(item.get("name")), item.get("arguments"))
    call["server_name"] = item.get("server_label")
    blocks: list[tuple[Sub, dict[str, Any]]] = [("call", {**call, "provider": provider})]
    error, output = item.get("error"), item.get("output")
    if error is not None or output is not None:
        content = output if error is None else error if isinstance(error, str) else json.dumps(error)
        result = {"type": "mcp_tool_result", "tool_use_id": ident, "is_error": error is not None}
        blocks.append(("result", {**result, "content": content}))
    return blocks


def _server_tool(
    item: dict[str, Any], kind: str, ident: str, provider: dict[str, Any]
) -> list[tuple[Sub, dict[str, Any]]]:
    arguments: Any = item.get("arguments")
    if not isinstance(arguments, str | dict):
        keys = ("action", "actions", "operation", "queries", "code", "revised_prompt")
        arguments = {key: item[key] for key in keys if item.get(key) is not None}
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments, ensure_ascii=False) if arguments else ""
    call = _call("server_tool_use", ident, SERVER_TOOLS[kind], arguments)
    blocks: list[tuple[Sub, dict[str, Any]]] = [("call", {**call, "provider": provider})]
    output = item.get("results", item.get("outputs"))
    if kind == "image_generation_call" and isinstance(item.get("result"), str):
        media = f"image/{string(item.get('output_format')) or 'png'}"
        source = {"type": "base64", "media_type": media, "data": item["result"]}
        output = [{"type": "image", "source": source}]
    if output is not None:
        blocks.append(("result", _result(SERVER_TOOLS[kind], ident, output, None)))
    return blocks


def _call(kind: str, ident: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"type": kind, "id": ident, "name": name, "input": {}, "input_text": string(arguments)}


def _result(name: str, ident: str, output: Any, provider: dict[str, Any] | None) -> dict[str, Any]:
    result = {"type": f"{name}_tool_result", "tool_use_id": ident, "content": output}
    return {**result, "provider": provider} if provider else result


def _lean(item: dict[str, Any]) -> dict[str, Any]:
    """The item without what its blocks hold already and may be large."""
    bulk = {"message": ("content",), "image_generation_call": ("result",)}.get(string(item.get("type")), ())
    return {key: one for key, one in item.items() if key not in bulk}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _detail(counts: dict[str, Any], group: str, key: str) -> int:
    details = counts.get(group)
    return _number(details.get(key)) if isinstance(details, dict) else 0
