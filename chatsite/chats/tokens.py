"""Text as tokens for the search index. Pure.

Chinese, Japanese and Korean have no spaces, so their runs become overlapping pairs of signs: two signs are a
usual word, which a trigram index would not find. Each sign is a token of its own too. Other words are folded:
without case, without accents.

The index holds each token behind a tag of its owner: what others wrote is neither found nor walked through.
"""

import re
import unicodedata
from collections.abc import Iterator

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
WORDS = re.compile(f"[{CJK}]+|[^\\W_{CJK}]+")
IS_CJK = re.compile(f"[{CJK}]")
SHORTEST = 2  # letters of a beginning of a word
LONGEST = 100  # letters of a word that the index keeps


def tokens(text: str) -> str:
    """What the index keeps of a text, separated by spaces: in its order, then the single signs.

    >>> tokens("Ice (\u51b0) and \u51b0\u7684\u5bc6\u5ea6")
    'ice \u51b0 and \u51b0\u7684 \u7684\u5bc6 \u5bc6\u5ea6 \u7684 \u5bc6 \u5ea6'
    """
    found = WORDS.findall(text)
    row = [token for word in found for token in _of(word)]
    signs = dict.fromkeys(sign for word in found if IS_CJK.match(word) for sign in word)
    return " ".join([*row, *(sign for sign in signs if sign not in row)])


def tag(owner_id: int) -> str:
    """What stands before every token of an owner: digits and a letter, so that no tag begins another.

    >>> tag(7)
    '000007q'
    """
    return f"{owner_id:06d}q"


def tagged(tokens_: str, owner_id: int) -> str:
    """Tokens as the index has them."""
    mark = tag(owner_id)
    return " ".join(mark + token for token in tokens_.split(" ")) if tokens_ else ""


def words(query: str) -> list[str]:
    """The words that somebody looks for."""
    return [word for found in WORDS.findall(query) if (word := folded(found)[:LONGEST])]


def folded(text: str) -> str:
    """Letters and digits without case and accents.

    >>> folded("Caf\u00e9")
    'cafe'
    """
    if text.isascii() or IS_CJK.match(text):
        return text.casefold()
    return "".join(sign for sign in unicodedata.normalize("NFKD", text.casefold()) if sign.isalnum())


def has_beginnings(query: str) -> bool:
    """Whether a word of the query may be the beginning of a longer one."""
    return any(_may_begin(word) for word in words(query))


def match(query: str, owner_id: int, beginnings: bool) -> str:
    """An FTS5 expression: every word. Empty for a query without words.

    >>> match('Ice "\u5bc6\u5ea6', 7, beginnings=True)
    '"000007qice"* AND "000007q\u5bc6\u5ea6"'
    """
    mark = tag(owner_id)
    return " AND ".join(
        '"' + " ".join(mark + part for part in _parts(word)) + '"' + "*" * (beginnings and _may_begin(word))
        for word in words(query)
    )


def tsquery(query: str, owner_id: int, beginnings: bool) -> str:
    """The same for PostgreSQL, but that the pairs of signs may stand anywhere.

    >>> tsquery('Ice "\u5bc6\u5ea6', 7, beginnings=True)
    "'000007qice':* & '000007q\u5bc6\u5ea6'"
    """
    mark = tag(owner_id)
    return " & ".join(
        f"'{mark}{part}'" + ":*" * (beginnings and _may_begin(word))
        for word in words(query)
        for part in _parts(word)
    )


def _of(word: str) -> Iterator[str]:
    if not IS_CJK.match(word):
        if word := folded(word)[:LONGEST]:
            yield word
    else:
        yield from _parts(word)


def _parts(word: str) -> list[str]:
    """The tokens in a row that a word of a query is."""
    if len(word) == 1 or not IS_CJK.match(word):
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)]


def _may_begin(word: str) -> bool:
    return len(word) >= SHORTEST and not IS_CJK.match(word)
