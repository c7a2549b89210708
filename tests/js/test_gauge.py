"""The context gauge and the cost of a conversation: what is known is shown, and nothing else."""

from typing import Any

from playwright.sync_api import expect

from tests.js.pages import changes, live, page, text, turn
from tests.js.stage import Stage, snapshot

PRICE = {
    "model": "demo-*",
    "currency": "USD",
    "input": 3.0,
    "output": 15.0,
    "cache_read": None,
    "cache_write": None,
}


def opened(stage: Stage, *turns: dict[str, Any], **known: Any) -> Stage:
    stage.known = known
    parents = [None, *range(1, len(turns))]
    pairs = zip(turns, parents, strict=True)
    frames = [snapshot(i, page(one, text()), parent=up) for i, (one, up) in enumerate(pairs, 1)]
    stage.converse(frames).open()
    stage.sent("hello")
    return stage


def test_a_context_is_shown_by_the_last_answer_against_the_window(stage: Stage) -> None:
    windows = [{"model": "demo-*", "window": 10_000}, {"model": "demo-1", "window": 99}]
    opened(stage, turn(context=9000), turn(context=2500), windows=windows)
    gauge = stage.page.locator("#gauge")
    expect(gauge).to_contain_text("25%")
    meter = stage.page.get_by_role("meter", name="Context used")
    expect(meter).to_have_attribute("aria-valuenow", "25")
    expect(meter).to_have_attribute("aria-valuetext", "2,500 of 10,000 tokens of the model's context")
    expect(gauge.locator("[data-part=cost]")).to_be_hidden()


def test_it_follows_when_an_answer_ends_and_warns_when_it_is_nearly_full(stage: Stage) -> None:
    opened(stage, turn(context=1000), live(context=0), windows=[{"model": "demo-1", "window": 10_000}])
    gauge = stage.page.locator("#gauge")
    expect(gauge).to_contain_text("10%")
    ended = {"state": "ended", "ending": "complete", "ended_at": 900, "context": 8600}
    place = {name: stage.turns[1][name] for name in ("turn", "epoch")}
    stage.send({**changes(0, 1, ["turn", ended]), **place})
    expect(gauge).to_contain_text("86%")
    expect(gauge.locator("[data-high]")).to_be_visible()


def test_costs_of_the_shown_answers_are_added(stage: Stage) -> None:
    opened(stage, turn(), turn(), prices=[PRICE])
    each = (1204 * 3 + 356 * 15) / 1e6
    expect(stage.page.locator("#gauge")).to_contain_text(f"${2 * each:.3f}")
    expect(stage.page.get_by_role("meter")).to_be_hidden()


def test_nothing_is_said_where_nothing_is_known(stage: Stage) -> None:
    opened(stage, turn(context=500), windows=[{"model": "another", "window": 1}])
    expect(stage.page.locator("#gauge")).to_be_hidden()
