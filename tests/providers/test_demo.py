"""The demo over real HTTP, read by the real decoder: it must be a whole upstream, also in its failures."""

import asyncio
import json
from typing import Any

import pytest

from chatsite.providers import demo
from chatsite.providers.client import UpstreamError, open_stream
from chatsite.providers.demo import script
from chatsite.providers.demo.answer import pieces, plain
from chatsite.providers.demo.server import DemoServer
from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import get
from streamrender import decode
from streamrender.message import assemble
from tests.providers.talk import Talk, said

pytestmark = pytest.mark.usefixtures("upstreams")


def talk(**options: Any) -> Talk:
    return Talk(get("demo"), **options)


async def test_a_newcomers_first_word() -> None:
    [heard] = await talk().ask("hi there")
    kinds = [block["type"] for block in heard.message["content"]]
    assert kinds == ["thinking", "text"]
    assert heard.message["stop_reason"] == "end_turn"
    assert heard.message["ended"] == "completed"
    assert heard.message["content"][0]["signature"]
    assert "demo" in said(heard)


async def test_it_answers_in_the_language_of_the_question() -> None:
    [heard] = await talk().ask("你好，你是谁？")
    assert "演示" in said(heard)
    assert "演示" in heard.message["content"][0]["thinking"] + said(heard)


@pytest.mark.parametrize(
    ("question", "expression", "value"),
    [
        ("What is 23 × 17?", "23 × 17", "391"),
        ("compute (1 + 2) * 3 please", "(1 + 2) × 3", "9"),
        ("How much is 15% of 240?", "15÷100×240", "36"),
        ("计算 12 乘以 12", "12 × 12", "144"),
        ("what is 7 divided by 0?", None, "Division by zero."),
    ],
)
async def test_it_computes_with_the_tool_and_uses_its_result(
    question: str, expression: str | None, value: str
) -> None:
    first, last = await talk().ask(question)
    assert [block["type"] for block in first.message["content"]] == ["thinking", "text", "tool_use"]
    fragments = [
        event["delta"]["partial_json"]
        for event in first.events
        if event["type"] == "content_block_delta" and event["delta"]["type"] == "input_json_delta"
    ]
    assert len(fragments) > 5
    assert max(map(len, fragments)) <= 5
    if expression:
        assert f"**{expression} = {value}**" in said(last)
    else:
        assert value in said(last)
    assert last.message["stop_reason"] == "end_turn"


async def test_parallel_calls_and_a_table_of_their_results() -> None:
    first, last = await talk().ask("Use three tools in parallel, what is 12 * 12?")
    calls = [block for block in first.message["content"] if block["type"] == "tool_use"]
    assert [call["name"] for call in calls] == ["calculator", "calculator", "current_time"]
    assert "`144`" in said(last)
    assert "| `calculator` |" in said(last)


async def test_it_offers_no_tool_that_it_was_not_given() -> None:
    prompt = Prompt([{"role": "user", "content": [{"type": "text", "text": "What is 2 * 3?"}]}])
    async with open_stream(get("demo").request(prompt)) as response:
        data = b"".join([piece async for piece in response])
    decoder = decode("anthropic")
    message = assemble(decoder.feed(data) + decoder.close())
    assert [block["type"] for block in message["content"]] == ["text"]
    assert "offers none" in message["content"][0]["text"]


async def test_a_long_conversation_is_valid_again_and_again() -> None:
    conversation = talk()
    for question in (
        "hello",
        "What is 1 + 1?",
        "Show me the Markdown tour",
        "redacted please",
        "use tools in parallel",
        "max tokens",
        "max tokens while thinking",
        "fail midway",
        "cut off",
        "refuse",
        "stop sequence",
        "switch models",
        "and 3 * 4?",
    ):
        rounds = await conversation.ask(question)
        assert rounds[-1].message["error"] is None or question == "fail midway"
    stored = json.loads(json.dumps(conversation.messages))
    assert await Talk(get("demo"), stored).ask("still there?")


async def test_an_unanswered_question_does_not_answer_the_next_one() -> None:
    conversation = talk()
    await conversation.ask("max tokens while thinking")
    [heard] = await conversation.ask("stop sequence")
    assert heard.message["stop_reason"] == "stop_sequence"


async def test_failing_midway_keeps_what_came() -> None:
    [heard] = await talk().ask("fail midway")
    assert heard.message["ended"] == "error"
    assert heard.message["error"]["type"] == "overloaded"
    assert len(said(heard)) > 200


async def test_the_connection_dies_inside_an_event() -> None:
    [heard] = await talk().ask("cut off")
    assert heard.message["ended"] == "cut_off"
    assert len(said(heard)) > 200
    assert not b"".join(heard.reads).endswith(b"\n\n")


