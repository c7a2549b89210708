"""The model picker: by keys, mouse and touch; the form's value is what is chosen, nothing else moves."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.js.axe import violations
from tests.js.stage import Stage

MODELS = [
    {"key": f"{key}:{name}", "label": name, "provider": key, "demo": False, "group": group}
    for key, group, names in (
        ("anthropic", "Anthropic", ("claude-opus-4-5", "claude-haiku-4-5")),
        ("openai", "OpenAI", ("gpt-5.5", "gpt-5.5-mini")),
        ("local", "Ollama", tuple(f"model-{n}" for n in range(20))),
    )
    for name in names
]
HAIKU = "anthropic:claude-haiku-4-5"

COUNT = """
window.changes = 0;
document.querySelector("#composer").addEventListener("change", ({ target }) => {
  window.changes += target.id === "model";
});
"""


def opened(stage: Stage, models: list[dict[str, Any]] = MODELS) -> Stage:
    stage.context["models"] = models
    stage.open()
    stage.sent("hello")
    return stage


def button(stage: Stage) -> Locator:
    return stage.page.get_by_role("button", name="Model:")


def names(stage: Stage) -> list[str]:
    return stage.page.locator(".model-title").all_text_contents()


def active(stage: Stage) -> str:
    """What a screen reader is told of."""
    found: str = stage.page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent.trim()"
    )
    return found


def test_keys_open_filter_choose_and_give_the_focus_back(stage: Stage) -> None:
    opened(stage)
    stage.page.evaluate(COUNT)
    button(stage).focus()
    stage.page.keyboard.press("ArrowDown")
    field = stage.page.get_by_role("combobox", name="Find a model")
    expect(field).to_be_focused()
    expect(button(stage)).to_have_attribute("aria-expanded", "true")
    assert active(stage) == "claude-opus-4-5"
    stage.page.keyboard.press("ArrowUp")
    assert active(stage) == "model-19"
    stage.page.keyboard.press("ArrowDown")
    stage.page.keyboard.press("ArrowDown")
    assert active(stage) == "claude-haiku-4-5"
    stage.page.keyboard.type("OPENAI mini")
    assert names(stage) == ["gpt-5.5-mini"]
    assert active(stage) == "gpt-5.5-mini"
    stage.page.keyboard.press("Enter")
    expect(button(stage)).to_be_focused()
    expect(button(stage)).to_have_text("Model: gpt-5.5-mini")
    expect(stage.page.locator("#model")).to_have_value("openai:gpt-5.5-mini")
    expect(field).to_be_hidden()
    assert stage.page.evaluate("window.changes") == 1
    assert not [frame for frame in stage.frames if frame["type"] == "submit"]


def test_escape_changes_nothing_and_stops_nothing(stage: Stage) -> None:
    opened(stage)
    button(stage).click()
    stage.page.keyboard.type("haiku")
    stage.page.keyboard.press("Escape")
    expect(stage.page.locator(".model-panel")).to_be_hidden()
    expect(button(stage)).to_be_focused()
    expect(stage.page.locator("#model")).to_have_value("anthropic:claude-opus-4-5")
    button(stage).click()
    assert len(names(stage)) == len(MODELS)


def test_a_letter_on_the_button_begins_to_filter(stage: Stage) -> None:
    opened(stage)
    button(stage).focus()
    stage.page.keyboard.type("ha")
    assert names(stage) == ["claude-haiku-4-5"]
    stage.page.keyboard.press("Enter")
    expect(stage.page.locator("#model")).to_have_value(HAIKU)


def test_the_roles_are_those_of_a_combobox_with_a_grouped_list(stage: Stage) -> None:
    opened(stage)
    button(stage).click()
    assert stage.page.get_by_role("dialog", name="Choose a model").get_by_role("listbox").count() == 1
    group = stage.page.get_by_role("group", name="Anthropic")
    expect(group.get_by_role("option")).to_have_count(2)
    expect(group.get_by_role("option", selected=True)).to_have_text("claude-opus-4-5")
    expect(stage.page.get_by_role("option", selected=True)).to_have_count(1)
    assert violations(stage.page) == []


def test_the_upstream_is_named_once_in_the_list_and_on_the_button(stage: Stage) -> None:
    labelled = [{**model, "label": f"{model['group']} · {model['label']}"} for model in MODELS]
    opened(stage, labelled)
    expect(button(stage)).to_have_text("Model: Anthropic · claude-opus-4-5")
    button(stage).click()
    assert names(stage)[:3] == ["claude-opus-4-5", "claude-haiku-4-5", "gpt-5.5"]
    stage.page.keyboard.type("anthropic hai")
    assert names(stage) == ["claude-haiku-4-5"]


def test_no_model_of_that_name_is_said(stage: Stage) -> None:
    opened(stage)
    button(stage).click()
    stage.page.keyboard.type("nothing like it")
    expect(stage.page.locator(".model-none")).to_have_text("No model has this name.")
    assert active(stage) is None
    stage.page.keyboard.press("Enter")
    expect(stage.page.locator("#model")).to_have_value("anthropic:claude-opus-4-5")
    assert violations(stage.page) == []


def test_a_press_elsewhere_and_tab_close_it(stage: Stage) -> None:
    opened(stage)
    panel = stage.page.locator(".model-panel")
    button(stage).click()
    stage.page.mouse.click(700, 60)
    expect(panel).to_be_hidden()
    button(stage).click()
    expect(panel).to_be_visible()
    button(stage).click()
    expect(panel).to_be_hidden()
    button(stage).click()
    stage.page.locator("#message").focus()
    expect(panel).to_be_hidden()
    expect(stage.page.locator("#message")).to_be_focused()


@pytest.mark.parametrize("width", [360, 1440])
def test_nothing_moves_when_it_opens_and_while_it_is_filtered(stage: Stage, width: int) -> None:
    stage.page.set_viewport_size({"width": width, "height": 740})
    opened(stage)
    composer = stage.page.locator("#composer").bounding_box()
    button(stage).click()
    panel = stage.page.locator(".model-panel")
    stage.page.emulate_media(reduced_motion="reduce")
    before = panel.bounding_box()
    assert before is not None
    assert before["x"] >= 0
    assert before["y"] >= 0
    assert before["x"] + before["width"] <= width
    stage.page.keyboard.type("haiku")
    assert names(stage) == ["claude-haiku-4-5"]
    assert panel.bounding_box() == before
    assert stage.page.locator("#composer").bounding_box() == composer
    assert stage.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_others_do_to_the_select_is_shown(stage: Stage) -> None:
    opened(stage)
    add = """
    (selected) => {
      const select = document.querySelector("#model");
      const option = new Option("New one", "new:1", false, false);
      select.querySelector("optgroup").append(option);
      option.selected = selected;
    }
    """
    button(stage).click()
    stage.page.evaluate(add, False)
    expect(stage.page.get_by_role("option", name="New one")).to_be_visible()
    expect(button(stage)).to_have_text("Model: claude-opus-4-5")
    stage.page.keyboard.press("Escape")
    stage.page.evaluate(add, True)
    expect(button(stage)).to_have_text("Model: New one")


def test_on_a_touch_screen_no_keyboard_covers_it(stage: Stage, chromium: Browser) -> None:
    context = chromium.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, service_workers="block"
    )
    touch = opened(Stage(context.new_page()))
    button(touch).tap()
    expect(touch.page.get_by_role("listbox")).to_be_focused()
    touch.page.get_by_role("option", name="claude-haiku-4-5").tap()
    expect(touch.page.locator("#model")).to_have_value(HAIKU)
    assert touch.errors == []
    context.close()
