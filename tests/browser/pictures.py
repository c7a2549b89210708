"""Pictures of the page in every state, theme, width and language, for people to look at: see bin/pictures."""

import html
import itertools
import sys
from pathlib import Path

from tests.browser.app import App
from tests.browser.picture_states import WAITING, scripts, views
from tests.browser.picture_texts import ARABIC_QUESTION, QUESTION
from tests.browser.studio import studio
from tests.browser.upstream import MODEL, Gate, Script, Upstream
from tests.browser.visitors import Visitors

WIDTHS = {360: 740, 768: 1024, 1440: 900}
THEMES = ("light", "dark")
# Fonts are there and what moves to a place has got there.
CALM = """async () => {
    await document.fonts.ready;
    const ends = (one) => one.effect.getComputedTiming().iterations !== Infinity;
    await Promise.allSettled(document.getAnimations().filter(ends).map((one) => one.finished));
}"""
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}


def converse(app: App, upstream: Upstream, visitors: Visitors, language: str) -> dict[str, str]:
    """Bring about each state; gives the path of each conversation."""
    paths = {}
    for state, answers in scripts(language).items():
        steps = [step for script in answers if isinstance(script, Script) for step in script.steps]
        gates = [step for step in steps if isinstance(step, Gate)]
        chat = visitors.visit(app).open()
        question = ARABIC_QUESTION if state == "rtl" else QUESTION[language]
        chat.ask(upstream.add(*answers, question=question))
        for gate in gates:
            gate.wait()
        if not gates:
            chat.page.locator(WAITING.get(state, "chat-turn[data-state=ended]")).first.wait_for()
        paths[state] = chat.path
    return paths


def take(folder: Path, app: App, upstream: Upstream, visitors: Visitors, wanted: list[str]) -> list[str]:
    """Take the pictures of these states (none: of all); gives the names of the states."""
    taken: dict[str, None] = {}
    for language, locale in LANGUAGES.items():
        paths = converse(app, upstream, visitors, language)
        for theme, (width, height) in itertools.product(THEMES, WIDTHS.items()):
            chat = visitors.visit(app, locale=locale, viewport={"width": width, "height": height})
            chat.page.context.add_cookies([{"name": "theme", "value": theme, "url": app.url}])
            for state, (path, prepare) in views(paths).items():
                if wanted and state not in wanted:
                    continue
                chat.page.goto(app.url + path)
                if chat.page.locator("#message").count():
                    chat.connected()
                prepare(chat.page)
                chat.page.evaluate(CALM)
                name = f"{state}-{width}-{theme}-{language}.png"
                chat.page.screenshot(path=folder / name, animations="disabled")
                taken[state] = None
        upstream.release()
        visitors.leave()
    return list(taken)


def contents(states: list[str]) -> str:
    """A page that shows all pictures: a row for each state and language."""
    rows = []
    for state, language in itertools.product(states, LANGUAGES):
        rows.append(f"<h2>{html.escape(state)}, {language}</h2><p>")
        for width, theme in itertools.product(WIDTHS, THEMES):
            name = f"{state}-{width}-{theme}-{language}.png"
            rows.append(f'<a href="{name}"><img src="{name}" alt="{name}" height="420" loading="lazy"></a>')
        rows.append("</p>")
    return f'<!doctype html><meta charset="utf-8"><title>Pictures</title>{"".join(rows)}\n'


def main(folder: Path, wanted: list[str]) -> None:
    """Take the pictures, and write the page that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    upstream = Upstream()
    settings = {"ANTHROPIC_BASE_URL": upstream.url, "ANTHROPIC_MODEL": MODEL, "STREAMRENDER_FETCH": "1"}
    try:
        with studio(**settings) as (app, visitors):
            states = take(folder, app, upstream, visitors, wanted)
    finally:
        upstream.stop()
    (folder / "index.html").write_text(contents(states), encoding="utf-8")
    print(f"{len(list(folder.glob('*.png')))} pictures: {folder / 'index.html'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
