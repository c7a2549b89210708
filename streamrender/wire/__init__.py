"""Wire decoders: the bytes of one upstream response to events (see `streamrender.events`)."""

from collections.abc import Callable
from typing import Any

from streamrender.wire.anthropic import AnthropicDecoder, GLMDecoder
from streamrender.wire.base import Decoder
from streamrender.wire.chunks import ChunksDecoder
from streamrender.wire.gemini import GeminiDecoder
from streamrender.wire.openai_chat import OpenAIChatDecoder
from streamrender.wire.openai_responses import OpenAIResponsesDecoder

_DECODERS: dict[str, Callable[..., Decoder]] = {
    "anthropic": AnthropicDecoder,
    "glm": GLMDecoder,
    "gemini": GeminiDecoder,
    "openai-chat": OpenAIChatDecoder,
    "openai-responses": OpenAIResponsesDecoder,
    "chunks": ChunksDecoder,
}

WIRES = tuple(_DECODERS)


def decode(wire: str, **options: Any) -> Decoder:
    """A new decoder for one response of this wire (a name in WIRES); ValueError for an unknown name.

    Options: `think_tags` for "openai-chat" (see `OpenAIChatDecoder`).
    """
    if wire not in _DECODERS:
        raise ValueError(f"unknown wire {wire!r}: one of {', '.join(WIRES)}")
    return _DECODERS[wire](**options)


__all__ = ["WIRES", "AnthropicDecoder", "Decoder", "decode"]
