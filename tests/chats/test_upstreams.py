"""Upstreams of the admin and of this machine: keys stay sealed, changes hold at once, nothing is mistaken."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from asgiref.sync import sync_to_async
from django.test import AsyncClient, Client

from chatsite.accounts.models import User
from chatsite.providers import client as http
from chatsite.providers import listing, local
from chatsite.providers.client import UpstreamError
from chatsite.providers.models import Listing, Price, StoredUpstream
from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import UPSTREAMS, UnknownChoice, choices, configured, get

pytestmark = pytest.mark.django_db(transaction=True)

PROMPT = Prompt([{"role": "user", "content": "hi"}])


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for upstream in UPSTREAMS:
        for name in ("API_KEY", "BASE_URL", "MODEL", "WIRE"):
            monkeypatch.delenv(f"{upstream.prefix}_{name}", raising=False)
    monkeypatch.setenv("STREAMRENDER_DISCOVER", "0")


@pytest.fixture
async def closing() -> AsyncIterator[None]:
    yield
    await http.close()


class Server:
    """A server on a free port that gives fixed answers by path, and counts its visits."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.seen: list[tuple[str, dict[str, str]]] = []

    async def __aenter__(self) -> "Server":
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        self.seen.append((request.path, dict(request.headers)))
        answer = self.answers.get(request.path)
        if isinstance(answer, float):
            await asyncio.sleep(answer)
        if isinstance(answer, tuple):
            return web.json_response(answer[1], status=answer[0])
        if isinstance(answer, str):
            return web.Response(text=answer, content_type="text/event-stream")
        return web.json_response(answer) if answer is not None else web.Response(status=404, text="<html>")


def stored(**fields: Any) -> StoredUpstream:
    key = fields.pop("key", "sk-secret-1")
    row = StoredUpstream(**{"name": "Work", "kind": "anthropic", "models": "claude-opus-5-5", **fields})
    row.set_key(key)
    row.save()
    return row


def test_what_the_admin_holds_is_offered_at_once_and_gone_at_once() -> None:
    assert [choice.key for choice in choices()] == ["demo"]
    row = stored(models="claude-opus-5-5\n\n claude-haiku-5-5 \nclaude-opus-5-5")
    keys = [f"u{row.pk}:claude-opus-5-5", f"u{row.pk}:claude-haiku-5-5"]
    assert [choice.key for choice in choices()] == keys
    choice = get(keys[1])
    assert (choice.label, choice.group) == ("Work · claude-haiku-5-5", "Work")
    request = choice.request(PROMPT)
    assert request.headers["x-api-key"] == "sk-secret-1"
    StoredUpstream.objects.update(enabled=False)
    assert [choice.key for choice in choices()] == ["demo"]
    with pytest.raises(UnknownChoice):
        get(keys[0])


def test_several_accounts_stand_beside_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLM_API_KEY", "x")
    first = stored()
    second = stored(name="Home", default=True, kind="openai-chat", base_url="http://127.0.0.1:9/v1", key="")
    assert [choice.key for choice in choices()] == [
        f"u{second.pk}:claude-opus-5-5",
        "glm:glm-5.3",
        f"u{first.pk}:claude-opus-5-5",
    ]
    assert "authorization" not in get(None).request(PROMPT).headers
    stored(name="Third", default=True)
    assert list(StoredUpstream.objects.filter(default=True).values_list("name", flat=True)) == ["Third"]


def test_the_key_is_sealed_and_never_shown() -> None:
    row = stored()
    assert "sk-secret" not in row.sealed_key
    choice = get(f"u{row.pk}:claude-opus-5-5")
    shown = repr(choice) + repr(choice.account) + json.dumps(choice.request(PROMPT).redacted())
    assert "sk-secret" not in shown
    assert row.sealed_key not in shown


def test_after_a_change_of_the_secret_key_the_error_says_what_to_do(settings: Any) -> None:
    row = stored()
    settings.SECRET_KEY = "another"
    with pytest.raises(UpstreamError, match="The key of Work is unreadable") as failed:
        get(f"u{row.pk}:claude-opus-5-5").request(PROMPT)
    assert failed.value.type == "authentication"
    assert "enter it again" in failed.value.message


