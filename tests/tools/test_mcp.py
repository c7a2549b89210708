"""Tools of real MCP servers, written with the SDK, over both transports."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from chatsite.tools import registry
from chatsite.tools.mcp import config, servers
from chatsite.tools.mcp.results import outcome

SCRIPT = str(Path(__file__).with_name("mcp_server.py"))


async def _http(port: int) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable, SCRIPT, "http", str(port), stderr=asyncio.subprocess.DEVNULL
    )
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return process
        except OSError:
            await asyncio.sleep(0.05)
    raise AssertionError("the server did not start")


def _free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(params=["stdio", "http"])
async def connected(request: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    process = None
    if request.param == "http":
        port = _free()
        process = await _http(port)
        server = config.Server("t", url=f"http://127.0.0.1:{port}/mcp", seconds=20)
    else:
        server = config.Server("t", command=sys.executable, args=(SCRIPT, "stdio"), env={"WORD": "hi"})
    servers._wanted[:] = [server]
    assert await servers.ready(40)
    assert servers.problems() == {}
    yield request.param
    servers._wanted[:] = []
    await servers.close()
    if process is not None:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _run(name: str, input: dict[str, Any] | None = None) -> tuple[registry.ToolOutcome, list[str]]:
    texts: list[str] = []

    async def progress(text: str) -> None:
        texts.append(text)

    return await registry.run(f"t__{name}", input or {}, progress), texts


async def test_a_real_server_is_used_changes_and_dies(connected: str, tmp_path: Path) -> None:
    assert "t__add" in {one["name"] for one in registry.definitions()}
    assert (registry.approval("t__add"), registry.approval("t__slow")) == ("never", "ask")
    assert (await _run("add", {"a": 2, "b": 3}))[0] == registry.ToolOutcome("5")
    wrong, _ = await _run("add", {"a": "x"})
    assert wrong.is_error
    assert "not valid" in str(wrong.content)
    failed, _ = await _run("fail")
    assert failed.is_error
    assert "disk is full" in str(failed.content)
    picture, _ = await _run("picture")
    assert [block["type"] for block in picture.content] == ["image", "text"]  # type: ignore[index]
    if connected == "stdio":
        assert (await _run("word"))[0].content == "hi/no key"
    await _stopped(tmp_path / "mark")
    assert (await _run("grow"))[0].content == "grown"
    await _until(lambda: "t__late" in {one["name"] for one in registry.definitions()})
    assert (await _run("late"))[0].content == "late"
    died, _ = await _run("die")
    assert died.is_error
    assert "MCP server t" in str(died.content)
    again, _ = await _run("add", {"a": 1, "b": 1})
    if connected == "stdio":
        assert again.content == "2"
    else:
        assert again.is_error
        assert "cannot be reached" in str(again.content)


async def _stopped(mark: Path) -> None:
    """Progress is heard, and a call that is cancelled is cancelled at the server."""
    texts: list[str] = []

    async def progress(text: str) -> None:
        texts.append(text)

    call = asyncio.create_task(registry.run("t__slow", {"mark": str(mark)}, progress))
    await _until(lambda: bool(texts))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await _until(mark.exists)
    assert texts[0].startswith("step ")


async def _until(met: Callable[[], bool]) -> None:
    for _ in range(400):
        if met():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen")


async def test_a_server_that_cannot_start_is_no_dead_chat() -> None:
    servers._wanted[:] = [config.Server("gone", command="/nowhere/at/all")]
    try:
        assert await servers.ready(40)
        assert "gone" in servers.problems()
        assert "calculator" in {one["name"] for one in registry.definitions()}
    finally:
        servers._wanted[:] = []
        await servers.close()


def test_what_is_wrong_with_a_file_is_said() -> None:
    for text, why in (
        ("{", "no JSON"),
        ("{}", "mcpServers"),
        ('{"mcpServers": {"a": {}}}', "either"),
        ('{"mcpServers": {"a": {"url": "file:///x"}}}', "http"),
    ):
        with pytest.raises(config.BadConfig, match=why):
            config.parse(text)


def test_results_of_all_kinds() -> None:
    linked = {"type": "resource_link", "uri": "https://a.example/", "name": "a", "title": "A"}
    inside = {"type": "resource", "resource": {"uri": "file:///b.txt", "text": "B"}}
    told = outcome({"content": [linked, inside], "structuredContent": {"n": 1}})
    assert told.content == 'https://a.example/ A\nfile:///b.txt\nB\n{\n "n": 1\n}'
    same = outcome({"content": [{"type": "text", "text": '{"n": 1}'}], "structuredContent": {"n": 1}})
    assert same.content == '{"n": 1}'
    bad = outcome({"content": [{"type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zz4="}]})
    assert "not shown" in bad.content
