"""A short, seeded round of the wire fuzzer; and a decoder that it must catch."""

import random
from itertools import islice

import pytest

from streamrender.wire import WIRES, AnthropicDecoder
from tests.fuzz import wire as fuzz


@pytest.mark.parametrize("name", WIRES)
def test_damaged_streams_keep_the_laws(name: str) -> None:
    for _, data, broken in islice(fuzz.rounds([name], seed=7), 150):
        assert broken is None, data


def test_the_fuzzer_catches_a_decoder_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnthropicDecoder, "_unreadable", lambda *_: {}["lost"])
    source = random.Random(1)
    seed = fuzz.seeds()["anthropic"][0]
    found = {fuzz.check("anthropic", fuzz.damage(seed, source), source) for _ in range(100)}
    assert "KeyError: 'lost'" in found
