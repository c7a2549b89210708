"""What an MCP tool gave back, as content blocks of Anthropic's shape.

Images that models take stay images; text resources become text under their address; links, sound and other
bytes become one line that says what was there. Structured content is told where no text says the same.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from chatsite.tools.registry import LONGEST_RESULT, ToolOutcome

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
LARGEST_IMAGE = 3_500_000
MOST_IMAGES = 8
Block = dict[str, Any]


def outcome(result: dict[str, Any]) -> ToolOutcome:
    """The outcome of a CallToolResult, given as its JSON."""
    content = result.get("content") or []
    blocks = [block for item in content if (block := _block(item)) is not None]
    structured = result.get("structuredContent")
    if structured is not None and not any(_same(block, structured) for block in blocks):
        blocks.append(_text(json.dumps(structured, ensure_ascii=False, indent=1)))
    failed = bool(result.get("isError"))
    blocks = _bounded(blocks)
    if all(block["type"] == "text" for block in blocks):
        return ToolOutcome("\n".join(block["text"] for block in blocks), is_error=failed)
    return ToolOutcome(blocks, is_error=failed)


def _block(item: dict[str, Any]) -> Block | None:
    kind = item.get("type")
    if kind == "text":
        return _text(str(item.get("text") or ""))
    if kind == "image":
        return _image(item.get("mimeType"), item.get("data"))
    if kind == "audio":
        return _text(f"[sound, {item.get('mimeType')}, {_size(item.get('data'))}, not shown]")
    if kind == "resource_link":
        about = " · ".join(str(item[key]) for key in ("title", "description", "mimeType") if item.get(key))
        return _text(f"{item.get('uri')} {about}".strip())
    if kind == "resource":
        return _resource(item.get("resource") or {})
    return _text(json.dumps(item, ensure_ascii=False))


def _resource(resource: dict[str, Any]) -> Block:
    uri, media = str(resource.get("uri") or ""), resource.get("mimeType")
    if isinstance(resource.get("text"), str):
        return _text(f"{uri}\n{resource['text']}")
    if media in IMAGES:
        return _image(media, resource.get("blob"))
    return _text(f"[{uri}, {media or 'unknown type'}, {_size(resource.get('blob'))}, not shown]")


def _image(media: Any, data: Any) -> Block:
    if media not in IMAGES or not isinstance(data, str) or not _is_base64(data):
        return _text(f"[image, {media}, not shown: models take PNG, JPEG, GIF and WebP]")
    if len(data) > LARGEST_IMAGE:
        return _text(f"[image, {media}, {_size(data)}, too large to be shown]")
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return bool(data)


def _size(data: Any) -> str:
    return f"{len(data) * 3 // 4 if isinstance(data, str) else 0} bytes"


def _same(block: Block, structured: Any) -> bool:
    """True when a text block says what the structured content says."""
    if block["type"] != "text":
        return False
    try:
        value = json.loads(block["text"])
    except ValueError:
        value = block["text"]
    return value in (structured, structured.get("result") if isinstance(structured, dict) else None)


def _bounded(blocks: list[Block]) -> list[Block]:
    kept: list[Block] = []
    left, images = LONGEST_RESULT, MOST_IMAGES
    for block in blocks:
        if block["type"] == "image":
            images -= 1
            kept.append(block if images >= 0 else _text("[one image more, not shown]"))
            continue
        text = block["text"]
        kept.append(block if len(text) <= left else _text(text[:left] + "\n[cut here]"))
        left -= len(text)
        if left <= 0:
            break
    return kept


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
