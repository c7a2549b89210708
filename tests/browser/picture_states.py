"""The states that are pictured: the streams that lead to them, and what a person does to see them."""

import re
from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.picture_texts import ANSWER, ARABIC_ANSWER, CALL, PAGE, QUESTION, THOUGHT
from tests.browser.upstream import Gate, Refuse, Script

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000040000000408020000002693092900000012494441547801636054f061"
    "80012618838e0000a6250027f3b4dc740000000049454e44ae426082"
)
# Seconds: until all pictures of a language are taken.
LONG = 900.0
Prepare = Callable[[Page], None]


def scripts(language: str) -> dict[str, list[Script | Refuse]]:
    """The answers of each state; one that stays unfinished waits at a gate."""
    answer, thought = ANSWER[language], THOUGHT[language]
    half = answer[: len(answer) // 2]

    def thinking() -> Script:
        return Script(cache_read_input_tokens=1802).think(thought)

    def calling() -> Script:
        return thinking().call(f"toolu_{language}", "calculator", CALL).end("tool_use")

    busy = Refuse(529, "overloaded_error", "Overloaded", retry_after="60")
    return {
        "thinking": [Script().think(thought, Gate(LONG))],
        "tool": [thinking().call("toolu_half", "calculator", CALL[:-9], Gate(LONG))],
        "asking": [thinking().call(f"toolu_page_{language}", "fetch_page", PAGE).end("tool_use")],
        "answering": [thinking().say(half, Gate(LONG))],
        "done": [calling(), Script().say(answer).end()],
        "error": [thinking().say(half).error("overloaded_error", "Overloaded")],
        "cut-off": [thinking().say(half).die()],
        "limit": [thinking().say(half).end("max_tokens")],
        "refusal": [thinking().end("refusal")],
        "failed": [Refuse(401, "authentication_error", "invalid x-api-key")],
        "retry": [busy],
        "rtl": [thinking().say(ARABIC_ANSWER).end()],
    }


# States in which the turn goes on, though no gate holds it.
WAITING = {"asking": "tool-card button[data-action=allow]", "retry": "[data-part=retry]"}


def nothing(page: Page) -> None:
    """The page as it is."""


def drawer(page: Page) -> None:
    """The list of conversations is open, also on a narrow page."""
    button = page.locator(".topbar [data-action=sidebar]")
    if button.get_attribute("aria-expanded") == "false":
        button.click()


def settings(page: Page) -> None:
    """The menu at the foot of the list."""
    drawer(page)
    page.locator("#settings summary").click()


def preferences(page: Page) -> None:
    """The dialog of a person's settings."""
    settings(page)
    page.locator("[data-action=preferences]").click()


def answering(page: Page) -> None:
    """The dialog of a conversation's settings."""
    drawer(page)
    page.locator("#sidebar [data-action=more]").first.click()
    page.locator("#conversation-menu [data-action=answering]").click()


def shared(page: Page) -> None:
    """The dialog that makes a link."""
    page.locator(".topbar [data-action=share]").click()


def shortcuts(page: Page) -> None:
    """The sheet of keys."""
    page.locator("#message").blur()
    page.keyboard.press("?")


def search(page: Page) -> None:
    """Something was found."""
    page.keyboard.press("Control+k")
    page.locator("#search").fill("0.917")
    page.locator("#found mark:not(:empty)").first.wait_for()


def inspector(page: Page) -> None:
    """What went over the wire."""
    page.locator("chat-turn [data-action=inspect]").last.click()
    page.locator("#inspector [data-part=report]").wait_for()


def attached(page: Page) -> None:
    """Files wait in the composer."""
    page.locator("#files").set_input_files(
        [
            {"name": "ice.png", "mimeType": "image/png", "buffer": PNG},
            {"name": "密度.txt", "mimeType": "text/plain", "buffer": b"0.917 kg/l\n"},
            {"name": "program.exe", "mimeType": "application/octet-stream", "buffer": b"MZ\x00\x01"},
        ]
    )
    page.locator("#attachments li").nth(2).wait_for()
    page.wait_for_load_state("networkidle")


def queued(page: Page) -> None:
    """A message waits for the end of the answer."""
    page.locator("#message").fill(QUESTION["zh" if page.locator("html[lang^=zh]").count() else "en"])
    page.locator("#message").press("Enter")
    page.locator("#queue li").wait_for()


def unfolded(page: Page) -> None:
    """Thinking and results are open."""
    closed = page.locator("chat-turn details:not([open]) > summary:visible")
    while closed.count():
        closed.first.click()


def from_the_top(page: Page) -> None:
    """A reader scrolled up."""
    page.mouse.move(300, 300)
    page.mouse.wheel(0, -4000)
    page.locator("[data-action=jump]").wait_for()


def views(paths: dict[str, str]) -> dict[str, tuple[str, Prepare]]:
    """Where each picture is taken, and what is done before. `paths`: of the conversations of `scripts`."""
    done = paths["done"]
    return {
        "empty": ("/", nothing),
        **{state: (path, nothing) for state, path in paths.items()},
        "settings": (done, settings),
        "preferences": (done, preferences),
        "conversation-settings": (done, answering),
        "share": (done, shared),
        "shortcuts": (done, shortcuts),
        "search": (done, search),
        "inspector": (done, inspector),
        "queued": (paths["answering"], queued),
        "unfolded": (done, unfolded),
        "scrolled-up": (done, from_the_top),
        "attached": (done, attached),
        "offline": ("/offline/", nothing),
        "missing": (re.sub(r"/c/[^/]+/", "/c/00000000-0000-4000-8000-000000000000/", done), nothing),
    }
