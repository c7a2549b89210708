"""Citations as the page lists them: what is cited, where it is, and the words that were quoted.

Providers name them in several shapes (web pages, pages and characters of documents, search results,
grounding); all of it is a stranger's text, and an address that is not http or https is none.
"""

from typing import Any

MOST_SOURCES = 60
LONGEST_QUOTE = 300
LONGEST_TITLE = 200
LONGEST_URL = 2000


def source_of(citation: Any) -> dict[str, Any] | None:
    """{"url": str or null, "title": str, "quote": str}; None where there is nothing to name.

    >>> source_of({"type": "web_search_result_location", "url": "https://a.example/b", "cited_text": "so"})
    {'url': 'https://a.example/b', 'title': '', 'quote': 'so'}
    """
    if not isinstance(citation, dict):
        return None
    url = _text(citation, "url", LONGEST_URL + 1) or _text(citation, "source", LONGEST_URL + 1)
    safe = url if url.startswith(("https://", "http://")) and len(url) <= LONGEST_URL else None
    title = _text(citation, "title", LONGEST_TITLE) or _text(citation, "document_title", LONGEST_TITLE)
    quote = " ".join(_text(citation, "cited_text", 4 * LONGEST_QUOTE).split())
    if len(quote) > LONGEST_QUOTE:
        quote = quote[: LONGEST_QUOTE - 1] + "…"
    if safe is None and not title and not quote:
        return None
    return {"url": safe, "title": title, "quote": quote}


def _text(citation: dict[str, Any], key: str, longest: int) -> str:
    value = citation.get(key)
    return value[:longest] if isinstance(value, str) else ""
