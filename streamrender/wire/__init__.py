"""Wire decoders: the bytes of one upstream response to events (see `streamrender.events`)."""

from collections.abc import Callable

from streamrender.wire.anthropic import AnthropicDecoder, GLMDecoder
from streamrender.wire.base import Decoder
from streamrender.wire.gemini import GeminiDecoder

_DECODERS: dict[str, Callable[[], Decoder]] = {
    "anthropic": AnthropicDecoder,
    "glm": GLMDecoder,
    "gemini": GeminiDecoder,
}

WIRES = tuple(_DECODERS)


def decode(wire: str) -> Decoder:
    """A new decoder for one response of this wire (a name in WIRES); ValueError for an unknown name."""
    if wire not in _DECODERS:
        raise ValueError(f"unknown wire {wire!r}: one of {', '.join(WIRES)}")
    return _DECODERS[wire]()


__all__ = ["WIRES", "Decoder", "decode"]
