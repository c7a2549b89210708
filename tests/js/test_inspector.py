"""The inspector: opened, filtered, read on, closed, and honest when it cannot read."""

import pytest
from playwright.sync_api import Locator, expect

from tests.js.axe import violations
from tests.js.pages import live, page, text, turn
from tests.js.recorded import Recorded
from tests.js.stage import CONVERSATION, Stage, snapshot, turn_id


@pytest.fixture
def recorded(stage: Stage) -> Recorded:
    stage.converse([snapshot(1, page(turn(), text()))]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    return Recorded(stage)


def opened(stage: Stage) -> Locator:
    stage.page.get_by_role("button", name="Inspect: requests and raw events").click()
    return stage.page.get_by_role("complementary", name="Inspector")


def test_it_shows_the_figures_and_the_frames_of_the_first_request(stage: Stage, recorded: Recorded) -> None:
    panel = opened(stage)
    expect(panel.locator("[data-part=tokens]")).to_have_text("95")
    expect(panel.locator("[data-part=gap]").first).to_have_text("–")
    expect(panel.locator("[data-part=health]")).to_have_text("What arrived fits what the upstream counted.")
    expect(panel.locator(".row")).to_have_count(2)
    expect(panel.locator(".row").first).to_contain_text(
        '0.010 +0.010 content_block_delta "hi" 20', use_inner_text=True
    )
    expect(panel.locator(".row-name").nth(1)).to_contain_text("<b>name</b>")
    panel.get_by_role("button", name="Show more").click()
    expect(panel.locator(".row.row-odd")).to_have_count(1)
    expect(panel.get_by_role("button", name="Show more")).to_be_hidden()
    assert panel.locator("[data-part=download]").get_attribute("href") == f"/inspect/{turn_id(1)}/1.sse"
    assert panel.locator("rect").count() == 2
    panel.locator(".row summary").first.click()
    expect(panel.locator(".row pre").first).to_contain_text('"text": "hi"')
    assert violations(stage.page) == []


def test_requests_of_what_it_goes_on_with_come_first_and_say_so(stage: Stage, recorded: Recorded) -> None:
    recorded.before = turn_id(7)
    panel = opened(stage)
    requests = panel.locator("[data-part=requests] > details")
    expect(requests).to_have_count(2)
    expect(requests.nth(0).locator("summary").first).to_contain_text("Request 1 before Continue")
    expect(requests.nth(1).locator("summary").first).to_contain_text("Request 2")
    expect(requests.nth(1).get_by_text("before Continue")).to_be_hidden()
    # The turn's own first request is the open one.
    expect(requests.nth(1).locator(".row")).to_have_count(2)
    expect(requests.nth(0)).not_to_have_attribute("open", "")
    requests.nth(0).locator("summary").first.click()
    expect(requests.nth(0).locator(".row")).to_have_count(2)
    assert (
        requests.nth(0).locator("[data-part=download]").get_attribute("href")
        == f"/inspect/{turn_id(7)}/1.sse"
    )
    assert any(path.endswith(f"{turn_id(7)}/1/") for path in recorded.paths)
    assert violations(stage.page) == []


def test_the_filter_asks_the_server(stage: Stage, recorded: Recorded) -> None:
    panel = opened(stage)
    expect(panel.locator(".row")).to_have_count(2)
    panel.get_by_label("Filter").fill("stop & go")
    stage.until("document.querySelector('#inspector [data-part=filter]').value === 'stop & go'")
    expect(panel.locator(".row")).to_have_count(2)
    for _ in range(50):
        if recorded.asked[-1].startswith("q=stop+%26+go"):
            break
        stage.page.wait_for_timeout(20)
    assert recorded.asked[-1] == "q=stop+%26+go&after=0"


def test_keys_open_and_close_it_and_the_focus_comes_back(stage: Stage, recorded: Recorded) -> None:
    panel = opened(stage)
    expect(panel).to_be_focused()
    stage.page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    button = stage.page.get_by_role("button", name="Inspect: requests and raw events")
    expect(button).to_be_focused()
    stage.page.keyboard.press("i")
    expect(panel).to_be_visible()
    panel.get_by_role("button", name="Close the inspector").click()
    expect(panel).to_be_hidden()


def test_a_fault_is_said_and_reading_can_be_tried_again(stage: Stage, recorded: Recorded) -> None:
    recorded.fails = True
    panel = opened(stage)
    expect(panel).to_contain_text("What was recorded could not be read.")
    recorded.fails = False
    recorded.verdict = "lost"
    panel.get_by_role("button", name="Try again").click()
    expect(panel.locator("[data-verdict=lost]")).to_contain_text("part of the stream was lost")
    stage.errors.clear()


def test_a_running_turn_is_read_again_until_it_ends(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live("answering"), text(state="live")), rev=1)]).open(
        f"/c/{CONVERSATION}/"
    )
    stage.sent("hello")
    recorded = Recorded(stage)
    recorded.status = "running"
    stage.page.evaluate("document.activeElement.blur()")
    stage.page.keyboard.press("i")
    panel = stage.page.get_by_role("complementary", name="Inspector")
    expect(panel).to_contain_text("The turn is still running.")
    panel.locator(".row summary").first.click()
    recorded.status = "ended"
    expect(panel.locator("[data-part=note]")).to_be_hidden()
    expect(panel.locator(".row details").first).to_have_attribute("open", "")


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_it_fits_and_the_page_does_not_scroll_sideways(stage: Stage, recorded: Recorded, width: int) -> None:
    stage.page.set_viewport_size({"width": width, "height": 740})
    panel = opened(stage)
    expect(panel.locator(".row")).to_have_count(2)
    box = panel.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert stage.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert panel.locator("[data-part=body]").evaluate("(one) => one.scrollWidth <= one.clientWidth")
