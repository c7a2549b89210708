"""The connection to one MCP server: opened by a task of its own, used by any, made anew after it was lost.

The SDK's contexts must be left by the task that entered them, so one task holds the client as long as the
connection lasts. A server that died is noticed when its stream ends, or when a call finds nobody; the next
use connects again. Nothing that a server does raises here: it becomes an outcome that says so.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from chatsite.tools.mcp.config import Server
from chatsite.tools.mcp.names import tool_name
from chatsite.tools.mcp.results import outcome
from chatsite.tools.registry import Progress, Tool, ToolOutcome

CONNECT = 30.0
AGAIN = 15.0
PROGRESS = 0.2
MOST_TOOLS = 128

log = logging.getLogger(__name__)


class Connection:
    """`offer(tools)` is called with all tools of the server whenever it listed them."""

    def __init__(self, server: Server, offer: Callable[[list[Tool]], None]) -> None:
        self.server = server
        self.problem = ""
        self._offer = offer
        self._task: asyncio.Task[None] | None = None
        self._opening: asyncio.Future[None] | None = None
        self._end = asyncio.Event()
        self._changed = asyncio.Event()
        self._client: Any = None
        self._failed_at = 0.0

    @property
    def connected(self) -> bool:
        """True while there is a session."""
        return self._client is not None

    async def open(self, patient: bool = True) -> bool:
        """Connect unless connected; False, with `problem` set, when that fails. A server that failed a
        moment ago is tried again only by the patient.
        """
        if self._client is not None:
            return True
        if not patient and self._failed_at and time.monotonic() - self._failed_at < AGAIN:
            return False
        if self._opening is None or self._opening.done():
            self._end, self._changed = asyncio.Event(), asyncio.Event()
            self._opening = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(self._opening), name=f"mcp {self.server.name}")
        await asyncio.shield(self._opening)
        return self._client is not None

    async def close(self) -> None:
        """Disconnect; a started process is ended."""
        self._end.set()
        if self._task is None:
            return
        # One that is still being opened hears of no end.
        if self.connected:
            await asyncio.wait([self._task], timeout=6)
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=6)

    async def call(self, tool: str, input: dict[str, Any], progress: Progress) -> ToolOutcome:
        """One call; cancelling it tells the server."""
        if not await self.open():
            return ToolOutcome(f"The MCP server {self.server.name} cannot be reached: {self.problem}", True)
        client, last = self._client, 0.0

        async def heard(done: float, total: float | None, message: str | None) -> None:
            nonlocal last
            if time.monotonic() - last >= PROGRESS or done == total:
                last = time.monotonic()
                await progress(message[:300] if message else f"{done:g}" + (f" / {total:g}" if total else ""))

        try:
            result = await client.call_tool(tool, input, progress_callback=heard)
        except Exception as error:
            self._lost(error)
            return ToolOutcome(f"The MCP server {self.server.name} did not answer: {_reason(error)}", True)
        return outcome(result.model_dump(mode="json", by_alias=True, exclude_none=True))

    def _lost(self, error: Exception) -> None:
        """Connect anew next time. An HTTP server's stream does not end with it, so any error counts."""
        log.warning("MCP server %s: %s", self.server.name, _reason(error))
        if self.server.url or "closed" in str(error):
            self._client = None
            self._end.set()

    async def _hold(self, opening: asyncio.Future[None]) -> None:
        end, mine = self._end, None
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(CONNECT):
                    mine = await stack.enter_async_context(await self._client_of(stack, end))
                    await self._list(mine)
                    await self._listen(stack, mine)
                self._client, self.problem, self._failed_at = mine, "", 0.0
                opening.set_result(None)
                await self._stay(mine, end)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            if not opening.done():
                self._failed_at = time.monotonic()
                self.problem = _reason(error)
                log.warning("MCP server %s cannot be used: %s", self.server.name, self.problem)
        finally:
            if self._client is mine:
                self._client = None
            if not opening.done():
                opening.set_result(None)

    async def _stay(self, client: Any, end: asyncio.Event) -> None:
        """Until the connection ends; tools are listed again when the server says that they changed."""
        ended = asyncio.create_task(end.wait())
        try:
            while not end.is_set():
                changed = asyncio.create_task(self._changed.wait())
                await asyncio.wait([ended, changed], return_when=asyncio.FIRST_COMPLETED)
                changed.cancel()
                if self._changed.is_set() and not end.is_set():
                    self._changed.clear()
                    await self._list(client)
        finally:
            self._client = None
            ended.cancel()

    async def _client_of(self, stack: AsyncExitStack, end: asyncio.Event) -> Any:
        sdk: Any = await asyncio.to_thread(_sdk)
        if self.server.url:
            http = await stack.enter_async_context(sdk.http(headers=dict(self.server.headers)))
            transport = sdk.streamable_http_client(self.server.url, http_client=http)
        else:
            command = sdk.StdioServerParameters(
                command=self.server.command,
                args=list(self.server.args),
                env=dict(self.server.env),
                cwd=self.server.cwd,
            )
            transport = sdk.stdio_client(command, errlog=stack.enter_context(sdk.nowhere()))

        async def message(one: Any) -> None:
            if getattr(one, "method", "") == "notifications/tools/list_changed":
                self._changed.set()

        return sdk.Client(_watched(transport, end), message_handler=message)

    async def _list(self, client: Any) -> None:
        tools: list[Any] = []
        cursor = None
        while len(tools) < MOST_TOOLS:
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        self._offer([self._tool(tool) for tool in tools[:MOST_TOOLS]])

    async def _listen(self, stack: AsyncExitStack, client: Any) -> None:
        """Newer servers tell of changed tools only those who asked."""
        try:
            changes = await stack.enter_async_context(client.listen(tools_list_changed=True))
        except Exception:
            return  # an older one, which tells everybody

        async def follow() -> None:
            async for _ in changes:
                self._changed.set()

        task = asyncio.create_task(follow())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        stack.callback(task.cancel)

    def _tool(self, tool: Any) -> Tool:
        async def run(input: dict[str, Any], progress: Progress) -> ToolOutcome:
            return await self.call(tool.name, input, progress)

        harmless = bool(tool.annotations and tool.annotations.read_only_hint)
        return Tool(
            name=tool_name(self.server.name, tool.name),
            description=(tool.description or tool.title or "")[:4000],
            input_schema={"type": "object", **tool.input_schema},
            runner=run,
            approval="never" if harmless else "ask",
            seconds=self.server.seconds,
        )


