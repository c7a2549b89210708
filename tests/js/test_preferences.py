"""Preferences: saved, in force at once, refused in words."""

from playwright.sync_api import Route, expect

from tests.js.pages import page, text, thinking, turn
from tests.js.stage import CONVERSATION, ORIGIN, Stage, snapshot


def opened(stage: Stage, *statuses: int) -> list[str]:
    """The dialog of a conversation, and what it posts."""
    posted: list[str] = []
    left = list(statuses)

    def serve(route: Route) -> None:
        posted.append(route.request.post_data or "")
        route.fulfill(status=left.pop(0))

    stage.converse([snapshot(1, page(turn(), thinking(), text()))]).open(f"/c/{CONVERSATION}/")
    stage.page.route(f"{ORIGIN}/preferences/", serve)
    stage.sent("hello")
    stage.page.locator("#settings summary").click()
    stage.page.get_by_role("button", name="Preferences").click()
    return posted


def test_the_send_key_is_in_force_at_once(stage: Stage) -> None:
    posted = opened(stage, 204)
    dialog = stage.page.get_by_role("dialog", name="Preferences")
    dialog.get_by_label("Send with").select_option("ctrl_enter")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    assert "ctrl_enter" in posted[0]
    box = stage.page.locator("#message")
    box.fill("Hello")
    box.press("Enter")
    expect(box).to_have_value("Hello\n")
    box.press("Control+Enter")
    assert stage.sent("submit")["text"] == "Hello\n"


def test_thinking_opens_and_closes_as_it_is_liked(stage: Stage) -> None:
    opened(stage, 204, 204)
    dialog = stage.page.get_by_role("dialog", name="Preferences")
    fold = stage.page.locator("thinking-pane details")
    expect(fold).not_to_have_attribute("open", "")
    dialog.get_by_label("Thinking").select_option("open")
    dialog.get_by_role("button", name="Save").click()
    expect(fold).to_have_attribute("open", "")
    fold.locator("summary").click()
    expect(fold).not_to_have_attribute("open", "")


def test_saving_stays_in_sight_on_a_small_screen(stage: Stage) -> None:
    stage.page.set_viewport_size({"width": 360, "height": 400})
    stage.converse([snapshot(1, page(turn(), thinking(), text()))]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    stage.page.locator(".topbar [data-action=sidebar]").click()
    stage.page.locator("#settings summary").click()
    stage.page.get_by_role("button", name="Preferences").click()
    dialog = stage.page.get_by_role("dialog", name="Preferences")
    assert dialog.evaluate("dialog => dialog.scrollHeight > dialog.clientHeight + 40")
    for name in ("Cancel", "Save"):
        expect(dialog.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


def test_a_failure_is_said_and_nothing_is_lost(stage: Stage) -> None:
    opened(stage, 500, 204)
    dialog = stage.page.get_by_role("dialog", name="Preferences")
    dialog.get_by_label("Instructions for new conversations").fill("Be brief.")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(dialog.get_by_label("Instructions for new conversations")).to_have_value("Be brief.")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    stage.errors.clear()


def test_notifications_need_the_browser_too(stage: Stage) -> None:
    opened(stage)
    dialog = stage.page.get_by_role("dialog", name="Preferences")
    stage.page.evaluate("Notification.requestPermission = async () => 'denied'")
    tick = dialog.get_by_label("Tell me when an answer ends while I look elsewhere")
    tick.click()
    expect(tick).not_to_be_checked()
    expect(dialog).to_contain_text("The browser does not allow notifications")
    stage.page.evaluate("Notification.requestPermission = async () => 'granted'")
    tick.click()
    expect(tick).to_be_checked()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()


def test_always_allowed_tools_are_listed_and_taken_back(stage: Stage) -> None:
    allowed, posted = ["fetch_page", "<b>zeta</b>"], []
    broken = False

    def serve(route: Route) -> None:
        if broken:
            route.fulfill(status=500)
        elif route.request.method == "POST":
            posted.append(route.request.post_data or "")
            allowed.remove("fetch_page" if "fetch_page" in posted[-1] else "<b>zeta</b>")
            route.fulfill(status=204)
        else:
            route.fulfill(json={"permissions": [{"tool": tool, "given": ""} for tool in allowed]})

    stage.page.route(f"{ORIGIN}/permissions/**", serve)
    opened(stage)
    dialog = stage.page.get_by_role("dialog", name="Preferences")
    listed = dialog.get_by_role("group", name="Tools that run without asking").get_by_role("listitem")
    expect(listed.locator("code")).to_have_text(allowed)
    listed.first.get_by_role("button", name="Ask again").click()
    expect(listed.locator("code")).to_have_text(["<b>zeta</b>"])
    expect(listed.get_by_role("button")).to_be_focused()
    listed.get_by_role("button").click()
    expect(listed).to_have_count(0)
    expect(dialog).to_contain_text("None.")
    dialog.get_by_role("button", name="Cancel").click()
    broken = True
    stage.errors.clear()
    stage.page.locator("#settings summary").click()
    stage.page.get_by_role("button", name="Preferences").click()
    expect(dialog).to_contain_text("The list did not come.")
    assert any("500" in error for error in stage.errors)
    stage.errors.clear()
