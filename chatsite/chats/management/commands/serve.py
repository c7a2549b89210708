"""`manage.py serve`: run the app in this process until it is told to stop, then drain.

Daphne's own signal handling kills every socket within a third of a second; here SIGTERM and SIGINT let
running turns finish first. A second signal ends the process at once.
"""

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from daphne.server import Server, twisted_loop  # first: it chooses Twisted's reactor
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chatsite import collected
from chatsite.chats.wire import Socket
from chatsite.relay import process, protocol
from chatsite.relay.tidy import tidy
from chatsite.relay.viewer import WRITE
from streamrender import render_markdown

LARGEST_MESSAGE = 2 * protocol.LARGEST_FRAME


class App(Server):  # type: ignore[misc]
    """Daphne, with a short way from the relay to the sockets."""

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        """Offer it to the application."""
        if isinstance(protocol, Socket):
            scope[WRITE] = [protocol.write]
        return super().create_application(protocol, scope)


class Command(BaseCommand):
    help = "Serve the app. SIGTERM drains: running turns may finish for 25 seconds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument(
            "--port", type=int, default=8000, help="TCP port, 0 for any free one (default 8000)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], free_port(options["host"], options["port"])
        collected.refresh()
        from chatsite.asgi import application

        # What the first render would load while everybody waits.
        render_markdown("```python\nx = 1\n```\n\n$x$ **b** `c`")
        # All that is loaded stays: a full collection would walk through it, 60 ms in which no stream moves.
        gc.collect()
        gc.freeze()
        interface = host.replace(":", r"\:")
        server: App = App(
            application,
            endpoints=[f"tcp:port={port}:interface={interface}"],
            signal_handlers=False,
            verbosity=0,
            server_name="streamrender",
            websocket_max_message_size=LARGEST_MESSAGE,
            websocket_max_frame_size=LARGEST_MESSAGE,
            ready_callable=lambda: _start(server, lambda: self._say(host, port)),
        )
        server.run()
        sys.stdout.flush()
        sys.stderr.flush()
        # Threads of the database pool may still hold a connection; nothing of ours is left to do.
        os._exit(0)

    def _say(self, host: str, port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        self.stdout.write(f"Listening on http://{shown}:{port}/")
        self.stdout.flush()


def _start(server: Server, say: Callable[[], None]) -> None:
    server.ws_factory.protocol = Socket
    server.task = twisted_loop.create_task(_run(server, say))


async def _run(server: Server, say: Callable[[], None]) -> None:
    """Take over what a dead process left, listen for signals, and stop the reactor after the drain."""
    stopping = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        twisted_loop.add_signal_handler(name, lambda: os._exit(1) if stopping.is_set() else stopping.set())
    relay = process.current()
    await process.interrupt_abandoned(set())
    say()
    tidying = twisted_loop.create_task(tidy(lambda: bool(relay.runner.runs)), name="garbage")
    await stopping.wait()
    tidying.cancel()
    for listener in server.listeners:
        listener.addCallback(lambda port: port.stopListening())
    await relay.drain()
    server.stop()


def free_port(host: str, port: int) -> int:
    """The port, bound for a moment to see that it is free. Raises CommandError in one line."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            found: int = probe.getsockname()[1]
            return found
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with --port."
        ) from None
