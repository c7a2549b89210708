"""The bare relay that the real one is measured beside: aiohttp in and out, nothing kept.

`python -m tests.load.bare UPSTREAM` prints its URL and serves /ws/: a frame from the client starts a stream.
"""

import asyncio
import json
import sys

import aiohttp
from aiohttp import web


async def main(upstream: str) -> None:
    """Serve until killed."""
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as session:

        async def relay(socket: web.WebSocketResponse) -> None:
            async with session.post(f"{upstream}/v1/messages", json={"stream": True}) as response:
                async for line in response.content:
                    if line.startswith(b"data: "):
                        event = json.loads(line[6:])
                        if event["type"] == "content_block_delta":
                            await socket.send_str(json.dumps(event["delta"]))

        async def handle(request: web.Request) -> web.WebSocketResponse:
            socket = web.WebSocketResponse(compress=False)
            await socket.prepare(request)
            task = None
            async for _ in socket:
                task = task or asyncio.create_task(relay(socket))
            if task is not None:
                task.cancel()
            return socket

        app = web.Application()
        app.router.add_get("/ws/", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        print(f"Listening on http://127.0.0.1:{runner.addresses[0][1]}/", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
