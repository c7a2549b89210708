"""The guarded client reaches public servers only, whatever the address looks like and wherever it leads."""

import contextlib
import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web

from chatsite.tools import guarded
from chatsite.tools.guarded import Forbidden, fetch, is_public


@contextlib.asynccontextmanager
async def serving(**routes: Callable[[web.Request], Any]) -> AsyncIterator[tuple[str, list[str]]]:
    seen: list[str] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        seen.append(request.path)
        return await routes[request.match_info["name"]](request)

    app = web.Application()
    app.router.add_get("/{name}", handle)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", seen
    finally:
        await runner.cleanup()


async def local(url: str, **options: Any) -> guarded.Page:
    """Fetch with loopback counted as public, to test what comes after the address check."""
    port = int(url.split(":")[2].split("/")[0])
    options.setdefault("public", lambda address: address.is_loopback)
    return await fetch(url, ports=frozenset({port, 80}), **options)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "255.255.255.255", "224.0.0.1", "192.0.2.1", "198.18.0.1", "240.0.0.1", "::1", "::", "fe80::1",
        "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::1", "2001:db8::1",
        "2001:0:7f00:1:0:0:80ff:fffe",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_public_addresses(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://example.com/", "gopher://example.com", "javascript:alert(1)", "http://",
        "http:///x", "http://[::1", "http://user:pw@example.com/", "http://example.com:22/",
        "http://example.com:99999/", "http://127.0.0.1/", "http://127.1/", "http://2130706433/",
        "http://0x7f000001/", "http://0177.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/meta-data/", "http://0/", "https://10.0.0.1/", "http://example.com:8080/",
        "x" * 3000, "http://" + "a" * 2000,
    ],
)  # fmt: skip
async def test_addresses_that_are_never_asked(url: str) -> None:
    with pytest.raises(Forbidden):
        await fetch(url, seconds=2)


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST"])
async def test_names_that_resolve_to_private_addresses(name: str) -> None:
    with pytest.raises(Forbidden, match="not a public server"):
        await fetch(f"http://{name}/")


async def test_one_private_answer_forbids_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answers(*args: Any, **options: Any) -> Any:
        stream = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*stream, ("1.1.1.1", 80)), (*stream, ("10.0.0.1", 80))]

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", answers)
    with pytest.raises(Forbidden, match="not a public server"):
        await fetch("http://mixed.example/")


async def test_the_connection_goes_to_the_checked_address(monkeypatch: pytest.MonkeyPatch) -> None:
    lookups = []
    original = socket.getaddrinfo

    async def page(request: web.Request) -> web.Response:
        assert request.host.startswith("rebinding.example")
        return web.Response(text="ok")

    async def answers(loop: Any, host: str, port: int, **options: Any) -> Any:
        lookups.append(host)
        return original("127.0.0.1", port, type=socket.SOCK_STREAM)

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", answers)
    async with serving(page=page) as (base, _):
        port = base.rpartition(":")[2]
        found = await local(f"http://rebinding.example:{port}/page")
    assert found.data == b"ok"
    assert lookups.count("rebinding.example") == 1


async def test_every_redirect_is_checked() -> None:
    async def inside(request: web.Request) -> web.Response:
        raise web.HTTPFound("http://10.0.0.1/secret")

    async def scheme(request: web.Request) -> web.Response:
        raise web.HTTPFound("file:///etc/passwd")

    async def good(request: web.Request) -> web.Response:
        raise web.HTTPFound("/end")

    async def loop(request: web.Request) -> web.Response:
        raise web.HTTPFound("/loop")

    async def end(request: web.Request) -> web.Response:
        return web.Response(text="here")

    async with serving(inside=inside, scheme=scheme, good=good, loop=loop, end=end) as (base, seen):
        for name, words in (("inside", "not a public"), ("scheme", "Only http"), ("loop", "redirects")):
            with pytest.raises(Forbidden, match=words):
                await local(f"{base}/{name}")
        page = await local(f"{base}/good")
        assert (page.url, page.data) == (f"{base}/end", b"here")
    assert seen.count("/loop") == guarded.MOST_REDIRECTS + 1


async def test_bytes_and_time_are_bounded() -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/plain"})
        await response.prepare(request)
        while True:
            await response.write(b"x" * 1000)

    async def silent(request: web.Request) -> web.StreamResponse:
        import asyncio

        await asyncio.sleep(30)
        return web.Response()

    async with serving(endless=endless, silent=silent) as (base, _):
        page = await local(f"{base}/endless", most_bytes=5000)
        assert (len(page.data), page.cut) == (5000, True)
        with pytest.raises(Forbidden, match=r"within 0\.05 seconds"):
            await local(f"{base}/silent", seconds=0.05)


async def test_what_cannot_be_read_says_why() -> None:
    async def gone(request: web.Request) -> web.Response:
        return web.Response(status=410)

    async def packed(request: web.Request) -> web.Response:
        return web.Response(body=b"\x1f\x8b", headers={"content-encoding": "gzip"})

    async def headers(request: web.Request) -> web.Response:
        assert "cookie" not in request.headers
        assert request.headers["accept-encoding"] == "identity"
        return web.Response(text="ok", headers={"set-cookie": "a=b"})

    async with serving(gone=gone, packed=packed, headers=headers) as (base, _):
        with pytest.raises(Forbidden, match="HTTP 410"):
            await local(f"{base}/gone")
        with pytest.raises(Forbidden, match="compressed"):
            await local(f"{base}/packed")
        assert (await local(f"{base}/headers")).data == b"ok"
    with pytest.raises(Forbidden, match="could not be fetched"):
        await local(f"{base}/headers")
