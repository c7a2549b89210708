"""docs/providers.md says what the code does: its example builds a request, its defaults are the code's."""

import re
from typing import Any

from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import UPSTREAMS
from tests.corpus import ROOT
from tests.providers.build import assistant, text, user

WRITTEN = (ROOT / "docs" / "providers.md").read_text("utf-8")


def test_the_example_builds_a_request() -> None:
    [example] = re.findall(r"```python\n(.*?)```", WRITTEN, re.S)
    assert example.count("\n") < 60
    scope: dict[str, Any] = {}
    exec(compile(example, "docs/providers.md", "exec"), scope)
    prompt = Prompt([user(text("a")), assistant(text("b")), user(text("c"))], max_tokens=5)
    request = scope["request"](prompt, base_url="http://h/", model="m", key="k", provider="mine")
    assert request.url == "http://h/generate"
    assert request.body["prompt"] == "user: a\nassistant: b\nuser: c"
    assert request.redacted()["headers"]["authorization"] == "[removed]"


def test_the_defaults_are_the_codes() -> None:
    for upstream in UPSTREAMS:
        row = next(line for line in WRITTEN.splitlines() if line.startswith(f"| `{upstream.prefix}_…`"))
        assert f"`{upstream.base_url}`" in row
        assert f"`{upstream.model}`" in row
