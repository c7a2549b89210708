"""A real MCP server for tests: `python mcp_server.py stdio`, or `http PORT`."""

import asyncio
import base64
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
server = MCPServer("testing")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def slow(mark: str, ctx: Context) -> str:
    """Works for a long time and says how far it is; writes down that it was cancelled."""
    try:
        for n in range(1, 100):
            await ctx.report_progress(n, 100, f"step {n}")
            await asyncio.sleep(0.1)
    except asyncio.CancelledError:
        Path(mark).write_text("cancelled")
        raise
    return "done"


@server.tool()
def picture() -> Any:
    """A small picture."""
    return [Image(data=PNG, format="png"), "a dot"]


@server.tool()
def fail() -> str:
    """Fails."""
    raise ToolError("the disk is full")


@server.tool()
def die() -> str:
    """Ends the server."""
    os._exit(3)


@server.tool()
async def grow(ctx: Context) -> str:
    """Brings a new tool."""

    def late() -> str:
        """Came later."""
        return "late"

    server.add_tool(late)
    await ctx.notify_tools_changed()
    await ctx.request_context.session.send_tool_list_changed()
    return "grown"


@server.tool()
def word() -> str:
    """The word of the environment."""
    return os.environ.get("WORD", "none") + "/" + os.environ.get("ANTHROPIC_API_KEY", "no key")


if __name__ == "__main__":
    if sys.argv[1] == "http":
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
