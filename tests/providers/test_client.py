"""The client against small real servers: what it yields, what it makes of every failure, that it lets go."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from chatsite.providers import client
from chatsite.providers.client import UpstreamCut, UpstreamError, open_stream, safe_headers
from chatsite.providers.prompt import UpstreamRequest

pytestmark = pytest.mark.usefixtures("upstreams")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@contextlib.asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[UpstreamRequest]:
    app = web.Application()
    app.router.add_post("/x", handler)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/x"
        yield UpstreamRequest("POST", url, {"content-type": "application/json", "x-api-key": "k"}, {"a": "é"})
    finally:
        await runner.cleanup()


async def read(request: UpstreamRequest, **options: Any) -> list[bytes]:
    async with open_stream(request, **options) as response:
        return [data async for data in response]


async def test_bytes_come_as_they_arrive() -> None:
    seen: list[Any] = []
    go_on = asyncio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        seen.append((await request.json(), request.headers["x-api-key"]))
        response = web.StreamResponse(headers={"content-type": "text/event-stream", "set-cookie": "a=b"})
        await response.prepare(request)
        await response.write(b"data: 1\n\n")
        await go_on.wait()
        await response.write(b"data: 2\n\n")
        return response

    async with serving(handler) as request, open_stream(request) as response:
        assert response.status == 200
        assert response.headers["content-type"] == "text/event-stream"
        assert "set-cookie" not in response.headers
        parts = aiter(response)
        assert await anext(parts) == b"data: 1\n\n"
        go_on.set()
        assert await anext(parts) == b"data: 2\n\n"
        assert [part async for part in parts] == []
        assert response.received == 18
    assert seen == [({"a": "é"}, "k")]


async def test_a_200_that_is_no_stream_is_yielded_all_the_same() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": {"message": "no"}})

    async with serving(handler) as request:
        assert b"".join(await read(request)) == b'{"error": {"message": "no"}}'


def envelope(kind: str, message: str) -> str:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}})


@pytest.mark.parametrize(
    ("status", "body", "headers", "kind", "message", "retry_after"),
    [
        (429, envelope("rate_limit_error", "slow"), {"retry-after": "7"}, "rate_limit", "slow", 7.0),
        (529, envelope("overloaded_error", "Overloaded"), {}, "overloaded", "Overloaded", None),
        (401, envelope("authentication_error", "bad key"), {}, "authentication", "bad key", None),
        (500, "<html>oops</html>", {}, "server", None, None),
        (404, "", {}, "not_found", None, None),
    ],
)
async def test_http_errors_come_before_any_byte(
    status: int, body: str, headers: dict[str, str], kind: str, message: str | None, retry_after: float | None
) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=body, headers=headers)

    async with serving(handler) as request:
        with pytest.raises(UpstreamError) as caught:
            await read(request)
    error = caught.value
    assert (error.type, error.status, error.retry_after) == (kind, status, retry_after)
    assert error.message == message if message else error.message
    assert error.to_dict()["type"] == kind


async def test_redirects_are_not_followed_with_the_key() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect("http://127.0.0.1:1/elsewhere")

    async with serving(handler) as request:
        with pytest.raises(UpstreamError) as caught:
            await read(request)
    assert caught.value.status == 307


async def test_nobody_listens() -> None:
    async with serving(lambda request: asyncio.sleep(0)) as request:  # type: ignore[arg-type,return-value]
        gone = request
    with pytest.raises(UpstreamError) as caught:
        await read(gone)
    assert caught.value.type == "network"
    assert caught.value.status is None


@pytest.mark.parametrize("url", ["nonsense", "http://", "ftp://127.0.0.1/", "http://127.0.0.1:99999/"])
async def test_impossible_addresses_are_connection_errors(url: str) -> None:
    with pytest.raises(UpstreamError) as caught:
        await read(UpstreamRequest("POST", url, {}, {}))
    assert caught.value.type == "network"


async def test_no_answer_in_time() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    async with serving(handler) as request:
        with pytest.raises(UpstreamError) as caught:
            await read(request, idle_seconds=0.05)
    assert caught.value.type == "timeout"


@pytest.mark.parametrize("how", ["silence", "death"])
async def test_a_stream_that_dies_is_cut(how: str) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"data: 1\n\n")
        if how == "silence":
            await asyncio.sleep(30)
        await asyncio.sleep(0.02)
        assert request.transport is not None
        request.transport.abort()
        return response

    async with serving(handler) as request, open_stream(request, idle_seconds=0.1) as response:
        parts = aiter(response)
        assert await anext(parts) == b"data: 1\n\n"
        with pytest.raises(UpstreamCut) as caught:
            await anext(parts)
    assert caught.value.received == 9
    assert caught.value.detail


@pytest.mark.parametrize("way", ["leave", "cancel"])
async def test_leaving_closes_the_connection_at_once(way: str) -> None:
    closed = asyncio.Event()
    begun = asyncio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"data: 1\n\n")
        try:
            await asyncio.sleep(30)
        finally:
            closed.set()
        return response

    async def listen(request: UpstreamRequest) -> None:
        async with open_stream(request) as response:
            async for _ in response:
                begun.set()
                if way == "leave":
                    return

    async with serving(handler) as request:
        task = asyncio.create_task(listen(request))
        await asyncio.wait_for(begun.wait(), 30)
        if way == "cancel":
            task.cancel()
        await asyncio.wait([task])
        await asyncio.wait_for(closed.wait(), 30)


async def test_many_streams_at_once_do_not_wait_for_each_other() -> None:
    open_now = 0
    all_open = asyncio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal open_now
        open_now += 1
        if open_now == 150:
            all_open.set()
        await asyncio.wait_for(all_open.wait(), 10)
        return web.Response(text="ok")

    async with serving(handler) as request:
        assert await asyncio.gather(*(read(request) for _ in range(150))) == [[b"ok"]] * 150


async def test_one_session_a_loop_closed_at_the_end() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(text="ok")

    async with serving(handler) as request:
        await read(request)
        first = client._session()
        await read(request)
        assert client._session() is first
        await client.close()
        assert first.closed
        assert await read(request) == [b"ok"]


def test_response_headers_are_kept_by_allow_list() -> None:
    kept = safe_headers(
        {
            "Content-Type": "a",
            "Request-ID": "b",
            "Set-Cookie": "c",
            "anthropic-ratelimit-requests-remaining": "3",
            "anthropic-organization-id": "o",
            "X-RateLimit-Limit-Tokens": "9",
        }
    )
    assert kept == {
        "content-type": "a",
        "request-id": "b",
        "anthropic-ratelimit-requests-remaining": "3",
        "x-ratelimit-limit-tokens": "9",
    }


def test_proxies_are_for_others_than_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert client._proxy("https://api.anthropic.com/v1/messages") == "http://proxy:3128"
    assert client._proxy("http://127.0.0.1:8000/v1") is None
    assert client._proxy("http://localhost/v1") is None
    assert client._proxy("https://inside.example/v1") is None
