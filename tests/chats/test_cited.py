"""Exports name the sources of what was cited."""

from chatsite.chats.cited import joined, sources
from chatsite.chats.export import _block

URL = "https://a.example/"


def test_a_cited_sentence_is_one_text_with_its_source() -> None:
    note = {"type": "web_search_result_location", "url": URL, "title": "A *title*", "cited_text": "It is so."}
    blocks = [
        {"type": "text", "text": "They say "},
        {"type": "text", "text": "it is so", "citations": [note]},
        {"type": "text", "text": "."},
        {"type": "tool_use", "name": "x"},
        {"type": "text", "text": "alone"},
        {"type": "text", "text": "apart"},
    ]
    first, *rest = joined(blocks)
    assert first["text"] == (
        f"They say it is so<sup>[1](<{URL}>)</sup>.\n\nSources:\n\n1. [A \\*title\\*](<{URL}>): It is so."
    )
    assert rest == blocks[3:]
    assert _block(first) == first["text"]


def test_what_a_source_says_of_itself_is_no_markup() -> None:
    evil = {"url": "https://a.example/)>\n<b>", "title": "](javascript:x) <b>", "quote": ""}
    assert sources([evil]) == "Sources:\n\n1. \\]\\(javascript:x) \\<b\\>".replace("\\(", "(")
    assert sources([]) == ""
