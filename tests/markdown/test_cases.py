"""Recorded cases: what a text must give when it is complete and what a reader sees of its prefixes."""

import json
from typing import Any

import pytest

from streamrender.markdown import render_live, render_markdown
from tests.corpus import CASES
from tests.markdown import laws

pytestmark = pytest.mark.corpus


def cases() -> list[dict[str, Any]]:
    lines = (CASES / "cases.jsonl").read_text(encoding="utf-8").split("\n")
    found = [case for line in lines if line and (case := json.loads(line))["kind"] == "markdown"]
    assert len(found) >= 20
    return found


def test_final() -> None:
    for case in cases():
        html = render_markdown(case["text"])
        assert html == case.get("final", html), case["id"]
        assert all(part in html for part in case.get("final_has", [])), (case["id"], html)
        assert not any(part in html for part in case.get("final_hasnt", [])), (case["id"], html)


def test_live() -> None:
    for case in cases():
        for prefix, has, hasnt in case.get("live", []):
            html = render_live(prefix)
            assert all(part in html for part in has), (case["id"], prefix, html)
            assert not any(part in html for part in hasnt), (case["id"], prefix, html)


def test_the_laws_hold_at_every_character() -> None:
    for case in cases():
        laws.stream(case["text"], laws.every(case["text"]))
