"""Requests with tools that the provider runs, and with what these gave, fit the official types."""

from typing import Any

import anthropic.types.beta as beta
import pytest
from google.genai import types as genai
from pydantic import BaseModel, ConfigDict

from chatsite.providers import anthropic as anthropic_wire
from chatsite.providers import gemini
from chatsite.providers.prompt import SERVER_TOOLS, Prompt
from tests.providers.build import assistant, text, user
from tests.providers.sdk import check

FOUND = {
    "type": "web_search_result",
    "url": "https://e.example",
    "title": "E",
    "encrypted_content": "x",
    "page_age": None,
}
CITED = {
    "type": "web_search_result_location",
    "url": "https://e.example",
    "title": "E",
    "cited_text": "So.",
    "encrypted_index": "i",
}
FETCHED = {
    "type": "web_fetch_result",
    "url": "https://e.example",
    "retrieved_at": None,
    "content": {
        "type": "document",
        "title": None,
        "citations": None,
        "source": {"type": "text", "media_type": "text/plain", "data": "So."},
    },
}
RAN = {
    "type": "bash_code_execution_result",
    "stdout": "2\n",
    "stderr": "",
    "return_code": 0,
    "content": [{"type": "bash_code_execution_output", "file_id": "f"}],
}


def ran(ident: str, name: str, kind: str, content: Any) -> list[dict[str, Any]]:
    """A call of the provider's own tool and its result, as they are stored."""
    call = {
        "type": "server_tool_use",
        "id": ident,
        "name": name,
        "input": {"q": 1},
        "input_text": '{"q": 1}',
        "input_status": "complete",
        "caller": None,
    }
    return [call, {"type": kind, "tool_use_id": ident, "content": content}]


ANSWER = assistant(
    *ran("srvtoolu_1", "web_search", "web_search_tool_result", [FOUND]),
    {"type": "text", "text": "So it is.", "citations": [CITED]},
    *ran("srvtoolu_2", "web_fetch", "web_fetch_tool_result", FETCHED),
    *ran("srvtoolu_3", "bash_code_execution", "bash_code_execution_tool_result", RAN),
    *ran(
        "srvtoolu_4",
        "web_search",
        "web_search_tool_result",
        {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    ),
    text("Two."),
)
BLOCKS = {
    "text": beta.BetaTextBlockParam,
    "server_tool_use": beta.BetaServerToolUseBlockParam,
    "web_search_tool_result": beta.BetaWebSearchToolResultBlockParam,
    "web_fetch_tool_result": beta.BetaWebFetchToolResultBlockParam,
    "bash_code_execution_tool_result": beta.BetaBashCodeExecutionToolResultBlockParam,
}
TOOLS = {
    "web_search": beta.BetaWebSearchTool20250305Param,
    "web_fetch": beta.BetaWebFetchTool20250910Param,
    "code_execution": beta.BetaCodeExecutionTool20250825Param,
}


def test_anthropic() -> None:
    prompt = Prompt([user(text("look")), ANSWER, user(text("thanks"))], server_tools=SERVER_TOOLS)
    body = anthropic_wire.request(
        prompt, base_url="http://h", model="claude-sonnet-5-5", provider="anthropic"
    ).body
    check(beta.message_create_params.MessageCreateParamsStreaming, body)
    assert [tool["name"] for tool in body["tools"]] == list(TOOLS)
    for tool in body["tools"]:
        check(TOOLS[tool["name"]], tool)
    sent = body["messages"][1]["content"]
    assert [block["type"] for block in sent] == [block["type"] for block in ANSWER["content"]]
    for block in sent:
        check(BLOCKS[block["type"]], block)


class Strict(BaseModel):
    """What a GenerateContentRequest holds, with unknown keys refused."""

    model_config = ConfigDict(extra="forbid")
    contents: list[genai.Content]
    generationConfig: genai.GenerationConfig
    tools: list[genai.Tool]
    toolConfig: genai.ToolConfig | None = None


PARTS = [
    {"executableCode": {"language": "PYTHON", "code": "print(1+1)"}, "thoughtSignature": "AA=="},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2\n"}},
    {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "id": "s1", "args": {"queries": ["q"]}}},
    {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "id": "s1", "response": {"search": "s"}}},
]


@pytest.mark.parametrize("functions", [True, False])
def test_gemini(functions: bool) -> None:
    blocks = [
        {"type": "server_tool_use", "id": f"s{n}", "name": "x", "input": {}, "provider": {"part": part}}
        for n, part in enumerate(PARTS)
    ]
    history = [
        user(text("look")),
        assistant(*blocks, text("Two."), provider="gemini"),
        user(text("thanks")),
    ]
    ours = {"name": "add", "description": "", "input_schema": {"type": "object", "properties": {}}}
    prompt = Prompt(history, tools=[ours] if functions else [], server_tools=SERVER_TOOLS)
    body = gemini.request(prompt, base_url="http://h", model="gemini-3.5-flash").body
    Strict.model_validate(body)
    assert body["contents"][1]["parts"][:-1] == PARTS
