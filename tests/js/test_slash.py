"""The slash menu and saved prompts: by keys, mouse, touch and input method; nothing is sent by choosing."""

import json
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Route, expect

from tests.js.axe import violations
from tests.js.pages import page, text, turn
from tests.js.stage import CONVERSATION, ORIGIN, Stage, snapshot

PROMPTS = [
    {"id": 1, "title": "Review", "text": "Review this:\n\n{cursor}\n\nBe strict."},
    {"id": 2, "title": "翻译", "text": "请翻译：{cursor}"},
]
TOOLS = [{"name": "calculator", "about": "Works out arithmetic."}]


def opened(stage: Stage, conversation: bool = True) -> Stage:
    stage.context["slash"] = {"prompts": PROMPTS, "tools": TOOLS}
    if conversation:
        stage.converse([snapshot(1, page(turn(), text()), text="Say it twice\nplease")])
    stage.open(f"/c/{CONVERSATION}/" if conversation else "/")
    stage.sent("hello")
    return stage


def titles(stage: Stage) -> list[str]:
    return stage.page.locator(".slash-title").all_text_contents()


def submits(stage: Stage) -> int:
    return sum(frame["type"] == "submit" for frame in stage.frames)


def test_a_prompt_is_put_in_and_writing_goes_on_inside_it(stage: Stage) -> None:
    box = opened(stage).page.locator("#message")
    box.press_sequentially("/")
    expect(stage.page.locator("#slash")).to_be_visible()
    assert titles(stage)[:4] == ["Review", "翻译", "calculator", "New chat"]
    expect(box).to_have_attribute("aria-activedescendant", "slash-0")
    expect(stage.page.locator("#slash-status")).to_have_text("Suggestions: 8")
    box.press_sequentially("rev")
    assert titles(stage) == ["Review"]
    box.press("Enter")
    expect(box).to_have_value("Review this:\n\n\n\nBe strict.")
    expect(stage.page.locator("#slash")).to_be_hidden()
    stage.page.keyboard.type("it")
    expect(box).to_have_value("Review this:\n\nit\n\nBe strict.")
    for _ in range(4):
        box.press("Control+z")
    expect(box).not_to_have_value("Review this:\n\nit\n\nBe strict.")
    assert submits(stage) == 0


def test_a_tool_is_asked_for_in_words_and_arrows_go_round(stage: Stage) -> None:
    box = opened(stage).page.locator("#message")
    box.press_sequentially("/")
    for key in ("ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"):
        box.press(key)
    expect(stage.page.locator("[aria-selected=true] .slash-title")).to_have_text("calculator")
    box.press("Tab")
    expect(stage.page.locator("#slash")).to_be_focused()
    stage.page.keyboard.press("Enter")
    expect(box).to_have_value("Use the tool calculator: ")
    expect(box).to_be_focused()
    assert submits(stage) == 0


def test_escape_closes_it_and_only_it(stage: Stage) -> None:
    box = opened(stage).page.locator("#message")
    box.press_sequentially("/re")
    box.press("Escape")
    menu = stage.page.locator("#slash")
    expect(menu).to_be_hidden()
    expect(box).to_have_value("/re")
    box.press_sequentially("v")
    expect(menu).to_be_hidden()
    box.press("Enter")
    assert stage.sent("submit")["text"] == "/rev"
    box.press_sequentially("/")
    expect(menu).to_be_visible()


def test_what_fits_nothing_is_a_message(stage: Stage) -> None:
    box = opened(stage).page.locator("#message")
    box.press_sequentially("/usr/bin is what?")
    expect(stage.page.locator("#slash")).to_be_hidden()
    box.press("Enter")
    assert stage.sent("submit")["text"] == "/usr/bin is what?"


@pytest.mark.parametrize("sign", ["、", "／"])
def test_an_input_method_opens_filters_and_never_chooses(stage: Stage, sign: str) -> None:
    box = opened(stage).page.locator("#message")
    stage.page.keyboard.insert_text(sign)
    expect(stage.page.locator("#slash")).to_be_visible()
    client = stage.page.context.new_cdp_session(stage.page)
    client.send("Input.imeSetComposition", {"text": "fanyi", "selectionStart": 5, "selectionEnd": 5})
    assert len(titles(stage)) == 8
    box.dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "bubbles": True, "cancelable": True})
    expect(stage.page.locator("#slash")).to_be_visible()
    client.send("Input.insertText", {"text": "翻译"})
    expect(stage.page.locator(".slash-title")).to_have_text("翻译")
    box.press("Enter")
    expect(box).to_have_value("请翻译：")
    assert submits(stage) == 0


