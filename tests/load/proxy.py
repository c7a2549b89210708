"""`python -m tests.load.proxy URL…` prints its address and hands connections to these servers in turn."""

import asyncio
import sys

from tests.faults.network import network


async def main(*urls: str) -> None:
    """Serve until killed."""
    async with network(*urls) as net:
        print(f"Listening on {net.url}/", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
