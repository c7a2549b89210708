"""Model streams to events, messages, incremental Markdown and page operations. Pure: no I/O, no clock, no
threads.
"""

from typing import TYPE_CHECKING, Any

from streamrender.assembler import Assembler
from streamrender.wire import decode

if TYPE_CHECKING:
    from streamrender.markdown import MarkdownStream, render_live, render_markdown

__all__ = ["Assembler", "MarkdownStream", "decode", "render_live", "render_markdown"]

_MARKDOWN = ("MarkdownStream", "render_live", "render_markdown")


def __getattr__(name: str) -> Any:
    """The Markdown engine is loaded on first use: decoders alone start in milliseconds."""
    if name in _MARKDOWN:
        from streamrender import markdown

        return getattr(markdown, name)
    raise AttributeError(f"module 'streamrender' has no attribute {name!r}")
