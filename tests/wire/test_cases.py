"""The small inputs on which real products fail, each with its right result."""

import json
from typing import Any

import pytest

from streamrender.wire.partial_json import PartialJSON
from tests.corpus import CASES
from tests.wire.support import faults, fold, run, text_of

pytestmark = pytest.mark.corpus


def _cases(kind: str) -> list[Any]:
    path = CASES / "cases.jsonl"
    if not path.is_file():
        return [pytest.param({}, id="none")]
    found = [json.loads(line) for line in path.read_text().split("\n") if line.strip()]
    return [pytest.param(case, id=case["id"]) for case in found if case["kind"] == kind]


def _bytes(case: dict[str, Any]) -> bytes:
    if case["wire"] == "chunks":
        return b"".join(json.dumps(chunk).encode() + b"\n" for chunk in case["chunks"]) + b'{"done":true}\n'
    return "".join(case["chunks"]).encode()


def _seen(message: dict[str, Any], want: dict[str, Any]) -> dict[str, Any]:
    """The message by the names that cases use."""
    tools = [one for one in message["content"] if one["type"] == "tool_use"]
    first = tools[0] if tools else {}
    signature = "".join(one.get("signature", "") for one in message["content"])
    return {
        "text": text_of(message),
        "thinking": text_of(message, "thinking"),
        "signature": signature,
        "ended": message["ended"],
        "role": message["role"],
        "stop_reason": message["stop_reason"],
        "tool_complete": first.get("input_status") == "complete",
        "raw_input": first.get("input_text"),
        "input": first.get("input"),
        "tools": [[one["name"], one["input"]] for one in tools],
        "usage": {key: message["usage"][key] for key in want.get("usage", {})},
    }


@pytest.mark.parametrize("case", _cases("wire"))
def test_wire(case: dict[str, Any]) -> None:
    data = _bytes(case)
    events = run(case["wire"], data)
    message = fold(events)
    seen = _seen(message, case["want"])
    assert {key: seen[key] for key in case["want"] if key != "note"} == {
        key: value for key, value in case["want"].items() if key != "note"
    }
    assert run(case["wire"], data, range(len(data))) == events


def test_the_noted_cases() -> None:
    cases = {case.values[0]["id"]: case.values[0] for case in _cases("wire")}
    spliced = run("anthropic", _bytes(cases["second-message-start-other-id"]))
    assert text_of(fold(spliced)) == "second"
    assert {"type": "superseded", "reason": "second_message_start"} in spliced
    glued = run("anthropic", _bytes(cases["glued-frames"]))
    assert text_of(fold(glued)) == "x"
    assert "glued" in faults(glued)
    begin = _bytes(cases["utf8-split"])
    rest = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"北京😀"}}\n\n'
    data = begin + rest.encode()
    assert text_of(fold(run("anthropic", data, range(len(data))))) == "北京😀"


@pytest.mark.parametrize("case", _cases("tool-preview"))
def test_tool_preview(case: dict[str, Any]) -> None:
    parser = PartialJSON()
    shown: dict[str, str] = {}
    for fragment in case["fragments"]:
        for _, key, text, _ in parser.feed(fragment):
            shown[key] = shown.get(key, "") + text
    if "shown" in case["want"]:
        assert shown == case["want"]["shown"]
    if "final" in case["want"]:
        assert shown == case["want"]["final"]
        assert json.loads("".join(case["fragments"])) == case["want"]["final"]