async def test_refusing_says_why() -> None:
    [heard] = await talk().ask("refuse")
    assert heard.message["stop_reason"] == "refusal"
    assert heard.message["stop_details"]["category"]
    assert heard.message["content"] == []


@pytest.mark.parametrize(
    ("question", "reason", "last"),
    [
        ("max tokens", "max_tokens", "text"),
        ("max tokens while thinking", "max_tokens", "thinking"),
        ("stop sequence", "stop_sequence", "text"),
        ("达到长度上限", "max_tokens", "text"),
    ],
)
async def test_other_endings(question: str, reason: str, last: str) -> None:
    [heard] = await talk().ask(question)
    assert heard.message["stop_reason"] == reason
    assert heard.message["content"][-1]["type"] == last


@pytest.mark.parametrize("question", ["max tokens", "达到长度上限"])
async def test_an_answer_goes_on_where_it_stopped(question: str) -> None:
    conversation = talk()
    [first] = await conversation.ask(question)
    rest = await conversation.round()
    language = "zh" if question != "max tokens" else "en"
    assert said(first) + said(rest) == plain(script.script("story", language)[1])
    assert rest.message["stop_reason"] == "end_turn"


@pytest.mark.parametrize(("word", "language"), [("Continue", "en"), ("继续", "zh")])
def test_the_page_s_continue_goes_on_where_the_answer_was_cut(word: str, language: str) -> None:
    whole = plain(script.script("story", language)[1])
    half = whole[:90].rstrip()
    talk = [("user", "cut off"), ("assistant", half), ("user", word)]
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in talk]
    (rest,) = script.answer(messages, []).parts
    assert half + rest.text == whole


async def test_the_request_s_own_limit_is_kept() -> None:
    [heard] = await talk(max_tokens=90, thinking=False).ask("tour")
    assert heard.message["stop_reason"] == "max_tokens"
    assert heard.message["usage"]["output_tokens"] == 90


async def test_redacted_thinking() -> None:
    [heard] = await talk().ask("redacted thinking")
    assert [block["type"] for block in heard.message["content"]] == ["redacted_thinking", "thinking", "text"]


async def test_overloaded_twice_then_works() -> None:
    conversation = talk()
    for _ in range(2):
        with pytest.raises(UpstreamError) as caught:
            await conversation.ask("overloaded")
        assert (caught.value.type, caught.value.status) == ("overloaded", 529)
        assert caught.value.retry_after == 2.0
        conversation.messages.pop()
    [heard] = await conversation.ask("overloaded")
    assert heard.message["ended"] == "completed"


async def test_bytes_are_cut_inside_characters_and_lines() -> None:
    [heard] = await talk().ask("展示一下 Markdown 的样式")
    torn = 0
    for read in heard.reads[:-1]:
        try:
            read.decode()
        except UnicodeDecodeError:
            torn += 1
    assert torn > 3
    assert sum(not read.endswith(b"\n\n") for read in heard.reads) > 20
    assert sum(read.count(b"event: ") > 1 for read in heard.reads) > 5
    assert said(heard) == plain(script.script("tour", "zh")[1])


async def test_the_split_bold_code_of_a_list_item() -> None:
    [heard] = await talk().ask("Explain isEven in JavaScript")
    texts = [
        event["delta"]["text"]
        for event in heard.events
        if event["type"] == "content_block_delta" and event["delta"]["type"] == "text_delta"
    ]
    at = texts.index("1. **`isEven(")
    assert texts[at + 1] == "number)` function:**"


async def test_leaving_the_stream_is_seen_at_once() -> None:
    server = await DemoServer.started(speed=0.5)
    choice = get("demo")
    request = choice.request(Prompt([{"role": "user", "content": "tour"}]))
    request = type(request)(
        request.method, request.url.replace(demo.SCHEME, server.base_url), request.headers, request.body
    )
    async with open_stream(request) as response:
        async for _ in response:
            assert server.open_streams == 1
            break
    for _ in range(200):
        if not server.open_streams:
            break
        await asyncio.sleep(0.005)
    assert server.open_streams == 0
    await server.stop()


async def test_readers_who_leave_make_no_noise(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMRENDER_DEMO_SPEED", "50")
    request = get("demo").request(Prompt([{"role": "user", "content": "tour"}]))
    for reads in range(12):
        async with open_stream(request) as response:
            parts = aiter(response)
            for _ in range(reads):
                await anext(parts)
    await asyncio.sleep(0.05)
    assert [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


async def test_one_server_a_loop_started_once() -> None:
    urls = await asyncio.gather(*(demo.start() for _ in range(5)))
    assert len(set(urls)) == 1
    await demo.stop()
    await demo.stop()


@pytest.mark.parametrize("topic", ["hello", "tour", "code", "long", "story"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_scripts_are_whole(topic: str, language: str) -> None:
    for text in script.script(topic, language):
        assert text
        assert "".join(pieces(text)) == plain(text)
        assert all(pieces(text))
