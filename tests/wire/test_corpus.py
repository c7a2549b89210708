"""Every recorded stream decodes, assembles to what is expected, and does so however its bytes are cut."""

import json

import pytest

from streamrender.wire.detect import detect
from tests.wire.compare import EXCEPTIONS, differences
from tests.wire.regular import irregularities
from tests.wire.support import expected, fold, random_cuts, read, recorded, run, wire_of

pytestmark = pytest.mark.corpus

SMALL = 4_000


@pytest.mark.parametrize("path", recorded())
def test_assembles_to_the_expected_message(path: str) -> None:
    found = expected(path)
    events = run(wire_of(path), read(path))
    assert irregularities(events) == []
    if found is not None:
        message = fold(events)
        assert differences(wire_of(path), message, found) == EXCEPTIONS.get(path, (set(), ""))[0]


def test_exceptions_are_of_the_corpus() -> None:
    assert set(EXCEPTIONS) <= set(recorded())
    assert all(fields and reason for fields, reason in EXCEPTIONS.values())


@pytest.mark.parametrize("path", recorded())
def test_events_do_not_depend_on_the_cuts(path: str) -> None:
    data = read(path)
    whole = run(wire_of(path), data)
    cuts = range(len(data)) if len(data) <= SMALL else random_cuts(len(data), path)
    assert run(wire_of(path), data, cuts) == whole


@pytest.mark.parametrize("path", recorded())
def test_events_are_json_and_the_wire_is_recognised(path: str) -> None:
    data = read(path)
    events = run(wire_of(path), data)
    text = json.dumps(events, ensure_ascii=False, allow_nan=False).encode()
    assert json.loads(text) == events
    if "body" not in (expected(path) or {}):  # a bare error body could be several wires'
        assert detect(data) == {"glm": "anthropic"}.get(wire_of(path), wire_of(path))


@pytest.mark.parametrize("path", recorded("anthropic", "glm"))
def test_regular_anthropic_events_pass_as_they_are(path: str) -> None:
    """An oracle that shares no code: split at blank lines, take the data, parse."""
    text = read(path).decode().replace("\r\n", "\n")
    frames = [line[5:] for block in text.split("\n\n") for line in block.split("\n") if line[:5] == "data:"]
    try:
        values = [json.loads(frame) for frame in frames]
    except ValueError:
        pytest.fail("a stream of the corpus holds frames that are no JSON")
    events = run(wire_of(path), read(path))
    kinds = ("content_block_delta", "content_block_start", "content_block_stop", "message_delta", "ping")
    theirs = [value for value in values if value["type"] in kinds]
    whole = any(
        value.get("message", {}).get("content") for value in values if value["type"] == "message_start"
    )
    if not whole and not any(event["type"] == "fault" for event in events):
        assert [event for event in events if event["type"] in kinds] == theirs
