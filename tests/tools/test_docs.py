"""The worked example of docs/tools.md runs as it stands there."""

import re
from typing import Any

from chatsite.tools import registry
from tests.corpus import ROOT


async def test_the_example_runs() -> None:
    texts: list[str] = []

    async def report(text: str) -> None:
        texts.append(text)

    written = (ROOT / "docs" / "tools.md").read_text("utf-8")
    [example] = re.findall(r"```python\n(.*?)```", written, re.S)
    assert example.count("\n") < 60
    scope: dict[str, Any] = {}
    exec(compile(example, "docs/tools.md", "exec"), scope)
    try:
        outcome = await registry.run("count_words", {"text": "a longer word"}, report)
        assert outcome.content == "3 words, the longest is longer."
        assert texts == ["counting 3 words"]
        assert (await registry.run("count_words", {"text": " "}, report)).is_error
        assert (await registry.run("count_words", {}, report)).is_error
    finally:
        registry.unregister("count_words")
    for definition in registry.definitions():
        assert f"`{definition['name']}`" in written
