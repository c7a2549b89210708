"""The icons of an installed page, drawn from the mark on paper, with the room that systems cut off."""

import os
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
PAPER = "#fbfaf7"
SIZES = {"icon-192": (192, 0.62), "icon-512": (512, 0.62), "icon-maskable-512": (512, 0.46)}
"""Pixels, and how much of them the mark takes."""


def draw(folder: Path) -> None:
    """Write each of SIZES into the folder as PNG."""
    mark = (ROOT / "static" / "favicon.svg").read_text()
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, (size, share) in SIZES.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            inner = round(size * share)
            style = f"margin:0;display:grid;place-items:center;height:100vh;background:{PAPER}"
            page.set_content(f'<body style="{style}"><div style="width:{inner}px">{mark}</div></body>')
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
