"""The official SDKs as oracles: what they make of every recorded stream over HTTP, we make of it too.

WRONG lists each stream where an SDK raises or differs, with the exception or the fields, and why. A stream
that is not listed must be equal; a listed one must still raise or differ in just that way. Repeated roles,
which openai's chat state concatenates in a quarter of the streams, are left out of the comparison.
"""

from collections.abc import Iterator

import pytest

from tests.wire.oracles import ORACLES
from tests.wire.replay import replaying
from tests.wire.support import message, read, recorded, wire_of

pytestmark = pytest.mark.corpus

PATHS = recorded()

# (what happens, why) -> the streams
WRONG: dict[tuple[str, str], list[str]] = {
    ("content", "it takes a call cut by max_tokens for one with the arguments so far, or none"): [
        "anthropic/anthropic-sdk-python/incomplete_partial_json_response.sse",
        "anthropic/anthropic-sdk-ts/incomplete_partial_json_response.sse",
        "llamacpp/messages-tool-use-max-tokens-mid-json.sse",
        "llamacpp/messages-tool-use.sse",
    ],
    ("ClientError", "it raises for an error that came as lines of bare JSON; we end in that error"): [
        "gemini/firebase/googleai_streaming-failure-image-rejected.sse",
        "gemini/firebase/vertexai_streaming-failure-api-key.sse",
        "gemini/firebase/vertexai_streaming-failure-unknown-model.sse",
    ],
    ("calls", "it has no accumulator and its chunks give streamed arguments as pieces only"): [
        "gemini/vercel-ai/google-stream-no-args-tool-call.sse",
        "gemini/vercel-ai/google-stream-tool-call-array-arguments-missing-terminal-function-call.sse",
        "gemini/vercel-ai/google-vertex-stream-tool-call-arguments-nested.1.sse",
    ],
    (
        "AssertionError",
        "it asserts on chunks without what it expects; we read the stream, or its error",
    ): [
        "llamacpp/chat-context-overflow.sse",
        "openai-chat/openllmetry/test_writer_async_streaming_chat_multiple_tool_call_requests_legacy.sse",
        "openai-chat/openllmetry/test_writer_async_streaming_chat_tool_call_request_legacy.sse",
    ],
    ("AssertionError", "it asserts on a JSON error body under status 200; we end in that error"): [
        "llamacpp/messages-context-overflow.sse"
    ],
    ("id,model", "it keeps the empty id and model of Azure's first chunk"): [
        "openai-chat/crewai/TestAzureToolCallStreaming.test_azure_streaming_emits_tool_call_events.sse",
        "openai-chat/crewai/test_azure_streaming_completion.sse",
        "openai-chat/crewai/test_azure_streaming_returns_usage_metrics.sse",
        "openai-chat/fantasy/TestAzureCommon_azure-gpt-5-mini_tool_streaming.1.sse",
        "openai-chat/fantasy/TestAzureCommon_azure-gpt-5-mini_tool_streaming.2.sse",
        "openai-chat/fantasy/TestAzureCommon_azure-o4-mini_simple_streaming.sse",
        "openai-chat/fantasy/TestAzureCommon_azure-o4-mini_tool_streaming.1.sse",
        "openai-chat/fantasy/TestAzureCommon_azure-o4-mini_tool_streaming.2.sse",
        "openai-chat/openllmetry/test_chat_async_streaming.1.sse",
        "openai-chat/openllmetry/test_chat_async_streaming.2.sse",
        "openai-chat/openllmetry/test_chat_async_streaming.3.sse",
        "openai-chat/openllmetry/test_chat_async_streaming.4.sse",
        "openai-chat/openllmetry/test_chat_streaming.1.sse",
        "openai-chat/openllmetry/test_chat_streaming.2.sse",
        "openai-chat/openllmetry/test_chat_streaming.3.sse",
        "openai-chat/openllmetry/test_chat_streaming.4.sse",
        "openai-chat/openllmetry/test_chat_streaming_with_events_with_no_content.2.sse",
        "openai-chat/openllmetry/test_chat_streaming_with_events_with_no_content.3.sse",
        "openai-chat/openllmetry/test_chat_streaming_with_events_with_no_content.4.sse",
        "openai-chat/vercel-ai/azure-model-router.1.sse",
    ],
    ("RuntimeError", "it wants an index in every list; reasoning_details and Mistral's parts have none"): [
        "openai-chat/logfire/test_openrouter_streaming_reasoning.sse",
        "openai-chat/vercel-ai/mistral-reasoning.sse",
    ],
    ("usage", "it does not read the usage that Groq puts under x_groq"): [
        "openai-chat/openinference/TestTokenCounts.test_groq.sse",
        "openai-chat/pydantic-ai/test_groq_model_thinking_part_iter.1.sse",
        "openai-chat/pydantic-ai/test_groq_model_thinking_part_iter.2.sse",
        "openai-chat/pydantic-ai/test_groq_model_web_search_tool_stream.sse",
    ],
    ("TypeError", "it cannot take a tool call without an index (Mistral)"): [
        "openai-chat/openinference/test_synchronous_streaming_chat_completions_with_tool_call_response_emits_expected_spans_False.sse",
        "openai-chat/openinference/test_synchronous_streaming_chat_completions_with_tool_call_response_emits_expected_spans_True.sse",
        "openai-chat/vercel-ai/mistral-tool-call.sse",
    ],
    ("APIError", "it raises for an error in the stream and loses the partial; we keep both"): [
        "openai-chat/pydantic-ai/test_openrouter_stream_error.sse",
        "openai-chat/pydantic-ai/test_tool_use_failed_error_streaming.1.sse",
    ],
    ("text", "it loses text when Mistral's content changes from a list of parts to a string"): [
        "openai-chat/ruby_llm/chat_mistral_hybrid_reasoning_streams_thinking_separately_from_content.sse",
        "openai-chat/ruby_llm/chat_with_extended_thinking_mistral_mistral-small-latest_streams_thinking_content_when_available.sse",
    ],
    ("RuntimeError", "it refuses a stream that is resumed, rotates its ids, or is followed by another"): [
        "openai-responses/pydantic-ai/test_background_mode_streaming_starting_after_vcr.2.sse",
        "openai-responses/vercel-ai/github-copilot-id-rotation.1.sse",
        "openai-responses/vercel-ai/openai-shell-tool.1.sse",
    ],
    ("APIError", "it raises for an error event; we end in that error"): [
        "openai-responses/vercel-ai/openai-error.1.sse"
    ],
    ("usage", "it adds a web_fetch_requests that the upstream never sent"): ["glm-anthropic/counting.sse"],
}
WHAT = {path: what for (what, _), paths in WRONG.items() for path in paths}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with replaying([read(path) for path in PATHS]) as address:
        yield address


def what_differs(path: str, url: str) -> str:
    """Nothing, the names of the fields that differ, or the exception that the SDK raises."""
    sdk, bring = ORACLES[wire_of(path)]
    try:
        theirs = sdk(url, PATHS.index(path))
    except Exception as problem:
        return type(problem).__name__
    ours = bring(message(wire_of(path), read(path)), theirs)
    return ",".join(key for key in ours if ours[key] != theirs.get(key))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.filterwarnings("ignore")
def test_equals_the_sdk(path: str, url: str) -> None:
    assert what_differs(path, url) == WHAT.get(path, "")


def test_the_list_names_streams_of_the_corpus_once() -> None:
    listed = [path for paths in WRONG.values() for path in paths]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(PATHS)


def test_a_difference_is_noticed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(path for path in recorded("anthropic") if path not in WHAT)
    sdk, bring = ORACLES["anthropic"]
    monkeypatch.setitem(ORACLES, "anthropic", (sdk, lambda m, t: bring({**m, "stop_reason": "other"}, t)))
    assert what_differs(path, url) == "stop_reason"
