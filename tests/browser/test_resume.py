"""Whatever happens to the tab, the network or the server: nothing is lost, nothing comes twice."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from streamrender import render_markdown
from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.conftest import StartApp
from tests.browser.upstream import MODEL, Gate, Pause, Piece, Script, Upstream
from tests.browser.visitors import Visitors
from tests.browser.watch import LEAVING, LEFT, SAMPLES
from tests.browser.wire import Cable

LOST = (r"WebSocket connection to", r"ERR_CONNECTION_", r"ERR_INTERNET_DISCONNECTED", r"ERR_EMPTY_RESPONSE")
STORY = "\n\n".join(
    " ".join(f"Sentence {n} of paragraph {p} goes on for a while." for n in range(1, 9)) for p in range(1, 7)
)


def size(text: str) -> int:
    """How many characters, without white space."""
    return len("".join(text.split()))


def place(number: int, gates: int, texts: int) -> int:
    """The piece that stands behind this gate (they count from 1)."""
    return texts * number // (gates + 1)


def before_gate(number: int, gates: int) -> str:
    """What of the story was sent when the stream waits at this gate; before the first one, nothing."""
    return STORY[: 9 * place(number, gates, -(-len(STORY) // 9))]


def pieces(pause: float = 0.0, *gates: Gate) -> list[Piece]:
    """The story in small pieces, with pauses, and with the gates spread over it."""
    texts = [STORY[i : i + 9] for i in range(0, len(STORY), 9)]
    places = {place(n, len(gates), len(texts)): gate for n, gate in enumerate(gates, 1)}
    found: list[Piece] = []
    for number, text in enumerate(texts):
        if number in places:
            found.append(places[number])
        found.append(text)
        if pause:
            found.append(Pause(pause))
    return found


def whole(chat: Chat) -> None:
    """The page shows the whole story, and exactly as one render gives it."""
    assert chat.html()[-1] == render_markdown(STORY)


def only_grew(samples: list[str]) -> None:
    """Each text seen is the beginning of the next: nothing was lost, doubled or taken back.

    A page that takes over by a reload begins with at least what was shown when the reload was asked for.
    """
    final, shown, promised = "".join(samples[-1].split()), 0, 0
    assert len(samples) > 3
    for sample in samples:
        if sample == LEAVING:
            promised = shown
        elif sample == LEFT:
            shown = promised
        else:
            text = "".join(sample.split())
            assert final.startswith(text)
            assert len(text) >= shown
            shown = len(text)


def test_the_checker_sees_loss_and_doubling() -> None:
    good = [STORY[:n] for n in range(0, len(STORY), 100)] + [STORY]
    only_grew(good)
    only_grew([*good[:3], LEAVING, *good[3:5], LEFT, *good[3:]])
    for bad in (
        [*good[:3], good[1], *good[3:]],
        [*good[:4], good[4] + "x", *good[5:]],
        [*good[:3], LEAVING, *good[3:5], LEFT, *good[1:]],
    ):
        with pytest.raises(AssertionError):
            only_grew(bad)


def test_reload_in_mid_stream_shows_the_same_page(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat, gates = visitors.visit(app, SAMPLES).open(), [Gate(), Gate(), Gate()]
    script = Script().think("Thinking **first**.", gates[0]).say(*pieces(0, *gates[1:])).end()
    chat.ask(upstream.add(script))
    for number, gate in enumerate(gates):
        gate.wait()
        expect(chat.thinking.locator("strong")).to_have_text("first")
        chat.grown(size(before_gate(number, 2)))
        before, html = chat.shown(), chat.html()
        chat.page.reload()
        chat.connected()
        assert chat.shown() == before, f"gate {number}"
        assert chat.html() == html, f"gate {number}"
        gate.open()
    chat.ended()
    whole(chat)
    only_grew(chat.page.evaluate("window.samples"))


def test_reloads_at_any_moment_lose_nothing(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app, SAMPLES).open()
    chat.ask(upstream.add(Script().say(*pieces(0.012)).end()))
    for share in (10, 30, 55, 80):
        chat.grown(size(STORY) * share // 100)
        chat.page.reload()
    chat.connected().ended()
    whole(chat)
    samples = chat.page.evaluate("window.samples")
    only_grew(samples)
    chat.page.reload()
    chat.connected().ended()
    whole(chat)


def test_two_tabs_show_the_same(chat: Chat, visitors: Visitors, upstream: Upstream) -> None:
    gate, later = Gate(), Gate()
    script = Script().think("Hm.").say("Half **of** ", gate, "it, ", later, "and the end.").end()
    chat.ask(upstream.add(script))
    gate.wait()
    chat.says("Half of")
    other = visitors.second_tab(chat).open(chat.path).says("Half of")
    assert other.shown() == chat.shown()
    gate.open()
    later.wait()
    for tab in (chat, other):
        tab.says("Half of it,")
    assert other.html() == chat.html()
    later.open()
    chat.ended()
    other.ended()
    assert other.shown() == chat.shown()
    assert other.html() == chat.html()
    question = upstream.add(Script().say("Asked in the other tab.").end())
    other.ask(question).ended()
    expect(chat.question).to_have_text(question)
    chat.ended().says("Asked in the other tab.")
    assert other.shown() == chat.shown()


def test_a_late_tab_sees_the_finished_turn(chat: Chat, visitors: Visitors, upstream: Upstream) -> None:
    chat.ask(upstream.add(Script().think("Hm.").say(*pieces()).end())).ended()
    other = visitors.second_tab(chat).open(chat.path)
    assert other.html() == chat.html()
    assert other.shown() == chat.shown()


@pytest.fixture
def cable(app: App) -> Iterator[Cable]:
    cable = Cable(app.port)
    yield cable
    cable.remove()


def test_a_lost_network_comes_back_without_loss(
    visitors: Visitors, app: App, upstream: Upstream, cable: Cable
) -> None:
    chat, gate, later = visitors.visit(app, SAMPLES), Gate(), Gate()
    chat.base = cable.url
    chat.open()
    visitors.allow(*LOST)
    chat.ask(upstream.add(Script().say(*pieces(0, gate, later)).end()))
    gate.wait()
    chat.grown(size(before_gate(1, 2)))
    cable.pull()
    expect(chat.page.locator("#connection")).to_be_visible()
    gate.open()
    later.wait()
    cable.plug()
    chat.connected()
    later.open()
    chat.ended()
    whole(chat)
    only_grew(chat.page.evaluate("window.samples"))


def test_offline_is_said_and_what_is_sent_meanwhile_goes_out_later(
    visitors: Visitors, app: App, upstream: Upstream, cable: Cable
) -> None:
    chat = visitors.visit(app)
    chat.base = cable.url
    chat.open()
    visitors.allow(*LOST)
    chat.ask(upstream.add(Script().say("One.").end())).ended()
    chat.page.context.set_offline(True)
    cable.pull()
    expect(chat.page.locator("#connection")).to_contain_text("offline")
    question = upstream.add(Script().say("Two.").end())
    chat.ask(question)
    expect(chat.turn).to_have_attribute("data-state", "unsent")
    cable.plug()
    chat.page.context.set_offline(False)
    chat.connected().ended().says("Two.")
    expect(chat.page.locator("chat-turn")).to_have_count(2)
    asked = [r for r in upstream.requests if str(r["messages"][-1]["content"]).find(question) >= 0]
    assert len(asked) == 1


def test_a_server_that_is_killed_leaves_the_partial_and_a_way_on(
    visitors: Visitors, start_app: StartApp, upstream: Upstream
) -> None:
    app = start_app(ANTHROPIC_BASE_URL=upstream.url, ANTHROPIC_MODEL=MODEL)
    chat, gate = visitors.visit(app).open(), Gate()
    visitors.allow(*LOST)
    partial = Script().think("Thought.").say("Half of ", gate, "it").end()
    chat.ask(upstream.add(partial, Script().say("The whole of it.").end()))
    gate.wait()
    chat.says("Half of")
    app.kill()
    expect(chat.page.locator("#connection")).to_be_visible()
    chat.says("Half of")
    app.start()
    chat.connected().ended("interrupted")
    chat.says("Half of")
    expect(chat.thinking).to_have_count(1)
    expect(chat.turn.locator("[data-part=ending]")).to_contain_text("Interrupted")
    chat.page.reload()
    chat.connected().ended("interrupted").says("Half of")
    chat.turn.locator("[data-part=retry-button]").click()
    expect(chat.turn.locator("[data-part=version]")).to_have_text("2 / 2")
    chat.ended().says("The whole of it.")
