"""The examples of CommonMark 0.31.2, fetched from the npm package `commonmark-spec` into .cache/ when first
asked for.
"""

import re
from functools import cache

from tests.npm import packed

VERSION = "0.31.2"

_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n(.*?)^`{32}$", re.M | re.S)


@cache
def examples() -> list[tuple[str, str]]:
    """(Markdown, HTML) of every example, in the order of the specification."""
    return _extract(packed("commonmark-spec", VERSION, "spec.txt"))


def _extract(text: str) -> list[tuple[str, str]]:
    found = [(m[1].replace("→", "\t"), m[2].replace("→", "\t")) for m in _EXAMPLE.finditer(text)]
    if len(found) != 652:
        raise RuntimeError(f"expected 652 examples, found {len(found)}")
    return found
