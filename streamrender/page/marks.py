"""Numbered marks where a text cites something, as Markdown of the text itself.

Anthropic gives a cited span as a text block of its own, so a mark stands at the end of its block, before the
white space there: `<sup>[2](<https://a.example/>)</sup>`, without the link where the source has no address.
Being Markdown, marks stream, are copied and are exported like any other word.

Gemini and OpenAI name places afterwards, in text that is shown by then. Their marks come when the block ends,
all at once (places.py). What such a provider cites without naming a place is listed and not marked.
"""

import re
from typing import Any

from streamrender.page.places import placed
from streamrender.page.prose import Prose

CITED_SPANS = frozenset(
    {
        "web_search_result_location",
        "search_result_location",
        "char_location",
        "page_location",
        "content_block_location",
    }
)
_TAIL = re.compile(r"[\s|]*\Z")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


class Marks:
    """The marks of one text block: what is cited, and the end of its text while that may become the last.
    `expected`: the block may cite something, though nothing came yet.
    """

    def __init__(self) -> None:
        self.expected = False
        self._numbers: list[int] = []
        self._places: dict[int, list[int]] = {}
        self._tail = ""
        self._done = ""

    def cite(self, citation: Any, number: int | None) -> None:
        """The block cites source `number` of the list."""
        if not isinstance(citation, dict) or number is None or citation.get("type") not in CITED_SPANS:
            return
        numbers = self._numbers
        if names_places(citation):
            start, end = citation.get("start_char_index", 0), citation["end_char_index"]
            if type(start) is not int or type(end) is not int or not 0 <= start < end:
                return
            numbers = self._places.setdefault(end, [])
        if number not in numbers:
            numbers.append(number)

    def held(self, text: str) -> str:
        """What of the text can be shown now: in a cited block, white space waits for what comes after it."""
        text = self._tail + text
        self._tail = ""
        if (self.expected or self._numbers) and not self._done:
            self._tail = _TAIL.search(text).group()  # type: ignore[union-attr]
            text = text[: len(text) - len(self._tail)]
        return text

    def end(self, pane: Prose) -> str:
        """What ends the block in its pane: marks, then the white space that waited. Code has none."""
        tail, self._tail = self._tail, ""
        if self._numbers and not self._done:
            source = pane.source
            if not source[-1:].isspace() and len(_FENCE.findall(source)) % 2 == 0:
                self._done = mark(self._numbers, pane["citations"])
                return self._done + tail
        return tail

    @property
    def places(self) -> int:
        """How many marks have a place inside the block."""
        return sum(map(len, self._places.values()))

    def placed(self, text: str, sources: list[dict[str, Any]]) -> str:
        """The block's whole text, with a mark at each place that was named."""
        named = sorted(self._places.items())
        return placed(text, [(end, mark(numbers, sources)) for end, numbers in named])

    def replaced(self, text: str) -> str:
        """The provider's final text, with the marks that it has."""
        self._tail = ""
        return marked(text, self._done) if self._done else text


def names_places(citation: dict[str, Any]) -> bool:
    """Whether a citation is of a provider that names places in the text, though this one may have none.
    (Anthropic's own have such indexes too: into the document.)
    """
    return citation.get("type") == "web_search_result_location" and "end_char_index" in citation


def marked(text: str, marks: str) -> str:
    """The text with the marks at its end, before white space."""
    at = _TAIL.search(text).start()  # type: ignore[union-attr]
    return text[:at] + marks + text[at:]


def mark(numbers: list[int], sources: list[dict[str, Any]]) -> str:
    """The mark for these sources (as sources.source_of gives them). Commas keep 7 and 8 from being 78.

    >>> mark([1, 2], [{"url": "https://a.example/b"}, {"url": None}])
    '<sup>[1](<https://a.example/b>), 2</sup>'
    """
    return f"<sup>{', '.join(_linked(number, sources[number - 1]['url']) for number in numbers)}</sup>"


def _linked(number: int, url: str | None) -> str:
    if url is None or not url.isprintable():
        return str(number)
    safe = (
        url.replace("\\", "%5C")
        .replace("<", "%3C")
        .replace(">", "%3E")
        .replace("&", "&amp;")
        .replace("|", "%7C")
    )
    return f"[{number}](<{safe}>)"
