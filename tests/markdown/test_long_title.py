"""A paragraph is cut into pieces while it arrives; never inside a link whose end is still to come."""

import pytest

from tests.markdown import laws

TITLE = "a title of many words that goes on (1) and on " * 4


@pytest.mark.parametrize(
    "link", ['[x](https://e.com "{}")', "![`x`](https://e.com/a '{}')", "[x](<https://e.com> ({}))"]
)
def test_a_link_with_a_long_title_stays_whole(link: str) -> None:
    text = "Read " + link.format(TITLE.replace("(1)", "1")) + " to the end of it."
    laws.stream(text, laws.every(text))


def test_a_paragraph_whose_first_line_is_settled_shows_a_second_one_that_looks_like_a_definition() -> None:
    plain = "plain words here, and more. plain words here, and more."
    text = f'\\\n[a]: http://u\n"){plain} | x plain words here.'
    laws.stream(text, laws.every(text))
