"""The cost of streaming Markdown, beside one rendering at once by markdown-it-py and beside peers.

    bin/bench markdown [--quick] [--shapes prose,fence,...] [--hostile] [--peers] [--fail]

Six shapes, each at 10 kB, 100 kB and 1 MB (`--quick`: without the last), in 4-character feeds. Columns:
seconds of processor time for the stream, how many times that of one rendering by stock markdown-it-py and by
`render_markdown`, microseconds a feed in the first and the last tenth, bytes of operations against bytes of
final HTML, peak memory in bytes a character (page tree included, of a coarser stream of at most 100 kB),
and the growth exponent from the size before; 1.0 is linear. Each has its limit and a mark. The limit of a
fence is against `render_markdown`, since the stock parser colours nothing.

`--hostile` streams the texts of tests/markdown/pathological.py in 64-character feeds at 12,500, 25,000 and
50,000 repetitions and prints how the time grows: twice the text may take three times as long; a quadratic
parser takes four. `--peers` runs JavaScript libraries from npm on 10 kB of each shape. `--fail` makes a miss
an error.
"""

import argparse
import gc
import json
import math
import shutil
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from markdown_it import MarkdownIt  # noqa: E402

from streamrender import MarkdownStream, render_markdown  # noqa: E402
from tests.markdown.pathological import GENERATORS  # noqa: E402
from tests.markdown.shapes import SHAPES, text_of  # noqa: E402

SIZES = (10_000, 100_000, 1_000_000)
CHUNK = 4
RATIO, FENCE_RATIO, GROWTH, OPS, LATER, MEMORY = 15.0, 3.0, 1.1, 2.0, 2.0, 100.0
"""Limits: against one rendering, in a fence, exponent, operations / HTML, last / first feed, bytes."""
HOSTILE = (12_500, 25_000, 50_000)
HOSTILE_GROWTH, FLOOR = 3.0, 0.05

PEERS = {
    "streaming-markdown": "0.2.15",
    "@incremark/core": "0.3.10",
    "streamdown": "2.7.1",
    "react": "19.3.1",
    "react-dom": "19.3.1",
    "remark-parse": "11.0.0",
    "remark-rehype": "11.1.2",
    "unified": "11.0.5",
    "marked": "18.2.1",
    "markdown-it": "15.0.3",
    "remend": "1.4.0",
}
"""The libraries, and what streamdown's own pipeline is put together from."""
NODE = """
import { readFileSync } from "node:fs";
import * as smd from "streaming-markdown";
import { createIncremarkParser } from "@incremark/core";
import { defaultRehypePlugins, defaultRemarkPlugins, parseMarkdownIntoBlocks } from "streamdown";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { marked } from "marked";
import MarkdownIt from "markdown-it";
import remend from "remend";
const silent = { add_token() {}, end_token() {}, add_text() {}, set_attr() {}, data: null };
const it = new MarkdownIt();
const again = (render) => () => { let all = ""; return (more) => { all += more; render(all); }; };
const pipeline = unified()
  .use(remarkParse).use(Object.values(defaultRemarkPlugins))
  .use(remarkRehype, { allowDangerousHtml: true }).use(Object.values(defaultRehypePlugins))
  .freeze();
const peers = {
  "streaming-markdown": () => { const p = smd.parser(silent); return (more) => smd.parser_write(p, more); },
  "incremark": () => { const p = createIncremarkParser({ gfm: true }); return (more) => p.append(more); },
  "streamdown": () => {
    let all = "", before = [];
    return (more) => {
      const blocks = parseMarkdownIntoBlocks(remend((all += more)));
      blocks.forEach((block, i) => {
        if (block !== before[i]) pipeline.runSync(pipeline.parse(block), block);
      });
      before = blocks;
    };
  },
  "marked": again((all) => marked.parse(all)),
  "markdown-it": again((all) => it.render(all)),
  "remend": again((all) => remend(all)),
};
const found = {};
for (const [shape, text] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  for (const [name, make] of Object.entries(peers)) {
    const feed = make();
    const start = process.cpuUsage();
    for (let i = 0; i < text.length; i += 4) feed(text.slice(i, i + 4));
    const { user, system } = process.cpuUsage(start);
    (found[shape] ??= {})[name] = (user + system) / 1e6;
  }
}
console.log(JSON.stringify(found));
"""


class Marks:
    """Counts what missed its limit."""

    def __init__(self) -> None:
        self.missed = 0

    def __call__(self, value: float, limit: float) -> str:
        self.missed += value > limit
        return f"(≤ {limit:g}) {'MISS' if value > limit else 'ok'}"


def timed(work: Callable[[], object]) -> float:
    gc.collect()  # what was measured before is not to be paid for here
    start = time.process_time()
    work()
    return max(time.process_time() - start, 1e-4)


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[i : i + size] for i in range(0, len(text), size))


