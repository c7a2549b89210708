"""Which kinds of files a model can be given, by provider and name; generous where a name says nothing.

A server that runs many models refuses by itself what one cannot read; its error is shown then.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

TEXT = frozenset({"text"})
PICTURES = frozenset({"text", "image"})
ALL = frozenset({"text", "image", "pdf"})

SEES = re.compile(r"glm-[\d.]+v|vision", re.IGNORECASE)
BLIND = re.compile(r"^(?:gpt-3|o1-mini|o3-mini|gpt-oss)|embedding|whisper|tts")


def takes(provider: str, wire: str, model: str, base_url: str) -> frozenset[str]:
    """Of image, pdf and text, what this model takes.

    >>> sorted(takes("glm", "anthropic", "glm-5.3", "")), sorted(takes("gemini", "gemini", "gemini-3", ""))
    (['text'], ['image', 'pdf', 'text'])
    """
    if wire == "chunks":
        return TEXT
    if provider == "glm":
        return PICTURES if SEES.search(model) else TEXT
    if wire == "anthropic":
        # Claude 2 and Claude 3.0 read no PDF; nobody offers them any more.
        return ALL if provider in ("anthropic", "demo") else PICTURES
    if wire == "gemini":
        return ALL
    if BLIND.search(model):
        return TEXT
    official = urlsplit(base_url).hostname == "api.openai.com"
    return ALL if official or wire == "openai-responses" else PICTURES