def test_the_button_puts_in_where_the_caret_is(stage: Stage) -> None:
    stage.page.set_viewport_size({"width": 360, "height": 640})
    box = opened(stage).page.locator("#message")
    box.fill("Before ")
    button = stage.page.get_by_role("button", name="Prompts and tools")
    button.click()
    expect(box).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "true")
    inside = "(() => { const b = document.getElementById('slash').getBoundingClientRect();"
    assert stage.page.evaluate(inside + " return b.left >= 0 && b.right <= innerWidth && b.top >= 0; })()")
    assert stage.page.evaluate("document.documentElement.scrollWidth") == 360
    button.click()
    expect(stage.page.locator("#slash")).to_be_hidden()
    button.click()
    stage.page.get_by_role("option", name="calculator").click()
    expect(box).to_have_value("Before Use the tool calculator: ")
    expect(box).to_be_focused()


def test_actions(stage: Stage) -> None:
    box = opened(stage).page.locator("#message")
    box.press_sequentially("/search")
    box.press("Enter")
    expect(stage.page.locator("#search-dialog")).to_be_visible()
    stage.page.keyboard.press("Escape")
    expect(box).to_have_value("")
    box.press_sequentially("/keyb")
    box.press("Enter")
    expect(stage.page.locator("#shortcuts-dialog")).to_be_visible()
    stage.page.keyboard.press("Escape")
    box.press_sequentially("/new")
    box.press("Enter")
    stage.page.wait_for_url(f"{ORIGIN}/")


def test_a_new_chat_has_nothing_to_export(stage: Stage) -> None:
    box = opened(stage, conversation=False).page.locator("#message")
    box.press_sequentially("/export")
    expect(stage.page.locator("#slash")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe(stage: Stage, theme: str) -> None:
    stage.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    opened(stage).page.locator("#message").press_sequentially("/")
    expect(stage.page.locator("#slash")).to_be_visible()
    assert violations(stage.page) == []
    stage.page.locator("#message").press_sequentially("edit")
    stage.page.keyboard.press("Enter")
    expect(stage.page.locator(".prompt-row")).to_have_count(2)
    assert violations(stage.page) == []
    stage.page.get_by_role("button", name="New prompt").click()
    assert violations(stage.page) == []


def server(stage: Stage) -> list[tuple[str, dict[str, list[str]]]]:
    """Takes prompts; what was posted."""
    posted: list[tuple[str, dict[str, list[str]]]] = []

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        fields: dict[str, list[str]] = {}
        for part in (route.request.post_data or "").split("------")[1:-1]:
            head, _, value = part.partition("\r\n\r\n")
            fields[head.partition('name="')[2].partition('"')[0]] = [value.removesuffix("\r\n")]
        posted.append((path, fields or parse_qs("")))
        if path.endswith("/delete/"):
            route.fulfill(status=204)
        else:
            kept = {"id": 3, "title": fields["title"][0], "text": fields["text"][0].replace("\r\n", "\n")}
            route.fulfill(status=201, body=json.dumps(kept), content_type="application/json")

    stage.page.route(f"{ORIGIN}/prompts/**", serve)
    return posted


def test_a_message_is_saved_as_a_prompt(stage: Stage) -> None:
    posted = server(stage)
    opened(stage).page.get_by_role("button", name="Save as prompt").click()
    dialog = stage.page.get_by_role("dialog", name="Saved prompts")
    expect(dialog.get_by_label("Title")).to_have_value("Say it twice")
    dialog.get_by_label("Title").fill("Twice")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    expect(stage.page.locator("#toast")).to_contain_text("The prompt is saved.")
    assert posted[0][0] == "/prompts/"
    assert posted[0][1]["text"] == ["Say it twice\r\nplease"]
    stage.page.locator("#message").press_sequentially("/twi")
    assert titles(stage) == ["Twice"]


def test_prompts_are_changed_deleted_and_brought_back(stage: Stage) -> None:
    posted = server(stage)
    opened(stage, conversation=False)
    stage.page.locator("#settings summary").click()
    stage.page.get_by_role("button", name="Saved prompts").click()
    dialog = stage.page.get_by_role("dialog", name="Saved prompts")
    dialog.get_by_role("button", name="Edit").first.click()
    expect(dialog.get_by_label("Text")).to_have_value(str(PROMPTS[0]["text"]))
    stage.page.keyboard.press("Escape")
    expect(dialog.locator(".prompt-row")).to_have_count(2)
    dialog.get_by_role("button", name="Delete").first.click()
    expect(dialog.locator(".prompt-row")).to_have_count(1)
    expect(dialog).to_contain_text("Deleted: Review")
    dialog.get_by_role("button", name="Undo").click()
    expect(dialog.locator(".prompt-row")).to_have_count(2)
    assert [path for path, _ in posted] == ["/prompts/1/delete/", "/prompts/"]
    stage.page.unroute(f"{ORIGIN}/prompts/**")
    stage.broken = True
    dialog.get_by_role("button", name="Delete").first.click()
    expect(dialog).to_contain_text("The server did not do it.")
    stage.errors.clear()