def admin() -> User:
    return User.objects.create_superuser("root")


def test_the_admin_takes_a_key_and_never_gives_it() -> None:
    client = Client()
    client.force_login(admin())
    address = "/admin/providers/storedupstream/"
    fields = {"name": "Work", "kind": "anthropic", "base_url": "", "models": "", "enabled": "on"}
    assert client.post(f"{address}add/", {**fields, "key": " sk-secret-1 "}).status_code == 302
    row = StoredUpstream.objects.get()
    assert row.key() == "sk-secret-1"
    page = client.get(f"{address}{row.pk}/change/").content.decode()
    assert "sk-secret" not in page
    assert row.sealed_key not in page
    assert "One is stored" in page
    client.post(f"{address}{row.pk}/change/", {**fields, "name": "Office", "key": ""})
    row.refresh_from_db()
    assert (row.name, row.key()) == ("Office", "sk-secret-1")
    client.post(f"{address}{row.pk}/change/", {**fields, "forget_key": "on"})
    row.refresh_from_db()
    assert row.sealed_key == ""
    bad = client.post(f"{address}{row.pk}/change/", {**fields, "base_url": "file:///etc/passwd"})
    assert "Enter a valid URL" in bad.content.decode()
    assert "sk-secret" not in client.get(address).content.decode()


async def tried(row: StoredUpstream, user: User) -> str:
    client = AsyncClient()
    await sync_to_async(client.force_login)(user)
    address = f"/admin/providers/storedupstream/{row.pk}/"
    assert (await client.get(f"{address}test/")).status_code == 405
    assert (await client.post(f"{address}test/")).status_code == 302
    return (await client.get(f"{address}change/")).content.decode()


async def test_the_button_says_whether_an_upstream_works(closing: None) -> None:
    root = await sync_to_async(admin)()
    listed = {"data": [{"id": "claude-opus-5-5", "display_name": "Opus"}]}
    async with Server({"/v1/models": listed, "/v1/messages": "event: ping\n\n"}) as server:
        row = await sync_to_async(stored)(base_url=f"http://127.0.0.1:{server.port}")
        assert "It works: claude-opus-5-5 answers. 1 models are listed." in await tried(row, root)
        assert server.seen[0][1]["x-api-key"] == "sk-secret-1"
        server.answers["/v1/messages"] = (
            401,
            {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}},
        )
        page = await tried(row, root)
        assert "It does not work (authentication, HTTP 401)" in page
        server.answers.clear()
        assert "It does not work (not_found, HTTP 404)" in await tried(row, root)
    assert "It does not work (network)" in await tried(row, root)
    other = await sync_to_async(User.objects.create_user)("ann")
    client = AsyncClient()
    await sync_to_async(client.force_login)(other)
    assert (await client.post(f"/admin/providers/storedupstream/{row.pk}/test/")).status_code == 403


LISTS: dict[str, tuple[str, Any, list[tuple[str, Any]]]] = {
    "anthropic": (
        "/v1/models",
        {"data": [{"id": "claude-x", "display_name": "X", "max_input_tokens": 9}], "has_more": False},
        [("claude-x", 9)],
    ),
    "gemini": (
        "/v1beta/models",
        {
            "models": [
                {
                    "name": "models/gemini-x",
                    "displayName": "X",
                    "inputTokenLimit": 7,
                    "supportedGenerationMethods": ["generateContent"],
                },
                {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]},
            ]
        },
        [("gemini-x", 7)],
    ),
    "openai-chat": (
        "/v1/models",
        {"object": "list", "data": [{"id": "gpt-x"}, {"id": "text-embedding-3"}]},
        [("gpt-x", None)],
    ),
}


@pytest.mark.parametrize("kind", sorted(LISTS))
async def test_models_are_listed_and_remembered(kind: str, closing: None) -> None:
    path, answer, expected = LISTS[kind]
    async with Server({path: answer}) as server:
        row = await sync_to_async(stored)(kind=kind, base_url=f"http://127.0.0.1:{server.port}", models="")
        await listing.refresh(configured)
        await listing.refresh(configured)
        assert len(server.seen) == 1
    found = await sync_to_async(choices)()
    assert [(choice.model, choice.window) for choice in found] == expected
    named = await sync_to_async(get)(f"u{row.pk}:any-name")
    assert named.model == "any-name"


