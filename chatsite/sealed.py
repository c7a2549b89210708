"""Secrets at rest, sealed with a key that comes from SECRET_KEY: a copy of the database alone opens none.

The key is derived (HKDF, RFC 5869) for this one use: what signs sessions never encrypts. A new SECRET_KEY
makes everything sealed before unreadable; `unseal` says so, and whoever holds the secret enters it again.
"""

from base64 import urlsafe_b64encode
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PURPOSE = b"streamrender secrets at rest, 1"


class CannotOpen(Exception):
    """A sealed text that this SECRET_KEY does not open: the key was changed, or the text was damaged."""

    def __str__(self) -> str:
        return "It was stored under another SECRET_KEY and cannot be opened: enter it again."


def seal(secret: str) -> str:
    """The secret as ASCII text that tells nothing; empty for an empty secret."""
    return _box(settings.SECRET_KEY).encrypt(secret.encode()).decode() if secret else ""


def unseal(sealed: str) -> str:
    """What `seal` was given. Raises CannotOpen."""
    if not sealed:
        return ""
    try:
        return _box(settings.SECRET_KEY).decrypt(sealed.encode()).decode()
    except (InvalidToken, ValueError):
        raise CannotOpen from None


@lru_cache(maxsize=2)
def _box(secret_key: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret_key.encode())
    return Fernet(urlsafe_b64encode(derived))
