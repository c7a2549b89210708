"""What a long answer and a long conversation cost the reader's browser, in a real Chromium.

    bin/bench page [--shapes prose,fence,...] [--size 1000000] [--turns 300] [--rate 20000] [--fail]

The real page (templates, styles, scripts, security policy) with a socket that plays an answer: `rate`
characters a second, 200 feeds a second, in frames of 33 ms as the server sends them. The operations are made
beforehand. Columns: the longest task of the main thread and how many were over 50 ms (time on the clock, so
that a busy machine counts too), the 99th percentile of the time between drawn frames, how often the end was
out of sight in one, layout shift, heap after a collection at a fifth and at the end less the answer's own
text, processor time, nodes. Then the opening of a conversation of `turns` turns: processor time of the main
thread until the page has been drawn.

The limits are the product's budgets. `--fail` makes a miss an error.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "chatsite.settings"
os.environ.setdefault("STREAMRENDER_DATA", tempfile.mkdtemp(prefix="streamrender-bench-"))
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

import django  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

django.setup()

from streamrender import MarkdownStream, render_markdown  # noqa: E402
from tests.browser.conftest import FLAGS, chromium  # noqa: E402
from tests.js import pages  # noqa: E402
from tests.js.stage import Stage, snapshot, turn_id  # noqa: E402
from tests.markdown.shapes import SHAPES, text_of  # noqa: E402

FRAME = 1 / 30
LONG_TASK, OPENING, SHIFT, HEAP = 50, 1000, 0.01, 1.5

WATCH = """
window.tasks = [];
window.shift = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.tasks.push(duration);
}).observe({ type: "longtask", buffered: true });
new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries())
  if (!hadRecentInput) window.shift += value; }).observe({ type: "layout-shift", buffered: true });
