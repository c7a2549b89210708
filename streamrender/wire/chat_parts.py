"""Parts of Chat Completions chunks: content lists, reasoning details, citations, token counts, errors."""

from collections.abc import Iterator
from typing import Any

from streamrender.wire.translate import string

# Keys that repeat in every chunk of a stream: told with its first and last.
QUIET = frozenset(["id", "object", "created", "model", "choices", "usage", "obfuscation", "error"]) | {
    "system_fingerprint",
    "service_tier",
    "provider",
}
# Keys of a chunk that are read here or say nothing; all others are told under `provider`.
STANDARD = frozenset(["id", "object", "created", "model", "choices", "usage", "obfuscation", "error"])


def content_pieces(parts: list[Any]) -> Iterator[tuple[str, Any]]:
    """("text" | "thinking", text) for the parts of a content list; ("part", part) for what is neither."""
    for part in parts:
        if isinstance(part, str):
            yield "text", part
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield "text", part["text"]
        elif isinstance(part, dict) and part.get("type") == "thinking":
            inner = part.get("thinking")
            if isinstance(inner, str):
                yield "thinking", inner
            for piece in inner if isinstance(inner, list) else ():
                if isinstance(piece, dict) and isinstance(piece.get("text"), str):
                    yield "thinking", piece["text"]
        else:
            yield "part", part


def details_text(details: list[Any]) -> str:
    """The readable text in a list of reasoning_details."""
    found = [one for one in details if isinstance(one, dict)]
    return "".join(string(one.get("text")) or string(one.get("summary")) for one in found)


def merge_details(known: list[dict[str, Any]], new: list[Any]) -> None:
    """Append reasoning_details as OpenRouter wants them back: pieces of one text are one entry."""
    for detail in new:
        if not isinstance(detail, dict):
            continue
        last = known[-1] if known else {}
        field = {"reasoning.text": "text", "reasoning.summary": "summary"}.get(string(detail.get("type")))
        same = last.get("type") == detail.get("type") and last.get("index") == detail.get("index")
        if field is None or not same:
            known.append(dict(detail))
            continue
        text = string(last.get(field)) + string(detail.get(field))
        last.update({key: one for key, one in detail.items() if one is not None})
        last[field] = text


def citation(note: dict[str, Any]) -> dict[str, Any]:
    """An annotation (url_citation, nested or flat) as a citation in Anthropic's shape; others stay as they
    are.
    """
    inner = note.get("url_citation") if isinstance(note.get("url_citation"), dict) else note
    if not isinstance(inner, dict) or not isinstance(inner.get("url"), str):
        return note
    found = {"type": "web_search_result_location", "url": inner["url"], "title": inner.get("title")}
    if inner.get("content") is not None:
        found["cited_text"] = inner["content"]
    # Always there, also as None: it says that places are named in the answer, not in a document.
    place = {"start_char_index": inner.get("start_index"), "end_char_index": inner.get("end_index")}
    return {**found, **place}


def usage(counts: dict[str, Any]) -> dict[str, Any]:
    """Chat usage in Anthropic's names: prompt without cache, answer with reasoning."""
    prompt_details = counts.get("prompt_tokens_details")
    answer_details = counts.get("completion_tokens_details")
    prompt_details = prompt_details if isinstance(prompt_details, dict) else {}
    answer_details = answer_details if isinstance(answer_details, dict) else {}
    prompt, answer = _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
    read = _count(prompt_details, "cached_tokens") or _count(counts, "prompt_cache_hit_tokens")
    written = _count(prompt_details, "cache_write_tokens")
    reasoning = _count(answer_details, "reasoning_tokens")
    if reasoning and _count(counts, "total_tokens") == prompt + answer + reasoning:
        answer += reasoning  # xAI counts reasoning beside the answer
    result: dict[str, Any] = {}
    if "prompt_tokens" in counts:
        result["input_tokens"] = max(prompt - read - written, 0)
        result["cache_read_input_tokens"] = read
        result["cache_creation_input_tokens"] = written
    if "completion_tokens" in counts:
        result["output_tokens"] = answer
        result["output_tokens_details"] = {"thinking_tokens": reasoning}
    return result


def _count(counts: dict[str, Any], key: str) -> int:
    value = counts.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def error_of(name: str, value: dict[str, Any]) -> dict[str, Any] | None:
    """The error that a chunk carries, in whichever of the shapes gateways use; None when there is none."""
    error = value.get("error")
    if error:
        if isinstance(error, dict):
            return error
        return {"type": string(value.get("type")), "message": str(error), "code": value.get("code")}
    if name == "error" or value.get("object") == "error" or value.get("type") == "error":
        return value
    if "choices" not in value and "detail" in value:
        return {"type": "", "message": str(value["detail"])}
    return None
