"""manage.py replay FILE…: watch recorded streams in the page."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chatsite.providers.replay import Replay, load


class Command(BaseCommand):
    """Runs until it is interrupted."""

    help = "Serve recorded streams as an upstream on loopback. Several files answer the rounds of one turn."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The files, and how to play them."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="a recorded stream (.sse)")
        parser.add_argument("--port", type=int, default=0, help="port to listen on (default: any free one)")
        parser.add_argument("--speed", type=float, default=1.0, help="1 is about 60 events a second")
        parser.add_argument("--jitter", type=float, default=0.5, help="how uneven the pauses are, 0 to 1")
        parser.add_argument("--seed", type=int, default=0, help="repeats the same cuts and pauses")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve, after one line that says how to use it."""
        try:
            replay = Replay(
                load(options["files"]),
                speed=options["speed"],
                jitter=options["jitter"],
                seed=options["seed"],
            )
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from error
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(self._serve(replay, options["port"]))

    async def _serve(self, replay: Replay, port: int) -> None:
        try:
            url = await replay.start(port)
        except OSError as error:
            raise CommandError(f"Port {port} cannot be used: {error.strerror}") from error
        self.stdout.write(
            f"{replay.wire} replay at {url}   start the app with: {replay.environment()} bin/chat"
        )
        self.stdout.flush()
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        await ended.wait()
        await replay.stop()
