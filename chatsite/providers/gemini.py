"""Requests on the Gemini wire."""

from __future__ import annotations

from chatsite.providers.prompt import Prompt, UpstreamRequest


def request(prompt: Prompt, *, base_url: str, model: str, key: str = "", provider: str) -> UpstreamRequest:
    """The streaming POST to models/`model`:streamGenerateContent."""
    raise NotImplementedError
