"""Markdown that can be rendered while it arrives."""

from streamrender.markdown.dialect import CHAT, COMMONMARK, Dialect
from streamrender.markdown.guarded import MarkdownStream
from streamrender.markdown.oneshot import render_live, render_markdown

__all__ = ["CHAT", "COMMONMARK", "Dialect", "MarkdownStream", "render_live", "render_markdown"]
