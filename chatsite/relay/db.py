"""The database off the event loop: a few threads of our own, so that no query ever stalls a socket.

Channels' own thread is shared by everything in the process; one slow query there stops every socket.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
R = TypeVar("R")

THREADS = 4
_pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="database")


async def run(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """The result of `work(*args)`, run in one of the database threads."""

    def job() -> R:
        close_old_connections()
        return work(*args, **kwargs)

    return await asyncio.get_running_loop().run_in_executor(_pool, job)
