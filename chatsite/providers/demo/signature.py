"""Signatures as the real server has them: they prove that a thinking block came from here, unchanged.

The key is no secret. It only makes an altered or foreign block detectable, also after a restart.
"""

from __future__ import annotations

import base64
import hashlib
import hmac

KEY = b"streamrender demo upstream"


def sign(thinking: str) -> str:
    """The signature of a thinking text."""
    return _mark("thinking", thinking)


def seal(thinking: str) -> str:
    """The opaque data of a redacted thinking block: its text cannot be read back from it."""
    return _mark("redacted", thinking) + _mark("proof", _mark("redacted", thinking))


def is_signed(thinking: str, signature: str) -> bool:
    """True when `signature` is ours for exactly this text."""
    return hmac.compare_digest(sign(thinking).encode(), signature.encode())


def is_sealed(data: str) -> bool:
    """True when the data of a redacted block came from here unchanged."""
    half = len(data) // 2
    return hmac.compare_digest(_mark("proof", data[:half]).encode(), data[half:].encode())


def _mark(use: str, text: str) -> str:
    digest = hmac.digest(KEY, f"{use}\0{text}".encode("utf-8", "replace"), hashlib.sha256)
    return "EqDemo" + base64.b64encode(digest).decode()
