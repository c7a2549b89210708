"""The one HTTP client for addresses that a model or a page chose: it reaches public servers only.

Guarantees: http and https on their usual ports; the name is resolved here and the connection goes to exactly
the addresses that were checked; every redirect is checked again; redirects, bytes and time are bounded; no
cookies, no credentials, no proxy, no compressed bodies (a small one could unfold without end).
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

PORTS = {"http": 80, "https": 443}
MOST_REDIRECTS = 5
MOST_BYTES = 2 * 1024 * 1024
SECONDS = 20.0
LONGEST_URL = 2000
AGENT = "Mozilla/5.0 (compatible; Streamrender)"
NAT64 = ipaddress.ip_network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Forbidden(Exception):
    """The address may not be fetched, or what is there cannot be read; the message is for the model."""


@dataclass(frozen=True)
class Page:
    """What was fetched: the address after redirects, the media type, the charset or "", and the bytes."""

    url: str
    media_type: str
    charset: str
    data: bytes
    cut: bool


async def fetch(
    url: str,
    *,
    accept: str = "text/html, text/plain, */*;q=0.5",
    most_bytes: int = MOST_BYTES,
    seconds: float = SECONDS,
    public: Callable[[Address], bool] | None = None,
    ports: frozenset[int] | None = None,
) -> Page:
    """GET a page from a public server. Raises Forbidden for everything that does not work.

    `public` and `ports` replace the checks, for tests against a local server.
    """
    guard = public or is_public
    allowed_ports = ports or frozenset(PORTS.values())
    try:
        async with (
            asyncio.timeout(seconds),
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=_Resolver(guard), use_dns_cache=False),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None),
                headers={"user-agent": AGENT, "accept": accept, "accept-encoding": "identity"},
            ) as session,
        ):
            for _ in range(MOST_REDIRECTS + 1):
                check_url(url, guard, allowed_ports)
                async with session.get(url, allow_redirects=False) as response:
                    target = response.headers.get("location")
                    if response.status in (301, 302, 303, 307, 308) and target:
                        url = urljoin(url, target)
                        continue
                    return await _page(url, response, most_bytes)
            raise Forbidden(f"There were more than {MOST_REDIRECTS} redirects.")
    except TimeoutError as error:
        raise Forbidden(f"The server did not answer within {seconds:g} seconds.") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, Forbidden):
                raise cause from None
            cause = cause.__cause__
        raise Forbidden(
            f"The page could not be fetched: {str(error)[:200] or type(error).__name__}"
        ) from error


def check_url(url: str, public: Callable[[Address], bool], ports: frozenset[int]) -> None:
    """Raise Forbidden unless the address itself is one that may be asked for."""
    if len(url) > LONGEST_URL:
        raise Forbidden("The address is too long.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Forbidden("This is no valid address.") from error
    if parts.scheme not in PORTS or not parts.hostname:
        raise Forbidden("Only http and https addresses can be fetched.")
    if parts.username is not None or parts.password is not None:
        raise Forbidden("An address with a user name or password is not fetched.")
    if (port or PORTS[parts.scheme]) not in ports:
        raise Forbidden("Only the usual ports of http and https can be fetched.")
    literal = _literal(parts.hostname)
    if literal is not None and not public(literal):
        raise Forbidden("This address is not a public one.")


def is_public(address: Address) -> bool:
    """True when an address, and any IPv4 address that it carries, is reachable from everywhere."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return False
        inner: list[Address | None] = [address.ipv4_mapped, address.sixtofour]
        if address.teredo is not None:
            inner += address.teredo
        if address in NAT64 or address.packed[:12] == bytes(12):
            inner.append(ipaddress.IPv4Address(address.packed[12:]))
        if any(one is not None and not is_public(one) for one in inner):
            return False
        if address.ipv4_mapped is not None:
            return True
    return address.is_global and not address.is_multicast and not address.is_reserved


def _literal(host: str) -> Address | None:
    """The address that a host is written as, in any form that the system would take, or None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        pass
    try:
        # 127.1, 2130706433 and 0x7f.1 are addresses to the system, though not to ipaddress.
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


class _Resolver(AbstractResolver):
    """Resolves names to their checked addresses; one that is not public forbids the whole name."""

    def __init__(self, public: Callable[[Address], bool]) -> None:
        self._public = public

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        infos = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM, family=family, flags=socket.AI_ADDRCONFIG
        )
        results: list[ResolveResult] = []
        for found, _, protocol, _, where in infos:
            ip = str(where[0])
            if not self._public(ipaddress.ip_address(ip)):
                raise OSError(None, "not public") from Forbidden(f"{host} is not a public server.")
            results.append(
                ResolveResult(
                    hostname=host,
                    host=ip,
                    port=port,
                    family=found,
                    proto=protocol,
                    flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
                )
            )
        return results

    async def close(self) -> None:
        return None


async def _page(url: str, response: aiohttp.ClientResponse, most_bytes: int) -> Page:
    if response.status >= 400:
        raise Forbidden(f"The server answered with HTTP {response.status}.")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise Forbidden("The server sends only compressed pages, which are not read.")
    data = bytearray()
    while len(data) <= most_bytes and (piece := await response.content.readany()):
        data += piece
    cut = len(data) > most_bytes
    return Page(url, response.content_type, response.charset or "", bytes(data[:most_bytes]), cut)
