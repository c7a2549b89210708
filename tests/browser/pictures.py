"""Pictures of the page in every state, theme, width and language, for people to look at: see bin/pictures."""

import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.app import App, migrated
from tests.browser.conftest import FLAGS, chromium
from tests.browser.upstream import MODEL, Gate, Script, Upstream
from tests.browser.visitors import Visitors

WIDTHS = {360: 740, 768: 1024, 1440: 900}
THEMES = ("light", "dark")
ANSWER = {
    "en": """A litre of **water** weighs more. Ice floats because it is less dense:

| | Density | One litre |
|:--|--:|--:|
| Water, 4 °C | 1.000 kg/l | 1.000 kg |
| Ice, 0 °C | 0.917 kg/l | 0.917 kg |

The difference in code:

```python
def weight(litres: float, density: float) -> float:
    \"\"\"Kilograms of so many litres.\"\"\"
    return litres * density

print(weight(1, 1.0) - weight(1, 0.917))  # 0.083
```

1. **`weight(litres, density)`** multiplies, nothing more.
2. Water is densest at 4 °C, [which is why lakes freeze from the top](https://example.org/).

> Freeze a full bottle and you will see the other side of it.
""",
    "zh": """一升**水**更重。冰的密度较小，所以会浮在水面：

| | 密度 | 一升的质量 |
|:--|--:|--:|
| 水，4 °C | 1.000 kg/l | 1.000 kg |
| 冰，0 °C | 0.917 kg/l | 0.917 kg |

用代码算一算差多少：

```python
def weight(litres: float, density: float) -> float:
    return litres * density

print(weight(1, 1.0) - weight(1, 0.917))  # 0.083
```

1. **`weight(litres, density)`** 只做乘法。
2. 水在 4 °C 时密度最大，所以湖水从表面开始结冰。

> 把装满水的瓶子放进冷冻室，就能看到另一面。
""",
}
THOUGHT = {
    "en": "The question is about density. Water is about 1 kg per litre, ice about 0.917.\n\n"
    "So for the *same volume* the water is heavier. I should give the numbers in a table"
    " and say why ice floats.",
    "zh": "这是关于密度的问题。水每升约 1 千克，冰约 0.917 千克。\n\n"
    "体积相同时，水更重。我应该用表格给出数字，并说明冰为什么会浮。",
}
QUESTION = {
    "en": "Which weighs more: a litre of ice or a litre of water?",
    "zh": "一升冰和一升水，哪个更重？",
}
CALL = '{"expression": "1 * 1.000 - 1 * 0.917"}'


def scripts(language: str) -> dict[str, list[Script]]:
    """The answers of each state; one that stays unfinished waits at a gate."""
    answer, thought = ANSWER[language], THOUGHT[language]
    half = answer[: len(answer) // 2]

    def thinking() -> Script:
        return Script(cache_read_input_tokens=1802).think(thought)

    def calling() -> Script:
        return thinking().call(f"toolu_{language}", "calculator", CALL).end("tool_use")

    return {
        "thinking": [Script().think(thought, Gate())],
        "tool": [thinking().call("toolu_half", "calculator", CALL[:-9], Gate())],
        "answering": [thinking().say(half, Gate())],
        "done": [calling(), Script().say(answer).end()],
        "error": [thinking().say(half).error("overloaded_error", "Overloaded")],
        "cut-off": [thinking().say(half).die()],
        "limit": [thinking().say(half).end("max_tokens")],
    }


def nothing(page: Page) -> None:
    """The page as it is."""


def drawer(page: Page) -> None:
    """The list of conversations is open, also on a narrow page."""
    button = page.locator(".topbar [data-action=sidebar]")
    if button.get_attribute("aria-expanded") == "false":
        button.click()
    page.locator("#settings summary").click()


def unfolded(page: Page) -> None:
    """Thinking and results are open."""
    closed = page.locator("chat-turn details:not([open]) > summary:visible")
    while closed.count():
        closed.first.click()


def take(folder: Path, app: App, upstream: Upstream, visitors: Visitors) -> int:
    """Take all pictures; gives their number."""
    count = 0
    for language, locale in (("en", "en-GB"), ("zh", "zh-CN")):
        paths: dict[str, tuple[str, Callable[[Page], None]]] = {"empty": ("/", nothing)}
        for state, answers in scripts(language).items():
            gates = [step for script in answers for step in script.steps if isinstance(step, Gate)]
            chat = visitors.visit(app).open()
            chat.ask(upstream.add(*answers, question=QUESTION[language]))
            for gate in gates:
                gate.wait()
            if not gates:
                chat.page.locator("chat-turn[data-state=ended]").wait_for()
            paths[state] = (chat.path, nothing)
        paths["settings"] = (paths["done"][0], drawer)
        paths["unfolded"] = (paths["done"][0], unfolded)
        for theme, (width, height) in itertools.product(THEMES, WIDTHS.items()):
            chat = visitors.visit(app, locale=locale, viewport={"width": width, "height": height})
            chat.page.context.add_cookies([{"name": "theme", "value": theme, "url": app.url}])
            for state, (path, prepare) in paths.items():
                chat.open(path)
                prepare(chat.page)
                chat.page.evaluate("() => document.fonts.ready.then(() => null)")
                chat.page.screenshot(
                    path=folder / f"{state}-{width}-{theme}-{language}.png", animations="disabled"
                )
                count += 1
        upstream.release()
        visitors.leave()
    return count


def main(folder: Path) -> None:
    """Start an app, take the pictures, stop it."""
    folder.mkdir(parents=True, exist_ok=True)
    upstream = Upstream()
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        app = App(migrated(Path(data) / "data"), ANTHROPIC_BASE_URL=upstream.url, ANTHROPIC_MODEL=MODEL)
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            count = take(folder, app, upstream, Visitors(browser))
        finally:
            browser.close()
            app.kill()
            upstream.stop()
    print(f"{count} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
