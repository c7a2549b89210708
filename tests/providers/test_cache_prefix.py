"""A growing conversation is read from Anthropic's cache: each request begins with the bytes that the one
before it asked to be kept.
The prefix is in the order in which Anthropic hashes it: tools, system, messages; marks do not count.
"""

import json
from typing import Any

from chatsite.providers import anthropic
from chatsite.providers.prompt import Prompt
from tests.providers.build import assistant, call, result, text, user

TOOLS = [{"name": "calculator", "description": "Adds.", "input_schema": {"type": "object", "properties": {}}}]
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}


def prefixes(messages: list[Any]) -> tuple[bytes, list[bytes]]:
    """All bytes of a request in order, and what stands before each of its marks."""
    prompt = Prompt(messages, system="Be brief.", tools=TOOLS, thinking=True)
    body = anthropic.request(prompt, base_url="http://h", model="claude-opus-5-5", provider="anthropic").body
    parts = [*body["tools"], *body["system"]]
    for message in body["messages"]:
        parts += [{"role": message["role"], **block} for block in message["content"]]
    whole, marked = b"", []
    for part in parts:
        plain = {key: value for key, value in part.items() if key != "cache_control"}
        whole += json.dumps(plain, ensure_ascii=False).encode()
        if "cache_control" in part:
            marked.append(whole)
    return whole, marked


def test_each_request_begins_with_what_the_one_before_kept() -> None:
    talk: list[Any] = [user(text("1+1?"))]
    steps = [
        [assistant(THOUGHT, call("t1")), user(result("t1", "2"))],
        [assistant(text("Two."), stop_reason="end_turn"), user(text("And 2+2?"), text("Quickly."))],
        [assistant(THOUGHT, call("t2"), call("t3")), user(result("t2", "4"), result("t3", "4"))],
        [assistant(text("Four.")), user(text("Thanks"))],
    ]
    before = prefixes(talk)
    for step in steps:
        talk = talk + step
        now = prefixes(talk)
        kept = before[1][-1]
        assert kept == before[0], "all of a request is kept"
        assert now[0].startswith(kept)
        assert kept in now[1], "the same place is marked again, so that it is found at once"
        assert len(now[1]) <= 4
        before = now
