"""Hostile input: recorded vectors, whole and cut anywhere, and texts that make parsers slow."""

import json
import time
from typing import Any

import pytest
from markdown_it.token import Token

from streamrender.markdown import MarkdownStream, live, render_live, render_markdown
from streamrender.markdown.dialect import Dialect
from streamrender.markdown.stream import Engine
from tests.corpus import SECURITY
from tests.markdown import laws
from tests.markdown.pathological import GENERATORS


def vectors() -> list[str]:
    lines = (SECURITY / "xss_vectors.txt").read_text(encoding="utf-8").split("\n")
    found = [json.loads(line) for line in lines if line]
    assert len(found) > 1000
    return found


@pytest.mark.corpus
def test_every_vector_is_safe_when_it_is_complete() -> None:
    for vector in vectors():
        laws.safe(render_markdown(vector.replace("\u241e", "")))


@pytest.mark.corpus
def test_vectors_are_safe_wherever_they_are_cut() -> None:
    for i, vector in enumerate(vectors()):
        text = vector.replace("\u241e", "")
        if "\u241e" in vector or i % 25 == 0:
            for cut in range(1, min(len(text), 80)):
                laws.safe(render_live(text[:cut]))
            laws.stream(text, range(3, min(len(text), 200), 5))


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_slow_texts_keep_the_laws(name: str) -> None:
    text = GENERATORS[name](40)
    laws.stream(text, range(16, len(text), 16))


@pytest.mark.parametrize(
    "name", ["openers without closers", "link openers", "half images", "details", "one word"]
)
def test_the_cost_of_slow_texts_grows_with_their_length(name: str) -> None:
    small, large = (_cost(GENERATORS[name](n)) for n in (200, 800))
    assert large < 10 * max(small, 0.01)


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_an_open_end_is_parsed_seldom_and_not_far(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _parsed(GENERATORS[name](4000)[:20_000], monkeypatch) < 20


def test_an_end_that_is_parsed_with_each_feed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "parsed_length", lambda length: length)
    assert _parsed(GENERATORS["link openers"](4000), monkeypatch) > 20


def _parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """How often each character goes through the inline parser, in feeds of 16."""
    lengths: list[int] = []
    lives = [0]
    parse = Dialect.inline

    def inline(self: Dialect, text: str, env: dict[str, Any]) -> list[Token]:
        lengths.append(len(text))
        lives.append(len(text) if "live" in env else 0)
        return parse(self, text, env)

    monkeypatch.setattr(Dialect, "inline", inline)
    markdown = Engine()
    for i in range(0, len(text), 16):
        markdown.feed(text[i : i + 16])
    markdown.close()
    assert max(lives) <= live.LIMIT
    return sum(lengths) / len(text)


def _cost(text: str) -> float:
    start = time.process_time()
    markdown = MarkdownStream()
    for i in range(0, len(text), 16):
        markdown.feed(text[i : i + 16])
    markdown.close()
    return time.process_time() - start
