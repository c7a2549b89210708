"""Marks stand where the provider says, change nothing but themselves, and move nothing that is shown."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamrender import Assembler, decode
from streamrender.events import Event
from streamrender.markdown import render_markdown
from streamrender.page import ops
from streamrender.page.changes import apply_changes
from streamrender.page.panes import TurnPage
from streamrender.page.places import placed
from tests.corpus import CORPUS
from tests.page.laws import changes_are_the_difference, cut, cuts_do_not_matter
from tests.page.samples import block, delta, finish, opened, request, start, stop, turn_end

URL = "https://a.example/"
ONE = f"<sup>[1](<{URL}>)</sup>"
SHOWN = re.compile(r"<sup>(?:(?:<a [^>]*>)?\d+(?:</a>)?(?:, )?)+</sup>")


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("Rome is old. So is it.", 11, f"Rome is old{ONE}. So is it."),
        ("罗马很古老。西安也是。", 5, f"罗马很古老{ONE}。西安也是。"),
        ("**罗马很古老**，西安也是。", 7, f"**罗马很古老**{ONE}，西安也是。"),
        ("It is *old*", 10, f"It is *old*{ONE}"),
        ("Ends in space. \n\nMore.", 16, f"Ends in space.{ONE} \n\nMore."),
        ("See [a page](https://b.example/) now.", 20, f"See [a page](https://b.example/) now.{ONE}"),
        ("Call `f(x)` now.", 9, f"Call `f(x)`{ONE} now."),
        ("| a | b |\n|---|---|\n| c | d |\n", 28, f"| a | b |\n|---|---|\n| c | d{ONE} |\n"),
        ("```\ncode\n```\n", 8, "```\ncode\n```\n"),
        ("So.", 99, "So."),
        ("So.", 0, "So."),
    ],
)
def test_a_mark_stands_at_its_place_or_where_it_can(text: str, end: int, expected: str) -> None:
    assert placed(text, [(end, ONE)]) == expected


def test_one_mark_that_cannot_stand_takes_no_other_with_it() -> None:
    text = "First.\n\n```\ncode\n```\n\nLast."
    assert placed(text, [(5, ONE), (14, ONE), (len(text) - 1, ONE)]) == (
        f"First{ONE}.\n\n```\ncode\n```\n\nLast{ONE}."
    )


def test_marks_that_meet_stand_side_by_side_once_each() -> None:
    two = "<sup>2</sup>"
    assert placed("So `it` is.", [(2, ONE), (2, two)]) == f"So{ONE}{two} `it` is."
    text = "Call `f(x, y)`."
    assert placed(text, [(9, ONE), (11, ONE), (10, two)]) == f"{text}{ONE}{two}"


PIECES = [
    "**",
    "*",
    "`",
    "```\n",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "| a |\n|---|\n| ",
    "[x](",
    ")",
    "$",
    "中文。",
    "a b ",
    "<sup>",
    "]",
]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.lists(st.integers(1, 60), max_size=4))
def test_marks_change_nothing_but_themselves(text: str, ends: list[int]) -> None:
    marked = placed(text, [(end, ONE) for end in ends])
    assert marked.replace(ONE, "") == text
    shown = render_markdown(marked)
    mark = render_markdown(ONE).removeprefix("<p>").removesuffix("</p>\n")
    assert shown.count(mark) == marked.count(ONE)
    assert shown.replace(mark, "") == render_markdown(text)


def note(index: int, end: Any, url: str = URL, begin: int = 0) -> Event:
    citation = {
        "type": "web_search_result_location",
        "url": url,
        "start_char_index": begin,
        "end_char_index": end,
    }
    return {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": "citations_delta", "citation": citation},
    }


def turn(*events: Event) -> list[Event]:
    return [request(), start(), *events, *finish(), turn_end()]


def test_marks_come_when_the_block_ends_and_leave_the_rest_alone() -> None:
    page = TurnPage()
    text = "First **one**.\n\nSecond one.\n\nThird."
    page.feed([request(), start(), opened(0, "text", text=""), delta(0, "text", text), note(0, 27)])
    before = page.snapshot()["panes"][0]
    assert "<sup>" not in before["html"]
    changes = page.feed([stop(0)])
    after = page.snapshot()["panes"][0]
    assert after["markdown"] == text[:27] + ONE + text[27:]
    (changed,) = [change for change in changes if change[0] == "ops"]
    assert ops.apply_html(before["html"], changed[2]) == after["html"]
    # What was read is not sent again.
    assert "First" not in json.dumps(changed)
    assert "Third" not in json.dumps(changed)


def test_text_that_comes_after_its_marks_and_late_marks_are_in_their_places() -> None:
    page = TurnPage()
    page.feed(turn(*block(0, "text", "One. Two."), note(0, 3), note(0, 8, "https://b.example/", 5)))
    pane = page.snapshot()["panes"][0]
    assert pane["markdown"] == f"One{ONE}. Two<sup>[2](<https://b.example/>)</sup>."


def test_the_final_text_of_the_provider_gets_the_marks() -> None:
    final = {"type": "block_final", "index": 0, "block": {"type": "text", "text": "One. Three."}}
    for events in (
        [*block(0, "text", "One. Two.")[:-1], note(0, 3), final, stop(0)],
        [*block(0, "text", "One. Two.")[:-1], note(0, 3), stop(0), final],
    ):
        page = TurnPage()
        page.feed(turn(*events))
        assert page.snapshot()["panes"][0]["markdown"] == f"One{ONE}. Three."


@pytest.mark.parametrize("end", [None, 0, -3, True, "9", 10_000])
def test_a_place_that_is_none_is_listed_only(end: Any) -> None:
    page = TurnPage()
    page.feed(turn(*block(0, "text", "One. Two.")[:-1], note(0, end), stop(0)))
    pane = page.snapshot()["panes"][0]
    assert (pane["markdown"], len(pane["citations"])) == ("One. Two.", 1)


def streams() -> list[str]:
    """Recorded answers that name places."""
    found = [
        *CORPUS.glob("gemini/pydantic-ai/test_google_model_*search*.sse"),
        *CORPUS.glob("gemini/firebase/*url-context.sse"),
        *CORPUS.glob("openai-responses/*/*web-search*.sse"),
        *CORPUS.glob("openai-responses/pydantic-ai/test_openai_include_raw_annotations_streaming*.sse"),
    ]
    return sorted(str(path.relative_to(CORPUS)) for path in found)


@pytest.mark.corpus
@pytest.mark.parametrize("path", streams())
def test_recorded(path: str) -> None:
    decoder = decode(Path(path).parts[0])
    wire = [*decoder.feed((CORPUS / path).read_bytes()), *decoder.close()]
    events = [{**event, "at": at} for at, event in enumerate([request(), *wire, turn_end()])]
    parts = cut(events, range(0, len(events), 7))
    changes_are_the_difference(TurnPage(), parts, apply_changes)
    cuts_do_not_matter(TurnPage, events, parts)
    page, message = TurnPage(), Assembler()
    page.feed(events)
    for event in wire:
        message.feed(event)
    texts = [one for one in message.to_dict()["content"] if one["type"] == "text" and one["text"].strip()]
    panes = [pane for pane in page.snapshot()["panes"] if pane["kind"] == "text"]
    assert len(panes) == len(texts)
    for pane, text in zip(panes, texts, strict=True):
        assert SHOWN.sub("", pane["html"]) == render_markdown(text["text"])
        ends = {one["end_char_index"] for one in text.get("citations", []) if one.get("end_char_index")}
        plain = text["text"]
        for end in sorted(ends):
            # Behind what is cited, or behind the signs that close it.
            words = re.escape(plain[max(0, end - 12) : end].rstrip())
            assert re.search(words + r"[*_)\]]*(?:<sup>|\Z)", pane["markdown"]), plain[:end][-40:]
