"""Sockets live at one path; any other is refused at the handshake without a traceback."""

from collections.abc import Awaitable, Callable
from typing import Any

from chatsite.chats.consumer import ChatConsumer

chat = ChatConsumer.as_asgi()


async def sockets(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    """Hand /ws/ to the chat consumer."""
    if scope["path"] == "/ws/":
        await chat(scope, receive, send)
        return
    await receive()
    await send({"type": "websocket.close"})
