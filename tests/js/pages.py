"""Pages of turns for the tests, in the shape that snapshots have."""

from typing import Any

from tests.js.stage import turn_id


def turn(**fields: Any) -> dict[str, Any]:
    """The turn fields of a complete turn, changed by `fields`."""
    usage = {"input_tokens": 1204, "output_tokens": 356, "cache_read_tokens": 0, "cache_write_tokens": 0}
    return {
        "state": "ended",
        "model": "demo-1",
        "provider": "demo",
        "round": 1,
        "ending": "complete",
        "error": None,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "refusal": None,
        "usage": {**usage, "thinking_tokens": 0},
        "started_at": 0,
        "first_token_at": 800,
        "ended_at": 12_300,
        "retry": None,
        "faults": 0,
        **fields,
    }


def live(state: str = "answering", **fields: Any) -> dict[str, Any]:
    """The turn fields of a turn that goes on."""
    return turn(state=state, **{"ending": None, "stop_reason": None, "ended_at": None, **fields})


def text(html: str = "<p>Hello</p>", **fields: Any) -> dict[str, Any]:
    return {"id": "1.1", "kind": "text", "html": html, "state": "done", "markdown": "Hello", **fields}


def thinking(**fields: Any) -> dict[str, Any]:
    """A thinking pane that took 5.4 s."""
    pane = {"id": "1.0", "kind": "thinking", "html": "<p>Let me think.</p>", "state": "done"}
    return {**pane, "started_at": 800, "ended_at": 6200, **fields}


def tool(**fields: Any) -> dict[str, Any]:
    """A call of the calculator that is done."""
    return {
        "id": "1.2",
        "kind": "tool",
        "tool_id": "call_1",
        "name": "calculator",
        "server": False,
        "args": [["expression", "6 * 7", True]],
        "bytes": 23,
        "state": "done",
        "started_at": 1000,
        "run_at": 1400,
        "ended_at": 1500,
        "progress": "",
        "result": "42",
        "result_error": False,
        **fields,
    }


def page(turn_: dict[str, Any], *panes: dict[str, Any]) -> dict[str, Any]:
    return {"turn": turn_, "panes": list(panes)}


def changes(start: int, end: int, *changes_: list[Any]) -> dict[str, Any]:
    """An ops frame for turn 1 of the test's conversation."""
    id_ = turn_id(1)
    frame = {"type": "ops", "turn": id_, "epoch": f"{id_}:1", "changes": list(changes_)}
    return {**frame, "from": start, "to": end}
