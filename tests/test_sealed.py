"""Secrets at rest are unreadable without the SECRET_KEY they were sealed under."""

from typing import Any

import pytest

from chatsite.sealed import CannotOpen, seal, unseal


@pytest.mark.parametrize("secret", ["sk-1", "密钥", "x" * 5000, ""])
def test_what_was_sealed_opens_again(secret: str) -> None:
    sealed = seal(secret)
    assert unseal(sealed) == secret
    assert sealed.isascii()
    assert not secret or secret not in sealed


def test_the_same_secret_never_looks_the_same() -> None:
    assert seal("sk-1") != seal("sk-1")


def test_after_a_change_of_the_secret_key_it_says_what_to_do(settings: Any) -> None:
    sealed = seal("sk-1")
    settings.SECRET_KEY = "another"
    with pytest.raises(CannotOpen, match="enter it again"):
        unseal(sealed)


@pytest.mark.parametrize("damaged", ["x", "gAAAAA", "密钥"])
def test_a_damaged_text_is_the_same_clear_error(damaged: str) -> None:
    with pytest.raises(CannotOpen):
        unseal(damaged)