def memory(text: str) -> float:
    """Peak bytes a character that the stream needs beside the text and its own page."""
    tracemalloc.start()
    markdown = MarkdownStream()
    for piece in pieces(text, 256):
        markdown.feed(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(text)


def measure(shape: str, size: int, before: float, mark: Marks) -> float:
    """One row; seconds of the stream. `before`: those of a tenth of the size, 0 for none."""
    text = text_of(shape, size)
    stock = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    plain = timed(lambda: stock.render(text))
    once = timed(lambda: render_markdown(text))
    markdown, sent, marks = MarkdownStream(), 0, []
    feeds = list(pieces(text, CHUNK))
    tenth = len(feeds) // 10
    gc.collect()
    start = time.process_time()
    for i, piece in enumerate(feeds):
        sent += sum(len(op[-1]) for op in markdown.feed(piece))
        if i in (tenth, len(feeds) - tenth):
            marks.append(time.process_time() - start)
    ended = time.process_time() - start
    sent += sum(len(op[-1]) for op in markdown.close())
    total = time.process_time() - start
    html = render_markdown(text)
    if markdown.html != html:
        raise SystemExit(f"{shape}, {size}: the stream's page is not the page")
    first, last = marks[0] / tenth * 1e6, (ended - marks[1]) / tenth * 1e6
    ratio, operations, peak = total / plain, sent / len(html), memory(text[:100_000])
    growth = math.log10(total / before) if before else 0.0
    against_stock, against_own = f"{ratio:5.1f} × stock", f"{total / once:5.1f} × own"
    if shape == "fence":
        against_own += f" {mark(total / once, FENCE_RATIO)}"
    else:
        against_stock += f" {mark(ratio, RATIO)}"
    columns = [
        f"{shape:10} {len(text):8}",
        f"{total:7.2f} s",
        against_stock,
        against_own,
        f"µs/feed {first:4.0f} → {last:4.0f} {mark(last / max(first, 1), LATER)}",
        f"ops {operations:4.2f} × HTML {mark(operations, OPS)}",
        f"memory {peak:4.0f} B/char {mark(peak, MEMORY)}",
        *([f"growth {growth:.2f} {mark(growth, GROWTH)}"] if before else []),
    ]
    print("  ".join(columns), flush=True)
    return total


def hostile(mark: Marks) -> None:
    """How the time of each hostile text grows."""
    for name, make in sorted(GENERATORS.items()):
        times = []
        for count in HOSTILE:
            markdown, text = MarkdownStream(), make(count)

            def run(markdown: MarkdownStream = markdown, text: str = text) -> None:
                for piece in pieces(text, 64):
                    markdown.feed(piece)
                markdown.close()

            times.append(timed(run))
        worst = max(b / max(a, FLOOR) for a, b in pairwise(times))
        shown = " ".join(f"{seconds:7.2f}" for seconds in times)
        print(f"{name:28} {shown} s  at most × {worst:4.1f} {mark(worst, HOSTILE_GROWTH)}", flush=True)


def peers(shapes: list[str]) -> None:
    """Seconds of processor time of JavaScript libraries for 10 kB of each shape."""
    folder = ROOT / ".cache" / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"type": "module", "dependencies": PEERS}))
    (folder / "run.js").write_text(NODE)
    subprocess.run(  # noqa: S603 - our own command
        [shutil.which("npm") or "npm", "install", "--silent", "--no-audit", "--legacy-peer-deps"],
        cwd=folder,
        check=True,
        timeout=300,
    )
    texts = json.dumps({shape: text_of(shape, SIZES[0]) for shape in shapes})
    done = subprocess.run(  # noqa: S603 - our own command
        [shutil.which("node") or "node", "run.js"],
        cwd=folder,
        input=texts,
        capture_output=True,
        text=True,
        check=True,
    )
    print("peers, 10 kB, seconds; the last three start again at each feed, so that 100 kB costs 100 times")
    for shape, found in json.loads(done.stdout).items():
        markdown = MarkdownStream()
        ours = timed(lambda: [markdown.feed(piece) for piece in pieces(text_of(shape, SIZES[0]), CHUNK)])  # noqa: B023
        rows = {"ours (Python)": ours, **found}
        print(f"{shape:10} " + "  ".join(f"{name} {seconds:.2f}" for name, seconds in rows.items()))


def main() -> None:
    parser = argparse.ArgumentParser(prog="bin/bench markdown", description="The cost of streaming Markdown.")
    parser.add_argument("--quick", action="store_true", help="without 1 MB")
    parser.add_argument("--shapes", default=",".join(SHAPES), help="comma-separated; empty for none")
    parser.add_argument("--hostile", action="store_true", help="texts that make parsers slow, too")
    parser.add_argument("--peers", action="store_true", help="JavaScript libraries from npm, too")
    parser.add_argument("--fail", action="store_true", help="exit with 1 when a limit is missed")
    options = parser.parse_args()
    mark, shapes = Marks(), [shape for shape in options.shapes.split(",") if shape]
    for shape in shapes:
        before = 0.0
        for size in SIZES[:2] if options.quick else SIZES:
            before = measure(shape, size, before, mark)
    if options.peers:
        peers(shapes or list(SHAPES))
    if options.hostile:
        hostile(mark)
    print(f"{mark.missed} limits missed")
    if options.fail and mark.missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
