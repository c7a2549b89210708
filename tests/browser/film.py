"""The moving picture of the README: the demo answers a question and the page is filmed. See bin/film.

The film shows the real page in front of the real server. Frames are taken as fast as the browser gives them,
each keeps the time until the next, and frames in which nothing changed are joined.
"""

import io
import itertools
import sys
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize

from tests.browser.studio import studio

QUESTION = "Use three tools in parallel"
SIZE: ViewportSize = {"width": 880, "height": 620}
# Milliseconds: the first frame, so that the question can be read, and the last.
FIRST, LAST = 900, 4000
LONGEST = 90.0


def film(page: Page) -> list[tuple[bytes, int]]:
    """Frames and the milliseconds for which each is shown, until the turn has ended."""
    frames: list[tuple[bytes, float]] = []
    end = time.monotonic() + LONGEST
    turn = page.locator("chat-turn").last
    over = False
    while not over and time.monotonic() < end:
        over = turn.get_attribute("data-state") == "ended"
        at, frame = time.monotonic(), page.screenshot(type="png")
        if not frames or frames[-1][0] != frame:
            frames.append((frame, at))
        page.wait_for_timeout(60)
    assert over, "the demo did not end"
    times = [at for _, at in frames]
    shown = [int((after - at) * 1000) for at, after in itertools.pairwise(times)]
    return [(frame, took) for (frame, _), took in zip(frames, [*shown, LAST], strict=True)]


def write(frames: list[tuple[bytes, int]], file: Path) -> None:
    """An animated WebP that begins again and again."""
    images = [Image.open(io.BytesIO(data)).convert("RGB") for data, _ in frames]
    times = [took for _, took in frames]
    times[0] = max(times[0], FIRST)
    first, *rest = images
    first.save(file, save_all=True, append_images=rest, duration=times, loop=0, lossless=True, method=4)


def main(file: Path) -> None:
    """Film an answer of the demo."""
    with studio() as (app, visitors):
        chat = visitors.visit(app, viewport=SIZE, locale="en-GB").open()
        frames = film(chat.ask(QUESTION).page)
    write(frames, file)
    print(f"{len(frames)} frames, {file.stat().st_size // 1000} kB: {file}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