"""

# A socket that says welcome and nothing else until it is told what to play.
SOCKET = """
const Played = class extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  bufferedAmount = 0;
  constructor() {
    super();
    window.played = this;
    setTimeout(() => { this.readyState = 1; this.#tell("open", new Event("open")); }, 0);
  }
  send(text) {
    const { type, n } = JSON.parse(text);
    if (type === "hello") this.hear('{"type":"welcome","v":1,"heartbeat":15,"process":"bench"}');
    if (type === "ping") this.hear(JSON.stringify({ type: "pong", n }));
  }
  hear(data) { this.#tell("message", new MessageEvent("message", { data })); }
  close() {}
  #tell(type, event) { this.dispatchEvent(event); this[`on${type}`]?.(event); }
};
// Nothing that comes later puts another one in its place.
Object.defineProperty(window, "WebSocket", { get: () => Played, set() {} });
window.play = (frames, every) => new Promise((done) => {
  const scroller = document.getElementById("thread");
  const took = [];
  let lost = 0, running = true, last = performance.now(), i = 0;
  const look = () => {
    const now = performance.now();
    took.push(now - last);
    last = now;
    if (scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop > 4) lost += 1;
    if (running) requestAnimationFrame(look);
    else done({ took, lost });
  };
  requestAnimationFrame(look);
  const begun = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(frames.length, Math.ceil((performance.now() - begun) / every));
    if (i < due) window.played.hear(frames[i++]);
    if (i === frames.length) { clearInterval(timer); running = false; }
  }, every / 4);
});
"""

DRAWN = """
new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
"""
DISTANCE = """
(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(
  document.getElementById("thread"))
"""


def mark(value: float, limit: float) -> str:
    return "ok" if value <= limit else "MISS"


class Figures:
    """Chromium's own counters."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self) -> dict[str, float]:
        found = self.session.send("Performance.getMetrics")["metrics"]
        return {one["name"]: one["value"] for one in found}

    def heap(self) -> float:
        """Megabytes of JavaScript in use, after a collection."""
        self.session.send("HeapProfiler.collectGarbage")
        return self.now()["JSHeapUsedSize"] / 1e6


def frames_of(text: str, rate: int) -> list[str]:
    """The frames that the server would send for an answer that grows so fast; 200 feeds a second."""
    markdown, frames = MarkdownStream(), []
    feed = max(1, rate // 200)
    per_frame = max(1, round(200 * FRAME))
    pieces = [text[i : i + feed] for i in range(0, len(text), feed)]
    for rev, i in enumerate(range(0, len(pieces), per_frame)):
        more = "".join(pieces[i : i + per_frame])
        ops = markdown.feed(more)
        changes: list[Any] = [["grow", "1.1", "markdown", more]]
        if ops:
            changes.insert(0, ["ops", "1.1", ops])
        about = {"type": "ops", "turn": turn_id(1), "epoch": f"{turn_id(1)}:1", "from": rev, "to": rev + 1}
        frames.append(json.dumps({**about, "changes": changes}))
    return frames


def open_stage(browser: Browser) -> Stage:
    context = browser.new_context(viewport={"width": 1200, "height": 800}, locale="en")
    context.add_init_script(WATCH + SOCKET)
    context.set_default_timeout(600_000)
    return Stage(context.new_page())


def streamed(browser: Browser, shape: str, size: int, rate: int) -> bool:
    """Play one answer; whether it kept all limits."""
    frames = frames_of(text_of(shape, size), rate)
    stage = open_stage(browser)
    live = {"turn": pages.live(), "panes": [pages.text("", state="live", markdown="")]}
    stage.converse([snapshot(1, live)]).open("/c/1/")
    stage.until("window.played?.readyState === 1")
    page, figures = stage.page, Figures(stage.page)
    fifth = len(frames) // 5
    play = "async ([frames, every]) => await window.play(frames, every)"
    page.evaluate(play, [frames[:fifth], 1000 * FRAME])
    before = figures.heap() - size / 5e6
    page.evaluate("window.tasks.length = 0")
    start = figures.now()
    found = page.evaluate(play, [frames[fifth:], 1000 * FRAME])
    end = figures.now()
    after = figures.heap() - size / 1e6
    tasks, shift = page.evaluate("[window.tasks, window.shift]")
    worst = max(tasks, default=0)
    took = sorted(found["took"])
    p99 = took[int(len(took) * 0.99)]
    spent = {
        name: end[f"{name}Duration"] - start[f"{name}Duration"]
        for name in ("Script", "Layout", "RecalcStyle")
    }
    ok = worst <= LONG_TASK and not found["lost"] and shift <= SHIFT and after <= before * HEAP + 1
    print(
        f"{shape:10} {size:8}  longest task {worst:4.0f} ms ({len(tasks)} over 50) {mark(worst, LONG_TASK)}"
        f"  frame p99 {p99:4.0f} ms  end lost {found['lost']} {mark(found['lost'], 0)}"
        f"  shift {shift:.3f} {mark(shift, SHIFT)}"
        f"  heap {before:.1f} → {after:.1f} MB {mark(after, before * HEAP + 1)}"
        f"  script {spent['Script']:.1f} s layout {spent['Layout']:.1f} s style {spent['RecalcStyle']:.1f} s"
        f"  nodes {end['Nodes']:.0f}",
        flush=True,
    )
    page.context.close()
    return ok


def opened(browser: Browser, turns: int) -> bool:
    """Open a conversation of so many turns; whether it kept its limit."""
    made = []
    for n in range(1, turns + 1):
        text = text_of("prose", 3000 + 37 * n)[37 * n :]
        panes = [pages.text(render_markdown(text), markdown=text)]
        made.append(snapshot(n, {"turn": pages.turn(), "panes": panes}, parent=n - 1 or None))
    stage = open_stage(browser)
    stage.converse(made)
    figures = Figures(stage.page)
    stage.open("/c/1/")
    stage.until("window.played?.readyState === 1")
    stage.page.evaluate(DRAWN)
    end = figures.now()
    spent = 1000 * end["TaskDuration"]
    at_end = stage.page.evaluate(DISTANCE)
    ok = spent <= OPENING and at_end <= 4
    print(
        f"opening {turns} turns: {spent:.0f} ms of main thread {mark(spent, OPENING)}"
        f" (script {1000 * end['ScriptDuration']:.0f}, layout {1000 * end['LayoutDuration']:.0f},"
        f" style {1000 * end['RecalcStyleDuration']:.0f})  from the end {at_end:.0f} px {mark(at_end, 4)}"
        f"  nodes {end['Nodes']:.0f}",
        flush=True,
    )
    stage.page.context.close()
    return ok


def main() -> None:
    parser = argparse.ArgumentParser(prog="bin/bench page", description=__doc__)
    parser.add_argument("--shapes", default=",".join(SHAPES), help="comma-separated; empty for none")
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of each answer")
    parser.add_argument("--rate", type=int, default=20_000, help="characters a second")
    parser.add_argument("--turns", type=int, default=300, help="turns of the long conversation; 0 for none")
    parser.add_argument("--fail", action="store_true", help="exit with 1 when a limit is missed")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        kept = [
            streamed(browser, shape, options.size, options.rate)
            for shape in options.shapes.split(",")
            if shape
        ]
        if options.turns:
            kept.append(opened(browser, options.turns))
        browser.close()
    if options.fail and not all(kept):
        sys.exit("A limit was missed.")


if __name__ == "__main__":
    main()
