"""A carriage return waits for what follows: it may be half of one line end, or a line end of its own."""

import pytest

from tests.markdown import laws

TEXTS = [
    "foo\rbar",
    "foo\r  \nbar",
    "foo\r\nbar\r\n\r\nbaz",
    "foo\r\rbar",
    "      code\rmore",
    "```\ncode\rmore\r```\rafter",
    "- one\rtwo\r\r- three\r",
    "| a |\r|---|\r| b |\rc",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_cut_gives_the_same_lines(text: str) -> None:
    laws.stream(text, laws.every(text))
    for cut in laws.every(text):
        laws.stream(text, [cut])
