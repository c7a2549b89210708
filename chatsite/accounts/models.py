"""Users, and the one-time tokens that let the first one in without a password."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """Our own from the first migration, so that fields can join later without a rescue operation."""


class EntryToken(models.Model):
    """A one-time way in. Only the SHA-256 of the token is kept; it works once, for a day."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="entry_tokens")
    hash = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"entry of {self.user} at {self.created:%Y-%m-%d %H:%M}"
