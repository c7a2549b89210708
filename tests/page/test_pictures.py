"""Which pictures of a tool's result are drawn: by their bytes, few, and bounded."""

import base64
from typing import Any

import pytest

from streamrender.page import pictures
from streamrender.page.panes import TurnPage


def image(raw: bytes, said: str = "image/png") -> dict[str, Any]:
    data = base64.b64encode(raw).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": said, "data": data}}


@pytest.mark.parametrize(
    ("raw", "media"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
def test_a_picture_is_what_its_bytes_say(raw: bytes, media: str) -> None:
    (found,) = pictures.pictures_of([image(raw, "text/html")])
    assert found["media_type"] == media


@pytest.mark.parametrize("raw", [b"<svg onload=alert(1)>", b"<html>", b"", b"RIFF\x00\x00\x00\x00WAVE"])
def test_anything_else_is_not_drawn(raw: bytes) -> None:
    assert pictures.pictures_of([image(raw)]) == []


def test_they_are_few_and_bounded() -> None:
    assert len(pictures.pictures_of([image(b"GIF89a")] * 20)) == pictures.MOST
    large = image(b"GIF89a" + bytes(pictures.LARGEST))
    assert len(pictures.pictures_of([large, image(b"GIF89a")])) == 1


@pytest.mark.parametrize("content", [None, "text", 5, [None, "x", {"type": "image"}], {"type": "image"}])
def test_odd_results_have_none(content: Any) -> None:
    assert pictures.pictures_of(content) == []


def test_a_card_has_them_beside_its_text() -> None:
    page = TurnPage()
    content = [image(b"GIF89a"), {"type": "text", "text": "a dot"}]
    page.feed([{"type": "tool_result", "id": "t", "content": content, "is_error": False}])
    (card,) = page.snapshot()["panes"]
    assert (card["result"], [one["media_type"] for one in card["images"]]) == ("a dot", ["image/gif"])
