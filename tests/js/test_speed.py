"""The figures above a running answer: they move nothing as they come, and go when the foot has exact ones."""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.js.pages import changes, live, page, text
from tests.js.stage import Stage, snapshot

PLACE = """JSON.stringify([...document.querySelectorAll(".instrument-elapsed, .panes")].map((one) => {
  const { left, top } = one.getBoundingClientRect();
  return [left, top];
}))"""


def running(stage: Stage, html: str, **fields: object) -> Stage:
    frame = snapshot(1, page(live(**fields), text(html, state="live")))
    frame["user"]["created"] = (datetime.now(UTC) - timedelta(seconds=4)).isoformat()
    stage.converse([frame]).open()
    stage.sent("hello")
    return stage


def test_time_to_the_first_token_and_speed(stage: Stage) -> None:
    running(stage, "<p>" + "four" * 300 + "</p>")
    line = stage.page.locator(".instrument-live")
    expect(line).to_contain_text("first token 0.8\u202fs")
    rate = stage.page.locator("[data-part=live-rate]")
    # 300 tokens in the seconds since 0.8: from 94 a second downwards.
    stage.until("Number(document.querySelector('[data-part=live-rate]').textContent) > 20")
    assert int(rate.inner_text()) <= 94
    end = {"state": "ended", "ending": "complete", "stop_reason": "end_turn", "ended_at": 9000}
    stage.send(changes(0, 1, ["turn", end]))
    expect(line).to_be_hidden()


def test_nothing_moves_when_they_come(stage: Stage) -> None:
    running(stage, "", first_token_at=None, state="waiting")
    expect(stage.page.locator(".instrument-live")).to_be_hidden()
    before = stage.page.evaluate(PLACE)
    stage.send(changes(0, 1, ["turn", {"first_token_at": 3000}]))
    expect(stage.page.locator(".instrument-live")).to_be_visible()
    assert stage.page.evaluate(PLACE) == before
    stage.page.set_viewport_size({"width": 360, "height": 700})
    expect(stage.page.locator(".instrument-live")).to_be_hidden()


def test_chinese_is_counted_by_its_signs(stage: Stage) -> None:
    stage.open()
    counts = "[tokens('four'.repeat(5)), tokens('天空蓝')]"
    counted = f"import('/static/js/speed.js').then(({{ tokens }}) => {counts})"
    assert stage.page.evaluate(counted) == [5, 2]
