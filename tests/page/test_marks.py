"""Numbered marks stand at the end of what is cited, however the stream is cut."""

import pytest

from streamrender.events import Event
from streamrender.page.panes import TurnPage

A, B = "https://a.example/x?y=1&z=2", "https://b.example/"


def cited(index: int, text: str, *urls: str, kind: str = "web_search_result_location") -> list[Event]:
    """A text block that cites these addresses, told before its text as Anthropic does."""
    notes = [{"type": kind, "url": url, "cited_text": "quoted"} for url in urls]
    block = {"type": "text", "text": "", **({"citations": []} if urls else {})}
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *(
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "citations_delta", "citation": note},
            }
            for note in notes
        ),
        *(
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": letter}}
            for letter in text
        ),
        {"type": "content_block_stop", "index": index},
    ]


def page_of(*events: Event, alone: bool = False) -> dict[str, str]:
    page = TurnPage()
    for piece in [[event] for event in events] if alone else [list(events)]:
        page.feed(piece)
    panes = page.snapshot()["panes"]
    assert len(panes) == 1
    pane: dict[str, str] = panes[0]
    return pane


@pytest.mark.parametrize("alone", [False, True])
def test_a_mark_follows_the_last_word(alone: bool) -> None:
    events = [*cited(0, "First.\n\n", A), *cited(1, "Second", A, B), *cited(2, " and more.")]
    pane = page_of(*events, alone=alone)
    one = f"[1](<{A.replace('&', '&amp;')}>)"
    assert pane["markdown"] == (f"First.<sup>{one}</sup>\n\nSecond<sup>{one}, [2](<{B}>)</sup> and more.")
    assert pane["html"].count('<sup><a href="https://a.example/x?y=1&amp;z=2"') == 2
    assert pane["html"].count("<p>") == 2


def test_a_table_row_is_marked_in_its_last_cell() -> None:
    pane = page_of(*cited(0, "| a |\n|---|\n"), *cited(1, "| b |\n", B), *cited(2, "| c |"))
    assert "<td>b<sup><a" in pane["html"]
    assert "<td>c</td>" in pane["html"]


def test_code_is_not_marked() -> None:
    pane = page_of(*cited(0, "```\nb", B), *cited(1, "\n```"))
    assert pane["markdown"] == "```\nb\n```"


def test_what_is_cited_without_a_place_is_listed_only() -> None:
    pane = page_of(*cited(0, "So it is. ", A, kind="gemini_grounding"))
    assert pane["markdown"] == "So it is. "
    assert len(pane["citations"]) == 1


def test_a_source_without_address_has_a_number_without_link() -> None:
    pane = page_of(*cited(0, "So", "javascript:alert(1)", kind="page_location"))
    assert pane["markdown"] == "So<sup>1</sup>"


def test_an_address_cannot_leave_its_link() -> None:
    pane = page_of(*cited(0, "So", "https://a.example/>)<b>**x**</b>\\"))
    assert "<b>" not in pane["html"]
    assert "<strong>" not in pane["html"]
    assert pane["html"].count("<a ") == 1


def test_the_final_text_keeps_its_marks() -> None:
    final = {"type": "block_final", "index": 0, "block": {"type": "text", "text": "So it was.\n"}}
    pane = page_of(*cited(0, "So it is.\n", B), final)
    assert pane["markdown"] == f"So it was.<sup>[1](<{B}>)</sup>\n"
