"""What the page looks like to people and to assistive software: width, stillness, names, languages."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.upstream import Gate, Pause, Piece, Script, Upstream
from tests.browser.visitors import Visitors
from tests.browser.watch import SHIFTS

WIDE = (
    "A " + "very" * 60 + " long word and https://example.org/" + "path/" * 40 + "\n\n"
    "```\n" + "code " * 60 + "\n```\n\n"
    "| " + " | ".join(f"column {n}" for n in range(14)) + " |\n|" + "--|" * 14 + "\n"
    "| " + " | ".join("cell" for n in range(14)) + " |\n\n`" + "inline" * 40 + "`\n"
)

OVERFLOW = """
() => [...document.querySelectorAll("html, body, .shell, .stage, .thread, .turns, chat-turn, .composer")]
  .filter((one) => one.scrollWidth > Math.max(one.clientWidth, innerWidth) && one.clientWidth)
  .map((one) => `${one.localName}.${one.className} ${one.scrollWidth} > ${one.clientWidth}`)
"""


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_scrolls_sideways(visitors: Visitors, app: App, upstream: Upstream, width: int) -> None:
    chat = visitors.visit(app, viewport={"width": width, "height": 740}).open()
    assert chat.page.evaluate(OVERFLOW) == []
    call = Script().think(WIDE).say("First.").call("toolu_w", "no_tool", '{"a": "%s"}' % ("long" * 90))
    question = upstream.add(
        call.end("tool_use"), Script().say(WIDE).end(), question=f"{width} " + "Wide" * 50
    )
    chat.ask(question).ended()
    chat.thinking.first.locator("summary").click()
    expect(chat.thinking.first.locator("[data-part=window]")).to_be_visible()
    assert chat.page.evaluate(OVERFLOW) == []
    assert chat.page.evaluate("document.scrollingElement.scrollWidth") <= width
    box = chat.page.locator("#composer").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_the_width_check_sees_an_overflow(visitors: Visitors, app: App) -> None:
    chat = visitors.visit(app, viewport={"width": 360, "height": 740}).open()
    chat.page.evaluate(
        "() => { const bar = document.createElement('div'); bar.style.width = '900px';"
        " bar.textContent = 'x'; document.getElementById('turns').append(bar) }"
    )
    assert chat.page.evaluate(OVERFLOW) != []


def paced(text: str) -> list[Piece]:
    return [piece for i in range(0, len(text), 12) for piece in (text[i : i + 12], Pause(0.012))]


RICH = "\n\n".join(
    f"## Part {n}\n\nSome **bold** text with `code` in it.\n\n- one\n- two\n\n```js\nlet x = {n};\n```\n\n"
    f"| a | b |\n|--|--|\n| {n} | 2 |"
    for n in range(3)
)


def test_nothing_jumps_while_it_streams(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app, SHIFTS).open()
    first = Script().say("An earlier answer.").end()
    chat.ask(upstream.add(first)).ended()
    call = (
        Script()
        .think(*paced(RICH[:300]))
        .say("I compute.")
        .call("toolu_1", "calculator", '{"expression": "1+1"}')
    )
    question = upstream.add(call.end("tool_use"), Script().say(*paced(RICH)).end())
    chat.ask(question)
    expect(chat.thinking.first).to_be_visible()
    chat.page.evaluate("window.shifts.length = 0")
    chat.ended()
    shifts = chat.page.evaluate("window.shifts")
    assert [shift for shift in shifts if shift[0] > 0.001] == []


def test_the_shift_check_sees_a_jump(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app, SHIFTS).open()
    chat.ask(upstream.add(Script().say("Text.\n\nMore text.").end())).ended()
    chat.page.evaluate(
        "() => setInterval(() => { const bar = document.createElement('div'); bar.style.height = '50px';"
        " document.querySelector('[data-part=panes]').prepend(bar) }, 100)"
    )
    chat.page.wait_for_function("() => window.shifts.some(([value]) => value > 0.001)")


NAMELESS = """
() => {
  const visible = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("[inert]");
  const byIds = (ids) => ids.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
  const name = (one) => one.getAttribute("aria-label")
    || (one.getAttribute("aria-labelledby") && byIds(one.getAttribute("aria-labelledby")))
    || [...(one.labels ?? [])].map((label) => label.textContent).join("").trim()
    || one.textContent.trim() || one.title;
  const controls = "button, a[href], input:not([type=hidden]), textarea, select, summary, nav, dialog";
  return [...document.querySelectorAll(controls)].filter((one) => visible(one) && !name(one))
    .map((one) => one.outerHTML.slice(0, 120));
}
"""
BROKEN_IDS = """
() => ["aria-controls", "aria-labelledby", "aria-describedby", "for"].flatMap((name) =>
  [...document.querySelectorAll(`[${name}]`)].flatMap((one) => one.getAttribute(name).split(" "))
    .filter((id) => !document.getElementById(id)))
