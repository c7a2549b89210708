"""The HTTP client of the relay: one streaming request, raw bytes as they arrive.

It knows no wire. Bytes are yielded as the socket gives them; the decoder makes sense of them, also of a
200 answer that is no event stream. Leaving the `async with` closes the connection at once, which is how
Stop stops a model. One session per event loop, because aiohttp sessions belong to their loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
import weakref
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from chatsite.providers import demo
from chatsite.providers.prompt import UpstreamRequest
from streamrender.errors import classify, network_error

CONNECT_SECONDS = 15.0
IDLE_SECONDS = 120.0
LONGEST_ERROR = 64 * 1024
LARGEST_JSON = 4 * 1024 * 1024
SAFE_RESPONSE_HEADERS = frozenset(
    {
        "content-type", "content-encoding", "date", "server", "retry-after", "retry-after-ms",
        "x-should-retry", "request-id", "x-request-id", "cf-ray", "openai-model", "openai-version",
        "openai-processing-ms", "x-log-id", "server-timing",
    }
)  # fmt: skip
SAFE_RESPONSE_PREFIXES = ("anthropic-ratelimit-", "x-ratelimit-")

_sessions: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession] = (
    weakref.WeakKeyDictionary()
)


class UpstreamError(Exception):
    """The upstream refused, or could not be reached, before the first byte of a stream.

    type: a word of streamrender.errors ("rate_limit", "overloaded", "network", "timeout", …); status: the
    HTTP status or None; retry_after: seconds or None; code: the upstream's own word or None.
    """

    def __init__(
        self,
        type: str,
        message: str,
        status: int | None = None,
        retry_after: float | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.type = type
        self.message = message
        self.status = status
        self.retry_after = retry_after
        self.code = code

    def to_dict(self) -> dict[str, Any]:
        """{"type", "message"} and, where known, "status", "retry_after" and "code"."""
        known = {"status": self.status, "retry_after": self.retry_after, "code": self.code}
        return {
            "type": self.type,
            "message": self.message,
            **{key: value for key, value in known.items() if value is not None},
        }


class UpstreamCut(Exception):
    """The transport died after a 200: `detail` says how, `received` counts the bytes that came before."""

    def __init__(self, detail: str, received: int) -> None:
        super().__init__(detail)
        self.detail = detail
        self.received = received


class UpstreamResponse:
    """An answer with status 200 to 299: iterate it for its bytes. `headers` are safe to store."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.status = response.status
        self.headers = safe_headers(dict(response.headers))
        self.received = 0
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raw bytes, never empty, as they arrive. Raises UpstreamCut when the connection dies."""
        try:
            async for data in self._response.content.iter_any():
                if data:
                    self.received += len(data)
                    yield data
        except TimeoutError as error:
            raise UpstreamCut("nothing came for too long", self.received) from error
        except (aiohttp.ClientError, OSError) as error:
            raise UpstreamCut(_describe(error), self.received) from error


@contextlib.asynccontextmanager
async def open_stream(
    request: UpstreamRequest,
    *,
    connect_seconds: float = CONNECT_SECONDS,
    idle_seconds: float = IDLE_SECONDS,
) -> AsyncIterator[UpstreamResponse]:
    """Send the request and give its response once the headers are there.

    connect_seconds bounds the connection, idle_seconds each silence after it (also the wait for headers).
    Raises UpstreamError for every failure up to the headers.
    """
    url = request.url
    if url.startswith(demo.SCHEME):
        url = await demo.start() + url.removeprefix(demo.SCHEME)
    timeout = aiohttp.ClientTimeout(
        total=None, connect=connect_seconds, sock_connect=connect_seconds, sock_read=idle_seconds
    )
    try:
        response = await _session().request(
            request.method,
            url,
            data=json.dumps(request.body, ensure_ascii=False).encode("utf-8", "replace"),
            headers=request.headers,
            timeout=timeout,
            allow_redirects=False,
            proxy=_proxy(url),
        )
    except TimeoutError as error:
        raise UpstreamError("timeout", "The upstream did not answer in time.") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise UpstreamError(**network_error(_describe(error))) from error
    try:
        if not 200 <= response.status < 300:
            raise await _refused(response)
        yield UpstreamResponse(response)
    finally:
        response.close()


async def get_json(url: str, headers: dict[str, str], seconds: float) -> Any:
    """The JSON that a GET gives within `seconds`. Raises UpstreamError for everything else."""
    try:
        response = await _session().get(
            url,
            headers={"accept": "application/json", **headers},
            timeout=aiohttp.ClientTimeout(total=seconds),
            allow_redirects=False,
            proxy=_proxy(url),
        )
        async with response:
            if not 200 <= response.status < 300:
                raise await _refused(response)
            body = await response.content.read(LARGEST_JSON + 1)
            while len(body) <= LARGEST_JSON and (more := await response.content.readany()):
                body += more
    except TimeoutError as error:
        raise UpstreamError("timeout", "The upstream did not answer in time.") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise UpstreamError(**network_error(_describe(error))) from error
    try:
        if len(body) > LARGEST_JSON:
            raise ValueError
        return json.loads(body)
    except (ValueError, RecursionError):
        raise UpstreamError("not_a_stream", "The answer is no JSON.", response.status) from None


async def close() -> None:
    """Close this loop's session and demo upstream; call it when the server shuts down."""
    session = _sessions.pop(asyncio.get_running_loop(), None)
    if session is not None:
        await session.close()
    await demo.stop()


def safe_headers(headers: dict[str, str]) -> dict[str, str]:
    """The response headers that may be stored and shown, names in lower case."""
    return {
        name.lower(): value
        for name, value in headers.items()
        if name.lower() in SAFE_RESPONSE_HEADERS or name.lower().startswith(SAFE_RESPONSE_PREFIXES)
    }


def _session() -> aiohttp.ClientSession:
    loop = asyncio.get_running_loop()
    session = _sessions.get(loop)
    if session is None or session.closed:
        # One upstream may serve any number of turns at once, and a pool limit would queue them silently.
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar()
        )
        _sessions[loop] = session
    return session


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this URL; never for loopback."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)


async def _refused(response: aiohttp.ClientResponse) -> UpstreamError:
    body = b""
    with contextlib.suppress(aiohttp.ClientError, OSError):
        while len(body) < LONGEST_ERROR and (data := await response.content.readany()):
            body += data
    found = classify(response.status, dict(response.headers), body[:LONGEST_ERROR])
    return UpstreamError(
        found["type"], found["message"], response.status, found.get("retry_after"), found.get("code")
    )


def _describe(error: BaseException) -> str:
    """A short reason for people; aiohttp's texts name hosts and ports, never headers."""
    return str(error) or type(error).__name__
