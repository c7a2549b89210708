"""Gemini's less common parts as blocks, its token counts in Anthropic's names, its grounding as citations."""

from collections.abc import Callable
from typing import Any

from streamrender.wire.translate import string


def part_block(part: dict[str, Any], ident: Callable[[], str], last_call: str) -> dict[str, Any]:
    """The block of a part that is neither text nor a function call; `provider.part` is the part as it came.

    Tools that the provider runs (code execution, search) are server_tool_use blocks and their results;
    `ident` names a call without an id, `last_call` is what a result without an id answers.
    """
    own: dict[str, Any] = {"provider": {"part": part}}
    code = part.get("executableCode")
    if isinstance(code, dict):
        name = "code_execution"
        return {
            "type": "server_tool_use",
            "id": code.get("id") or ident(),
            "name": name,
            "input": code,
            **own,
        }
    ran = part.get("codeExecutionResult")
    if isinstance(ran, dict):
        good = ran.get("outcome") == "OUTCOME_OK"
        output = string(ran.get("output"))
        content: dict[str, Any] = {
            "type": "code_execution_result",
            "stdout": output if good else "",
            "stderr": "" if good else output,
            "return_code": 0 if good else 1,
            "content": [],
        }
        answers = ran.get("id") or last_call
        return {"type": "code_execution_tool_result", "tool_use_id": answers, "content": content, **own}
    call = part.get("toolCall")
    if isinstance(call, dict):
        name = string(call.get("toolType")).lower()
        args = call.get("args") if isinstance(call.get("args"), dict) else {}
        return {
            "type": "server_tool_use",
            "id": call.get("id") or ident(),
            "name": name,
            "input": args,
            **own,
        }
    response = part.get("toolResponse")
    if isinstance(response, dict):
        kind = string(response.get("toolType")).lower() or "server"
        answers = response.get("id") or last_call
        content = {key: one for key, one in response.items() if key not in ("id", "toolType")}
        return {"type": f"{kind}_tool_result", "tool_use_id": answers, "content": content, **own}
    data = part.get("inlineData")
    if isinstance(data, dict) and string(data.get("mimeType")).startswith("image/"):
        source = {"type": "base64", "media_type": data.get("mimeType"), "data": data.get("data")}
        extra = {key: one for key, one in part.items() if key != "inlineData"}
        return {"type": "image", "source": source, "provider": extra}
    return {"type": "gemini_part", **own}


def usage(counts: dict[str, Any]) -> dict[str, Any]:
    """usageMetadata in Anthropic's names: prompt without cache, answer with thoughts."""
    get = counts.get
    result: dict[str, Any] = {}
    if (prompt := get("promptTokenCount")) is not None:
        cached = _count(get("cachedContentTokenCount"))
        result["input_tokens"] = max(_count(prompt) + _count(get("toolUsePromptTokenCount")) - cached, 0)
        if cached:
            result["cache_read_input_tokens"] = cached
    answer, thoughts = get("candidatesTokenCount"), get("thoughtsTokenCount")
    if answer is not None or thoughts is not None:
        result["output_tokens"] = _count(answer) + _count(thoughts)
        if thoughts:
            result["output_tokens_details"] = {"thinking_tokens": _count(thoughts)}
    return result


def _count(value: Any) -> int:
    return value if type(value) is int else 0


def citations(
    grounding: dict[str, Any], text: str, blocks: list[tuple[int, int]]
) -> list[tuple[int, dict[str, Any]]]:
    """The supports of a groundingMetadata as citations, each with the index of the block that it stands in
    and character offsets into that block's text. `blocks`: where in the answer's whole `text` each begins.

    The wire's offsets count UTF-8 bytes of the whole text; where they do not fit, the quoted text is searched
    for.
    """
    chunks = grounding.get("groundingChunks")
    supports = grounding.get("groundingSupports")
    if not isinstance(chunks, list) or not isinstance(supports, list):
        return []
    raw = text.encode("utf-8", "replace")
    found: list[tuple[int, dict[str, Any]]] = []
    for support in supports:
        segment = support.get("segment") if isinstance(support, dict) else None
        numbers = support.get("groundingChunkIndices") if isinstance(support, dict) else None
        if not isinstance(segment, dict) or not isinstance(numbers, list):
            continue
        quoted = string(segment.get("text"))
        span = _span(raw, segment, quoted, text)
        index, begins = blocks[-1]
        if span is not None:
            index, begins = next(one for one in reversed(blocks) if one[1] < span[1] or one == blocks[0])
        place = {
            "start_char_index": max(span[0] - begins, 0) if span else None,
            "end_char_index": span[1] - begins if span else None,
        }
        found.extend(
            (index, {**_source(chunks[number]), "cited_text": quoted, **place})
            for number in numbers
            if isinstance(number, int) and 0 <= number < len(chunks) and isinstance(chunks[number], dict)
        )
    return found


def _span(raw: bytes, segment: dict[str, Any], quoted: str, text: str) -> tuple[int, int] | None:
    start, end = segment.get("startIndex", 0), segment.get("endIndex", 0)
    if (
        isinstance(start, int)
        and isinstance(end, int)
        and raw[max(start, 0) : max(end, 0)] == quoted.encode()
    ):
        begin = len(raw[:start].decode("utf-8", "replace"))
    else:
        begin = text.find(quoted)
    if not quoted or begin < 0:
        return None
    return begin, begin + len(quoted)


def _source(chunk: dict[str, Any]) -> dict[str, Any]:
    for kind in ("web", "maps", "image", "retrievedContext"):
        source = chunk.get(kind)
        if isinstance(source, dict):
            url = source.get("uri") or source.get("sourceUri")
            return {"type": "web_search_result_location", "url": url, "title": source.get("title")}
    return {"type": "gemini_grounding", "chunk": chunk}