async def test_a_server_that_does_not_list_keeps_its_usual_model(
    monkeypatch: pytest.MonkeyPatch, closing: None
) -> None:
    async with Server({}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.port}")
        await listing.refresh(configured)
        assert [c.key for c in await sync_to_async(choices)()] == ["openai:gpt-5.5"]
        server.answers["/v1/models"] = {"data": [{"id": "qwen3"}]}
        await listing.refresh(configured)
        assert [c.key for c in await sync_to_async(choices)()] == ["openai:qwen3"]


LOCAL: dict[str, tuple[str, Any]] = {
    "ollama": (
        "/api/tags",
        {"models": [{"name": "qwen3:8b", "digest": "d"}, {"name": "bge-embed", "digest": "e"}]},
    ),
    "llama.cpp": (
        "/v1/models",
        {"data": [{"id": "m.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 5}}]},
    ),
    "lmstudio": (
        "/api/v0/models",
        {"data": [{"id": "phi", "type": "llm", "compatibility_type": "gguf", "max_context_length": 5}]},
    ),
    "vllm": ("/v1/models", {"data": [{"id": "mixtral", "owned_by": "vllm", "max_model_len": 5}]}),
}


async def test_servers_on_this_machine_are_found_and_offered(
    monkeypatch: pytest.MonkeyPatch, closing: None
) -> None:
    servers = {key: Server({path: answer}) for key, (path, answer) in LOCAL.items()}
    for server in servers.values():
        await server.__aenter__()
    ports = ",".join(f"{key}={server.port}" for key, server in servers.items())
    monkeypatch.delenv("STREAMRENDER_DISCOVER")
    monkeypatch.setenv("STREAMRENDER_DISCOVER_PORTS", ports)
    user = await sync_to_async(User.objects.create_user)("ann")
    client = AsyncClient()
    assert (await client.get("/models/")).status_code == 302
    await sync_to_async(client.force_login)(user)
    told = json.loads((await client.get("/models/")).content)["models"]
    assert [(model["key"], model["group"]) for model in told] == [
        ("demo", "Demo"),
        ("ollama:qwen3:8b", "Ollama"),
        ("llama.cpp:m.gguf", "llama.cpp"),
        ("lmstudio:phi", "LM Studio"),
        ("vllm:mixtral", "vLLM"),
    ]
    request = (await sync_to_async(get)("ollama:qwen3:8b")).request(PROMPT)
    assert request.url == f"http://127.0.0.1:{servers['ollama'].port}/v1/chat/completions"
    assert request.body["model"] == "qwen3:8b"
    for server in servers.values():
        await server.__aexit__()
    await listing.refresh(configured)
    assert not await sync_to_async(Listing.objects.exists)()


@pytest.mark.parametrize(
    "answer",
    [
        {"models": [{"key": "demo"}]},
        {"data": [{"id": "x", "owned_by": "me"}], "object": "list"},
        {"data": []},
        [],
        "text",
        (302, {}),
        0.9,
        None,
    ],
)
async def test_whatever_else_listens_there_is_not_taken_for_one(
    answer: Any, monkeypatch: pytest.MonkeyPatch, closing: None
) -> None:
    async with Server(dict.fromkeys(("/api/tags", "/v1/models", "/api/v0/models"), answer)) as server:
        ports = ",".join(f"{key}={server.port}" for key in local.SERVERS)
        monkeypatch.delenv("STREAMRENDER_DISCOVER")
        monkeypatch.setenv("STREAMRENDER_DISCOVER_PORTS", ports)
        assert await local.find() == {}
        assert len(server.seen) == len(local.SERVERS)


async def test_looking_can_be_switched_off() -> None:
    assert await local.find() == {}
    with pytest.raises(UnknownChoice):
        await sync_to_async(get)("ollama:qwen3")


def test_no_price_is_shipped() -> None:
    assert not Price.objects.exists()
