"""How much to think, in the words that each OpenAI model knows; others refuse the word."""

from __future__ import annotations

import re

REASONS = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d))(?!.*chat)")
"""Models that take a reasoning effort, and no temperature beside it."""
NO_XHIGH = re.compile(r"^(?:o\d|gpt-5(?:-|$)|gpt-5\.1(?:$|-(?!codex-max)))")
"""Of these, the models that go no higher than "high"."""
NO_NONE = re.compile(r"^(?:o\d|gpt-5(?:-|$))")
"""Of these, the models that always think."""


def effort_word(model: str, effort: str) -> str:
    """The model's own word for an effort of prompt.EFFORTS or "off".

    >>> effort_word("gpt-5.5", "max"), effort_word("o3", "max"), effort_word("gpt-5.5", "off")
    ('xhigh', 'high', 'none')
    """
    if effort == "off":
        if not NO_NONE.search(model):
            return "none"
        return "minimal" if model.startswith("gpt-5") else "low"
    if effort in ("xhigh", "max"):
        return "high" if NO_XHIGH.search(model) or not REASONS.search(model) else "xhigh"
    return effort
