"""Text as tokens for the search index. Pure.

Chinese, Japanese and Korean have no spaces, so their runs become overlapping pairs of signs: two signs are a
usual word, which a trigram index would not find. Other words are folded in case.
"""

import re
from collections.abc import Iterator

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
WORDS = re.compile(f"[{CJK}]+|[^\\W_{CJK}]+")
IS_CJK = re.compile(f"[{CJK}]")


def tokens(text: str) -> str:
    """What the index keeps of a text, separated by spaces.

    >>> tokens("Ice (\u51b0) and \u51b0\u7684\u5bc6\u5ea6")
    'ice \u51b0 and \u51b0\u7684 \u7684\u5bc6 \u5bc6\u5ea6 \u5ea6'
    """
    return " ".join(token for word in WORDS.findall(text) for token in _of(word))


def words(query: str) -> list[str]:
    """The words that somebody looks for."""
    return [word.casefold() for word in WORDS.findall(query)]


def match(query: str) -> str:
    """An FTS5 expression: every word, the beginnings of words too. Empty for a query without words.

    >>> match('Ice "\u5bc6\u5ea6')
    '"ice"* AND "\u5bc6\u5ea6"'
    """
    return " AND ".join(_term(word) for word in words(query))


def _of(word: str) -> Iterator[str]:
    if not IS_CJK.match(word):
        yield word.casefold()
        return
    for at in range(len(word)):
        yield word[at : at + 2]


def _term(word: str) -> str:
    if len(word) == 1 or not IS_CJK.match(word):
        return f'"{word}"*'
    pairs = (word[at : at + 2] for at in range(len(word) - 1))
    return f'"{" ".join(pairs)}"'