"""
DOUBLE_IDS = """
() => { const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return ids.filter((id, i) => ids.indexOf(id) !== i); }
"""


def test_everything_has_a_name_and_a_place(chat: Chat, upstream: Upstream) -> None:
    gate = Gate()
    call = (
        Script()
        .think("Hm.")
        .say("Text.\n\n```js\nx\n```")
        .call("toolu_1", "calculator", '{"expression": "1+1"}')
    )
    chat.ask(upstream.add(call.end("tool_use"), Script().say("Half", gate, " whole").end()))
    gate.wait()
    chat.says("Half")
    page = chat.page
    expect(page.locator("main")).to_have_count(1)
    expect(page.locator("h1")).to_have_count(1)
    expect(page.get_by_role("navigation")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(chat.turn.locator("[data-part=answer]")).to_have_attribute("aria-busy", "true")
    assert page.locator("html").get_attribute("lang") == "en"
    for menu in (False, True):
        if menu:
            page.locator("#settings summary").click()
        for check in (NAMELESS, BROKEN_IDS, DOUBLE_IDS):
            assert page.evaluate(check) == []
    gate.open()
    chat.ended()
    expect(chat.turn.locator("[data-part=answer]")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#announcer")).to_have_text("The answer is complete.")
    for check in (NAMELESS, BROKEN_IDS, DOUBLE_IDS):
        assert page.evaluate(check) == []


def test_the_name_check_sees_a_nameless_button(chat: Chat) -> None:
    chat.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    chat.page.evaluate("document.querySelector('main > button').style.padding = '9px'")
    assert len(chat.page.evaluate(NAMELESS)) == 1


def test_the_answer_is_not_read_out_token_by_token(chat: Chat, upstream: Upstream) -> None:
    chat.ask(upstream.add(Script().say("Text.").end())).ended()
    live = chat.page.locator("[aria-live], [role=status], [role=alert], [role=log]")
    inside = live.evaluate_all("(all) => all.filter((one) => one.querySelector('chat-turn')).length")
    assert inside == 0


WORDS = """
() => {
  const found = [];
  const skip = "[dir=auto]:not(p), .figure, kbd, code, [data-part=key], script, style, template, select, svg,"
    + " [lang]:not(html), .instrument-model, .model-name, .wordmark";
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { parentElement: parent, data } = walk.currentNode;
    if (data.trim() && !parent.closest(skip) && parent.checkVisibility()) found.push(data.trim());
  }
  for (const name of ["aria-label", "title", "placeholder"])
    for (const one of document.querySelectorAll(`[${name}]`)) found.push(one.getAttribute(name));
  return found;
}
"""
NAMES = re.compile(
    r"Streamrender|Markdown|JavaScript|Python|HTTP|API|JSON|Enter|Shift|Ctrl|Esc|End|Tab|tokens?"
)


def english(chat: Chat) -> list[str]:
    """The words of the page's own that are English."""
    return [text for text in chat.page.evaluate(WORDS) if re.search(r"[A-Za-z]{2,}", NAMES.sub("", text))]


def test_the_chinese_page_is_chinese(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app, locale="zh-CN").open()
    assert chat.page.locator("html").get_attribute("lang") == "zh-hans"
    assert english(chat) == []
    busy, gate = Script().think("嗯。"), Gate()
    call = (
        busy.say("好。\n\n```\nx\n```").call("toolu_1", "calculator", '{"expression": "1+1"}').end("tool_use")
    )
    chat.ask(
        upstream.add(
            call, Script().say("一半", gate, "。").error("overloaded_error", "满了"), question="问题一"
        )
    )
    gate.wait()
    chat.says("一半")
    assert english(chat) == []
    gate.open()
    chat.ended("error")
    assert english(chat) == []
    for number, (ending, script) in enumerate(
        (
            ("length", Script().say("甲").end("max_tokens")),
            ("refusal", Script().end("refusal")),
            ("cut_off", Script().say("乙").die()),
        )
    ):
        chat.ask(upstream.add(script, question=f"问题{number}")).ended(ending)
        assert english(chat) == []
    chat.page.locator("#settings summary").click()
    assert english(chat) == []
    chat.page.locator("[data-action=shortcuts]").click()
    assert english(chat) == []
    chat.page.keyboard.press("Escape")
    chat.page.locator(".conversation").first.hover()
    chat.page.locator(".conversation [data-action=more]").first.click()
    assert english(chat) == []
    chat.page.locator("#conversation-menu [data-action=rename]").click()
    assert english(chat) == []
    chat.page.keyboard.press("Escape")


def test_the_language_check_sees_english(chat: Chat) -> None:
    assert "Send" in english(chat)


def test_the_language_can_be_changed_on_the_page(chat: Chat) -> None:
    chat.page.locator("#settings summary").click()
    chat.page.locator("button[lang=zh-hans]").click()
    expect(chat.page.locator("html")).to_have_attribute("lang", "zh-hans")
    chat.connected()
    chat.page.locator("#settings summary").click()
    chat.page.locator("button[lang=en]").click()
    expect(chat.page.locator("html")).to_have_attribute("lang", "en")


def test_the_theme_is_kept(chat: Chat) -> None:
    chat.page.locator("#settings summary").click()
    chat.page.locator("label:has(input[value=dark])").click()
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    dark = chat.page.evaluate(colour)
    chat.page.reload()
    chat.connected()
    expect(chat.page.locator("html")).to_have_attribute("data-theme", "dark")
    assert chat.page.evaluate(colour) == dark
    chat.page.locator("#settings summary").click()
    chat.page.locator("label:has(input[value=light])").click()
    assert chat.page.evaluate(colour) != dark