class _Reading:
    """A read stream that says when it has ended."""

    def __init__(self, stream: Any, end: asyncio.Event) -> None:
        self._stream, self._end = stream, end

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except BaseException:
            self._end.set()
            raise

    async def __aenter__(self) -> _Reading:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)


@asynccontextmanager
async def _watched(transport: Any, end: asyncio.Event) -> AsyncIterator[tuple[Any, Any]]:
    async with transport as (read, write):
        yield _Reading(read, end), write


class _Sdk:
    """What is used of the SDK."""

    def __init__(self) -> None:
        from mcp import Client, StdioServerParameters, stdio_client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        self.Client, self.StdioServerParameters = Client, StdioServerParameters
        self.stdio_client, self.nowhere = stdio_client, lambda: open(os.devnull, "w")  # noqa: SIM115 (the caller's stack closes it)
        self.streamable_http_client, self.http = streamable_http_client, create_mcp_http_client


def _sdk() -> _Sdk:
    try:
        return _Sdk()
    except ModuleNotFoundError:
        raise RuntimeError(
            "the package mcp is not installed (pip install -r requirements-full.txt)"
        ) from None


def _reason(error: BaseException) -> str:
    """The first real error in it, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "it took too long"
    return (" ".join(str(error).split()) or type(error).__name__)[:300]
