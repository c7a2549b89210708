"""Markdown that can be rendered while it arrives."""

from streamrender.markdown.dialect import CHAT, COMMONMARK, Dialect
from streamrender.markdown.oneshot import render_live, render_markdown
from streamrender.markdown.stream import MarkdownStream

__all__ = ["CHAT", "COMMONMARK", "Dialect", "MarkdownStream", "render_live", "render_markdown"]
