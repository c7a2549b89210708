"""The cost of streaming Markdown, beside one rendering at once.

Every shape is streamed in 4-character feeds. The columns: seconds of processor time for one `render_markdown`
and for one rendering by markdown-it-py's CommonMark preset with tables (no highlighting, no tree), for the
stream, their ratio, microseconds a feed in the first and the last tenth, bytes of operations against bytes of
final HTML, and peak memory. The last line of a shape is the growth exponent between its two largest sizes;
1.0 is linear.

    python bin/bench_markdown.py [--sizes 10000,100000,1000000] [--shapes prose,fence,...] [--chunk 4]
"""

import argparse
import math
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from markdown_it import MarkdownIt

from streamrender import MarkdownStream, render_markdown

WORDS = [
    "the",
    "model",
    "returns",
    "a",
    "stream",
    "of",
    "tokens",
    "and",
    "each",
    "one",
    "must",
    "be",
    "shown",
    "at",
    "once",
    "while",
    "the",
    "page",
    "stays",
    "still",
    "because",
    "readers",
    "select",
    "text",
    "copy",
    "code",
    "and",
    "follow",
    "links",
    "all",
    "day",
    "long",
]


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
    r = random.Random(3)  # noqa: S311 (the same words every time)
    parts, length = [start], len(start)
    while length < size:
        parts.append(make(r))
        length += len(parts[-1])
    return "".join(parts)


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(shape: str, size: int, chunk: int) -> float:
    text = text_of(shape, size)
    stock = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    plain = timed(lambda: stock.render(text))
    once = timed(lambda: render_markdown(text))
    markdown, sent, feeds = MarkdownStream(), 0, max(len(text) // chunk, 10)
    marks: list[float] = []
    start = time.process_time()
    for i in range(0, len(text), chunk):
        sent += sum(len(op[-1]) for op in markdown.feed(text[i : i + chunk]))
        if i // chunk in (feeds // 10, feeds * 9 // 10):
            marks.append(time.process_time() - start)
    sent += sum(len(op[-1]) for op in markdown.close())
    total = time.process_time() - start
    if markdown.html != render_markdown(text):
        raise SystemExit(f"{shape}, {size}: the stream's page is not the page")
    first, last = marks[0] / (feeds / 10) * 1e6, (total - marks[1]) / (feeds / 10) * 1e6
    tracemalloc.start()
    again = MarkdownStream()
    for i in range(0, min(len(text), 100_000), 64):
        again.feed(text[i : i + 64])
    peak = tracemalloc.get_traced_memory()[1] / min(len(text), 100_000)
    tracemalloc.stop()
    print(
        f"{shape:10} {len(text):8}  once {once:7.3f} s  markdown-it-py {plain:7.3f} s  stream {total:7.2f} s"
        f"  ratio {total / max(once, 1e-4):5.1f}  µs/feed {first:4.0f} → {last:4.0f}"
        f"  ops {sent / len(markdown.html):4.2f} × HTML  memory {peak:4.0f} B/char",
        flush=True,
    )
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of streaming Markdown.")
    parser.add_argument("--sizes", default="10000,100000", help="characters, comma-separated")
    parser.add_argument("--shapes", default=",".join(SHAPES), help="comma-separated")
    parser.add_argument("--chunk", type=int, default=4, help="characters a feed")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    for shape in options.shapes.split(","):
        totals = [measure(shape, size, options.chunk) for size in sizes]
        if len(sizes) > 1:
            growth = math.log(totals[-1] / totals[-2]) / math.log(sizes[-1] / sizes[-2])
            print(f"{shape:10} growth exponent {growth:.2f}")


if __name__ == "__main__":
    main()
