"""Pictures in what a tool gave back, as the page may draw them.

A stranger's bytes: only PNG, JPEG, GIF and WebP, told by how the bytes begin and never by what is said about
them, few and of a bounded size. All others are left out.
"""

import base64
import binascii
from typing import Any

MOST = 8
LARGEST = 2_000_000
"""Characters of base64 of one picture, and of all of one result."""
_BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_BEGINNINGS |= {b"GIF87a": "image/gif", b"GIF89a": "image/gif"}


def pictures_of(content: Any) -> list[dict[str, str]]:
    """[{"media_type", "data": base64}] of the image blocks in a result's content, in order."""
    found: list[dict[str, str]] = []
    left = LARGEST
    for block in content if isinstance(content, list) else [content]:
        if not isinstance(block, dict) or not is_picture(block):
            continue
        data = block["source"]["data"]
        media = media_type(data) if len(data) <= left else None
        if media is not None and len(found) < MOST:
            left -= len(data)
            found.append({"media_type": media, "data": data})
    return found


def is_picture(block: dict[str, Any]) -> bool:
    """True for an image block that brings its bytes."""
    source = block.get("source")
    return block.get("type") == "image" and isinstance(source, dict) and isinstance(source.get("data"), str)


def media_type(data: str) -> str | None:
    """What base64 text holds by its first bytes; None for what is no picture, or no base64.

    >>> media_type("R0lGODlhAQABAAAAADs="), media_type("PHN2Zy8+")
    ('image/gif', None)
    """
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp"
    return next((media for beginning, media in _BEGINNINGS.items() if raw.startswith(beginning)), None)
