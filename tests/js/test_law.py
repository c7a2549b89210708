"""The law of the page: a turn built from an early snapshot and given the changes after it is the same
document as a turn built from the late snapshot, wherever the first snapshot was taken."""

from typing import Any

import pytest

from streamrender import decode
from streamrender.page.panes import TurnPage
from tests.corpus import CORPUS
from tests.js.stage import Stage, snapshot

BUILD = """async ([frame, steps]) => {
  const { ChatTurn } = await import("/static/js/elements/chat-turn.js");
  Date.now = () => 1_800_000_000_000;
  sessionStorage.clear();
  const turn = ChatTurn.build(frame);
  document.getElementById("turns").replaceChildren(turn);
  for (const changes of steps) turn.change(changes);
  turn.tick();
  for (const live of turn.querySelectorAll("thinking-pane, tool-card")) live.tick();
  const settle = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await settle();
  await settle();
  for (const bar of turn.querySelectorAll(".code-tool")) bar.removeAttribute("style");
  return turn.outerHTML;
}"""


def block(index: int, kind: str, deltas: list[dict[str, Any]], **start: Any) -> list[dict[str, Any]]:
    """The events of one content block."""
    begin = {"type": "content_block_start", "index": index, "content_block": {"type": kind, **start}}
    middle = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [begin, *middle, {"type": "content_block_stop", "index": index}]


def texts(kind: str, *parts: str) -> list[dict[str, Any]]:
    return [{"type": f"{kind}_delta", kind: part} for part in parts]


def pieces(*parts: str) -> list[dict[str, Any]]:
    return [{"type": "input_json_delta", "partial_json": part} for part in parts]


def story() -> list[dict[str, Any]]:
    """A turn with everything in it: a wait, thinking, text, parallel tools, code, an error."""
    overloaded = {"type": "overloaded_error", "message": "Overloaded", "status": 529}
    thought = texts("thinking", "Let me ", "*think*.\n\n", "So")
    said = texts("text", "I ", "calculate **both", "** parts.\n\n1. `a", "` one\n2. two")
    table = ["print(2)\n```\n\n| a | b |\n|---|", "--|\n| 1 | 2 |\n", "\nEnd."]
    code = texts("text", "Done:\n\n```py", "thon\nprint(1)\n", *table)
    usage = {"input_tokens": 100, "output_tokens": 7}
    events = [
        {"type": "request_started", "round": 1, "provider": "demo", "wire": "anthropic", "model": "demo-1"},
        {"type": "retry_wait", "attempt": 1, "seconds": 2.0, "error": overloaded},
        {"type": "request_started", "round": 1, "provider": "demo", "wire": "anthropic", "model": "demo-1"},
        {"type": "message_start", "message": {"id": "m1", "model": "demo-1", "content": [], "usage": usage}},
        *block(0, "thinking", thought),
        *block(1, "redacted_thinking", [], data="x"),
        *block(2, "text", said, text=""),
        *block(
            3,
            "tool_use",
            pieces('{"expression": "6 ', '* 7", "digits": 2', "}"),
            id="call_1",
            name="calculator",
            input={},
        ),
        *block(
            4,
            "tool_use",
            pieces('{"zone": "Europe', '/Berlin"}'),
            id="call_2",
            name="clock",
            input={},
        ),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 90}},
        {"type": "message_stop"},
        {"type": "stream_end", "ended": "completed", "error": None},
        {"type": "tool_started", "id": "call_1", "name": "calculator"},
        {"type": "tool_started", "id": "call_2", "name": "clock"},
        {"type": "tool_progress", "id": "call_1", "text": "half "},
        {"type": "tool_progress", "id": "call_1", "text": "done"},
        {"type": "tool_result", "id": "call_1", "content": "42", "is_error": False},
        {"type": "tool_result", "id": "call_2", "content": "no such zone", "is_error": True},
        {"type": "request_started", "round": 2, "provider": "demo", "wire": "anthropic", "model": "demo-1"},
        {"type": "message_start", "message": {"id": "m2", "model": "demo-1", "content": [], "usage": usage}},
        *block(0, "thinking", texts("thinking", "Now I know.")),
        *block(1, "text", code, text=""),
        *block(2, "hologram", [], anything=1),
        {"type": "error", "error": {"type": "api_error", "message": "Broken"}},
        {"type": "stream_end", "ended": "error", "error": {"type": "api_error", "message": "Broken"}},
        {"type": "turn_end", "ending": "error", "error": {"type": "api_error", "message": "Broken"}},
    ]
    return [{**event, "at": 100 * number} for number, event in enumerate(events)]


def test_a_snapshot_and_its_changes_equal_the_later_snapshot(stage: Stage) -> None:
    stage.open()
    page = TurnPage()
    pages, steps = [page.snapshot()], []
    for event in story():
        steps.append(page.feed([event]))
        pages.append(page.snapshot())
    late = [build(stage, frame, []) for frame in pages]
    assert build(stage, pages[0], steps) == late[-1]
    for start in range(0, len(pages) - 1, 5):
        end = min(start + 5, len(steps))
        assert build(stage, pages[start], steps[start:end]) == late[end], start
        assert build(stage, pages[start], steps[start:]) == late[-1], start


@pytest.mark.parametrize("size", [2, 7])
def test_several_events_in_one_frame_give_the_same_document(stage: Stage, size: int) -> None:
    stage.open()
    events, page = story(), TurnPage()
    first = page.snapshot()
    steps = [page.feed(events[i : i + size]) for i in range(0, len(events), size)]
    assert build(stage, first, steps) == build(stage, page.snapshot(), [])


RECORDED = {
    "anthropic/fantasy/testdata_TestAnthropicWebSearch_stream.1.sse": "anthropic",
    "anthropic/llm-anthropic/test_thinking_prompt.sse": "anthropic",
    "anthropic/anthropic-sdk-python/spliced-refusal-then-fallback.sse": "anthropic",
    "glm-anthropic/counting.sse": "glm",
}


@pytest.mark.corpus
@pytest.mark.parametrize("name", RECORDED)
def test_the_law_holds_on_recorded_streams(stage: Stage, name: str) -> None:
    decoder = decode(RECORDED[name])
    events = decoder.feed((CORPUS / name).read_bytes()) + decoder.close()
    events = [{**event, "at": 50 * number} for number, event in enumerate(events)]
    stage.open()
    page = TurnPage()
    pages, steps = [page.snapshot()], []
    for i in range(0, len(events), 3):
        steps.append(page.feed(events[i : i + 3]))
        pages.append(page.snapshot())
    late = build(stage, pages[-1], [])
    for start in (0, len(steps) // 3, len(steps) // 2):
        assert build(stage, pages[start], steps[start:]) == late, start


def build(stage: Stage, page: dict[str, Any], steps: list[Any]) -> str:
    """The document of a turn built from a page and given these lists of changes."""
    html = stage.page.evaluate(BUILD, [snapshot(1, page), steps])
    assert isinstance(html, str)
    return html
