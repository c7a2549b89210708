"""The live preview of tool arguments: equal to the parsed object at the end, only growing before, linear."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamrender.wire.jsontext import mend
from streamrender.wire.partial_json import Field, PartialJSON
from tests.wire.streams import JSON, TEXT

OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)
STYLES = st.sampled_from([{}, {"ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":")}])


def shown(fields: list[Field]) -> list[tuple[str, str, bool]]:
    """(key, text, complete) of each row after these pieces."""
    rows: list[list[Any]] = []
    for at, key, text, complete in fields:
        if at == len(rows):
            rows.append([key, "", False])
        row = rows[at]
        assert row[0] == key
        assert not row[2], "a complete row changed"
        row[1] += text
        row[2] = complete
    return [(row[0], row[1], row[2]) for row in rows]


def feed(text: str, cuts: list[int]) -> tuple[list[Field], str]:
    parser = PartialJSON()
    found: list[Field] = []
    start = 0
    for cut in [*sorted(min(cut, len(text)) for cut in cuts), len(text)]:
        found += parser.feed(text[start:cut])
        start = cut
    return found, parser.state


def wanted(value: Any) -> str:
    """How a whole value is shown: strings as themselves, the rest as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@given(OBJECTS, STYLES, st.lists(st.integers(0, 300), max_size=8))
def test_a_whole_object_shows_its_values(
    value: dict[str, Any], style: dict[str, Any], cuts: list[int]
) -> None:
    text = json.dumps(value, **style)
    fields, state = feed(text, cuts)
    assert state == "complete"
    assert shown(fields) == [(key, wanted(one), True) for key, one in value.items()]


@given(OBJECTS, STYLES, st.integers(0, 300), st.lists(st.integers(0, 300), max_size=4))
def test_a_prefix_shows_a_prefix(
    value: dict[str, Any], style: dict[str, Any], size: int, cuts: list[int]
) -> None:
    text = json.dumps(value, **style)
    fields, state = feed(text[:size], cuts)
    assert state == ("complete" if size >= len(text) else "incomplete")
    rows = shown(fields)
    final = [(key, wanted(one)) for key, one in value.items()]
    for at, (key, part, complete) in enumerate(rows):
        assert key == final[at][0]
        assert part == final[at][1] if complete else final[at][1].startswith(part)
    assert rows == shown(feed(text[:size], [])[0])
    for (_, one), (_, part, complete) in zip(value.items(), rows, strict=False):
        if isinstance(one, int | float) or one is None:
            assert complete, f"half of a number or word is shown: {part}"


@given(
    st.text(st.sampled_from('{}[]:,"\\ue1d8n -+.tfa\n'), max_size=14),
    st.lists(st.integers(0, 14), max_size=4),
)
def test_the_state_is_what_json_says(text: str, cuts: list[int]) -> None:
    fields, state = feed(text, cuts)
    assert (shown(fields), state) == (shown(feed(text, [])[0]), state)
    try:
        value = json.loads(text)
    except ValueError:
        assert state != "complete"
    else:
        assert state == ("complete" if isinstance(value, dict) else state)
        if isinstance(value, dict) and len(value) == len(shown(fields)):
            strings = {key: mend(one) for key, one in value.items() if isinstance(one, str)}
            assert {key: part for key, part, _ in shown(fields) if key in strings} == {
                mend(key): one for key, one in strings.items()
            }


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ('{"a": Dave}', "invalid"),
        ('{"a": .}', "invalid"),
        ('{"a": 1}{"b": 2}', "invalid"),
        ("[1]", "invalid"),
        ('{"a": 01}', "invalid"),
        ('{"a": "\\x"}', "invalid"),
        ('{"a": "line\nend"}', "invalid"),
        ('{"a": 1,}', "invalid"),
        ('{"a": 1', "incomplete"),
        ('{"a": tr', "incomplete"),
        ('{"a": "\\ud83d', "incomplete"),
        ("", "incomplete"),
        (' {"a": {}} ', "complete"),
    ],
)
def test_states(text: str, state: str) -> None:
    assert feed(text, [])[1] == state
    assert feed(text, list(range(len(text))))[1] == state


def test_halves_of_characters_wait() -> None:
    parser = PartialJSON()
    assert parser.feed('{"a":"x\\ud83d') == [(0, "a", "x", False)]
    assert parser.feed("\\ude00") == [(0, "a", "😀", False)]
    assert shown(feed('{"a":"\\ud83dx","b":["\\ud83d","\\ude00"]}', [])[0]) == [
        ("a", "\ufffdx", True),
        ("b", '["\ufffd","\ufffd"]', True),
    ]


class _ShowsNumbersEarly(PartialJSON):
    """A mutant: half a number is a number."""

    def _grow_atom(self, text: str, pos: int) -> int:
        return super()._grow_atom(text + ",", pos) and len(text)


def test_a_parser_that_shows_half_numbers_is_noticed() -> None:
    assert PartialJSON().feed('{"n":10') == []
    assert _ShowsNumbersEarly().feed('{"n":10') != []


def _cost(size: int, make: Any) -> float:
    text = json.dumps({"content": "x y\n" * size, "list": list(range(size))})
    best = 9.0
    for _ in range(3):
        parser = make()
        begin = time.process_time()
        for at in range(0, len(text), 7):
            parser.feed(text[at : at + 7])
        best = min(best, time.process_time() - begin)
    return best


def test_the_cost_is_linear() -> None:
    assert _cost(8_000, PartialJSON) < 14 * _cost(1_000, PartialJSON)
