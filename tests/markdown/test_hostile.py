"""Hostile input: recorded vectors, whole and cut anywhere, and texts that make parsers slow."""

import json
import time

import pytest

from streamrender.markdown import MarkdownStream, render_live, render_markdown
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


def _cost(text: str) -> float:
    start = time.process_time()
    markdown = MarkdownStream()
    for i in range(0, len(text), 16):
        markdown.feed(text[i : i + 16])
    markdown.close()
    return time.process_time() - start
