"""The laws on generated documents, cut at every character and at random."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamrender.markdown import render_live, render_markdown
from tests.markdown import laws
from tests.markdown.documents import DOCUMENTS

quickly = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)


@settings(quickly, max_examples=30)
@given(DOCUMENTS)
def test_every_character(text: str) -> None:
    laws.stream(text, range(1, min(len(text), 400)))


@settings(quickly, max_examples=100)
@given(DOCUMENTS, st.lists(st.integers(0, 600), max_size=6))
def test_random_cuts(text: str, cuts: list[int]) -> None:
    laws.stream(text, sorted(cut for cut in set(cuts) if cut < len(text)))


@settings(quickly, max_examples=60)
@given(DOCUMENTS, st.integers(0, 600))
def test_safe(text: str, cut: int) -> None:
    laws.safe(render_markdown(text))
    laws.safe(render_live(text[:cut]))
