"""Cited sources stand beside the text that names them, each once and in order."""

from pathlib import Path
from typing import Any

import pytest

from streamrender import decode
from streamrender.page.panes import TurnPage
from streamrender.page.sources import source_of
from tests.corpus import CORPUS


def _cited(path: Path, wire: str) -> list[dict[str, Any]]:
    page, decoder = TurnPage(), decode(wire)
    page.feed([{"type": "request_started", "round": 1, "provider": "", "wire": wire, "model": ""}])
    page.feed([*decoder.feed(path.read_bytes()), *decoder.close()])
    panes = page.snapshot()["panes"]
    return [source for pane in panes for source in pane.get("citations", [])]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("wire", "found"),
    [
        ("anthropic", "anthropic/ruby_llm/chat_web_search*.sse"),
        ("gemini", "gemini/pydantic-ai/test_google_model_web_search_tool_stream.1.sse"),
    ],
)
def test_recorded_citations_become_sources(wire: str, found: str) -> None:
    streams = sorted(CORPUS.glob(found))
    sources = [source for path in streams for source in _cited(path, wire)]
    assert sources
    assert all(one["url"] is None or one["url"].startswith("http") for one in sources)
    assert any(one["title"] and one["quote"] for one in sources)


def test_an_address_that_is_no_web_page_is_no_link() -> None:
    assert source_of({"url": "javascript:alert(1)", "title": "x"}) == {"url": None, "title": "x", "quote": ""}
    assert source_of({"type": "page_location"}) is None


def test_a_source_is_listed_once_and_waits_for_its_text() -> None:
    page = TurnPage()
    note = {"type": "citations_delta", "citation": {"url": "https://a.example/", "cited_text": "so"}}
    page.feed(
        [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "citations": []}},
            {"type": "content_block_delta", "index": 0, "delta": note},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "so"}},
            {"type": "content_block_delta", "index": 0, "delta": note},
        ]
    )
    (pane,) = page.snapshot()["panes"]
    assert pane["citations"] == [{"url": "https://a.example/", "title": "", "quote": "so"}]
