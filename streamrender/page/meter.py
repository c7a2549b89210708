"""Token counts of a turn: cumulative within a round, summed over rounds, in the names of usage.py."""

from typing import Any

from streamrender.usage import Usage, merge, normal

FIELDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "thinking_tokens")


class Meter:
    """Usage of one turn."""

    def __init__(self) -> None:
        self._before = dict.fromkeys(FIELDS, 0)
        self._round: Usage = {}

    def new_round(self) -> None:
        """A new upstream request: what the last one used stays used."""
        self._before = self.total()
        self._round = {}

    def read(self, usage: Any) -> None:
        """The `usage` of a message_start or message_delta, each figure replacing this round's earlier one."""
        self._round = merge(self._round, usage)

    def context(self) -> int:
        """Tokens that the last request and its answer took of the model's context."""
        now = normal(self._round)
        return sum(now[field] for field in FIELDS if field != "thinking_tokens")

    def total(self) -> dict[str, int]:
        """Tokens by field, all rounds together."""
        now = normal(self._round)
        return {field: self._before[field] + now[field] for field in FIELDS}
