"""The connection comes back, asks for what is missing, and loses no message."""

import pytest
from playwright.sync_api import expect

from tests.js.pages import changes, live, page, text, turn
from tests.js.stage import CONVERSATION, Stage, snapshot, turn_id

GROW = ["ops", "1.1", [["t", 1, "!"]]]


def writing(stage: Stage) -> Stage:
    stage.converse([snapshot(1, page(live(), text(state="live")), rev=3)]).open()
    stage.sent("hello")
    return stage


def test_hello_says_where_each_turn_is(stage: Stage) -> None:
    hello = writing(stage).sent("hello")
    assert hello == {
        "type": "hello",
        "v": 1,
        "conversation": CONVERSATION,
        "turns": {turn_id(1): {"epoch": f"{turn_id(1)}:1", "rev": 3}},
    }


def test_changes_that_fit_are_applied_and_acknowledged(stage: Stage) -> None:
    writing(stage).send(changes(3, 5, GROW))
    expect(stage.page.locator("text-pane")).to_have_text("Hello!")
    assert stage.sent("ack") == {"type": "ack", "turn": turn_id(1), "rev": 5}


def test_changes_that_are_there_already_are_dropped(stage: Stage) -> None:
    writing(stage).send(changes(1, 3, GROW), changes(3, 4, GROW))
    expect(stage.page.locator("text-pane")).to_have_text("Hello!")
    stage.page.wait_for_timeout(50)
    expect(stage.page.locator("text-pane")).to_have_text("Hello!")


@pytest.mark.parametrize("frame", [changes(4, 6, GROW), {**changes(3, 6, GROW), "epoch": "other:2"}])
def test_after_a_gap_the_page_asks_again_and_shows_nothing_wrong(stage: Stage, frame: dict) -> None:
    writing(stage)
    stage.frames.clear()
    stage.send(frame, frame)
    stage.sent("hello")
    expect(stage.page.locator("text-pane")).to_have_text("Hello")
    assert len([sent for sent in stage.frames if sent["type"] == "hello"]) == 1
    stage.send(snapshot(1, page(live(), text("<p>Hello!!</p>", state="live")), rev=6), changes(6, 7, GROW))
    expect(stage.page.locator("text-pane")).to_have_text("Hello!!!")


def test_a_lost_connection_is_said_and_comes_back_by_itself(stage: Stage) -> None:
    writing(stage)
    stage.refusing = True
    assert stage.socket is not None
    stage.socket.close(code=4408)
    expect(stage.page.locator("#connection")).to_contain_text("Reconnecting")
    stage.refusing = False
    expect(stage.page.locator("#connection")).not_to_be_visible(timeout=10_000)
    assert stage.sent("hello")["turns"][turn_id(1)]["rev"] == 3


def test_being_offline_is_said_until_the_server_is_heard_again(stage: Stage) -> None:
    writing(stage)
    stage.page.evaluate("dispatchEvent(new Event('offline'))")
    expect(stage.page.locator("#connection")).to_contain_text("You are offline")
    stage.page.evaluate("dispatchEvent(new Event('online'))")
    stage.sent("ping")
    expect(stage.page.locator("#connection")).not_to_be_visible()


def test_what_is_sent_offline_says_at_once_that_it_waits(stage: Stage) -> None:
    """The browser knows of the lost network before the socket does."""
    stage.converse([snapshot(1, page(turn(), text()))]).open()
    stage.sent("hello")
    expect(stage.page.locator("#connection")).not_to_be_visible()
    stage.page.evaluate("dispatchEvent(new Event('offline'))")
    stage.page.fill("#message", "later")
    stage.page.press("#message", "Enter")
    expect(stage.page.locator(".instrument").last).to_contain_text("Kept here until the connection is back")
    stage.page.evaluate("dispatchEvent(new Event('online'))")
    stage.ok(stage.sent("submit"), 2)
    stage.send(snapshot(2, page(live("waiting")), text="later", parent=1))
    expect(stage.page.locator(".instrument").last).to_contain_text("Waiting for the first token")


def test_a_message_without_an_answer_goes_out_again_also_after_a_reload(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open()
    stage.sent("hello")
    stage.page.fill("#message", "again")
    stage.page.press("#message", "Enter")
    first = stage.sent("submit")
    stage.page.reload()
    stage.sent("hello")
    again = stage.sent("submit")
    assert again == first
    expect(stage.page.locator(".question-text").last).to_have_text("again")
    stage.ok(again, 2, duplicate=True)
    stage.send(snapshot(2, page(turn(), text()), text="again", parent=1))
    expect(stage.page.locator("chat-turn")).to_have_count(2)
    stage.page.reload()
    stage.sent("hello")
    stage.page.wait_for_timeout(50)
    assert not [frame for frame in stage.frames if frame["type"] == "submit"]


def test_what_is_written_without_a_connection_is_kept_and_sent_later(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open()
    stage.sent("hello")
    stage.refusing = True
    assert stage.socket is not None
    stage.socket.close(code=4412)
    expect(stage.page.locator("#connection")).to_be_visible()
    stage.page.fill("#message", "later")
    stage.page.press("#message", "Enter")
    expect(stage.page.locator(".instrument").last).to_contain_text("Kept here until the connection is back")
    stage.frames.clear()
    stage.refusing = False
    stage.until("document.querySelector('#connection').hidden")
    assert stage.sent("submit")["text"] == "later"


def test_a_turn_of_another_tab_appears(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open()
    stage.sent("hello")
    stage.send(snapshot(2, page(live(), text("<p>From afar</p>")), parent=1, text="Other tab"))
    expect(stage.page.locator("chat-turn")).to_have_count(2)
    expect(stage.page.locator("text-pane").last).to_have_text("From afar")


@pytest.mark.parametrize(("code", "words"), [(4401, "logged out"), (4400, "out of date"), (4404, "gone")])
def test_a_final_refusal_is_said_with_the_way_out(stage: Stage, code: int, words: str) -> None:
    writing(stage)
    assert stage.socket is not None
    stage.socket.close(code=code)
    notice = stage.page.locator("#connection")
    expect(notice).to_contain_text(words)
    expect(notice.get_by_role("link")).to_have_count(1)


def test_pings_are_answered(stage: Stage) -> None:
    writing(stage).send({"type": "ping", "n": 7})
    assert stage.sent("pong") == {"type": "pong", "n": 7}
