"""Long texts of six shapes, always the same ones, for benchmarks: a parser or a page that is linear in one
shape may be quadratic in another.
"""

import random
from collections.abc import Callable

TEXT = (
    "the model returns a stream of tokens and each one must be shown at once while the page stays still "
    "because readers select text copy code and follow links all day long"
)
WORDS = TEXT.split()


def sentence(r: random.Random, words: int = 12) -> str:
    return " ".join(r.choice(WORDS) for _ in range(words)).capitalize() + ". "


def prose(r: random.Random) -> str:
    kind = r.random()
    word = r.choice(WORDS)
    if kind < 0.15:
        return f"## {sentence(r, 4)}\n\n"
    if kind < 0.5:
        marked = f"It is **{word} {r.choice(WORDS)}** and `{word}()` with [a link](https://e.com/{word}). "
        return f"{sentence(r)}{marked}{sentence(r)}\n\n"
    if kind < 0.7:
        items = (
            f"- {sentence(r, 7)}\n" + (f"  - {sentence(r, 5)}\n" if r.random() < 0.4 else "")
            for _ in range(5)
        )
        return "".join(items) + "\n"
    if kind < 0.85:
        return "```python\n" + "".join(f"def {word}(x):\n    return x + {i}\n" for i in range(6)) + "```\n\n"
    if kind < 0.93:
        rows = "".join(f"| {r.choice(WORDS)} | `{r.choice(WORDS)}` |\n" for _ in range(5))
        return f"| a | b |\n|---|---|\n{rows}\n"
    return f"> {sentence(r)}\n> {sentence(r)}\n\n"


def code(r: random.Random) -> str:
    return f"    value_{r.randint(0, 99)} = compute({r.randint(0, 99)}, 'text')  # {r.choice(WORDS)}\n"


def item(r: random.Random) -> str:
    nested = f"  - {sentence(r, 6)}\n" if r.random() < 0.4 else ""
    return f"- {sentence(r, 8)}**{r.choice(WORDS)}**\n{nested}"


def row(r: random.Random) -> str:
    return f"| {r.choice(WORDS)} | **{r.choice(WORDS)}** | `{r.choice(WORDS)}` |\n"


def quote(r: random.Random) -> str:
    return f"> {sentence(r)}" + ("\n>\n" if r.random() < 0.2 else "\n")


def paragraph(r: random.Random) -> str:
    marked = f"It is **{r.choice(WORDS)}** and `{r.choice(WORDS)}`. " if r.random() < 0.5 else ""
    return sentence(r) + marked


SHAPES: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "prose": ("", prose),
    "fence": ("```python\n", code),
    "list": ("", item),
    "table": ("| a | b | c |\n|---|---|---|\n", row),
    "quote": ("", quote),
    "paragraph": ("", paragraph),
}


def text_of(shape: str, size: int) -> str:
    """About `size` characters of a shape, always the same."""
    start, make = SHAPES[shape]
    r = random.Random(3)
    parts, length = [start], len(start)
    while length < size:
        parts.append(make(r))
        length += len(parts[-1])
    return "".join(parts)
