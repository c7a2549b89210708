"""Users, how they like the page, their saved prompts, and the one-time tokens that let them in without a
password.
"""

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


class Preferences(models.Model):
    """How one user likes the page; who has chosen nothing has no row. Theme and language are cookies."""

    class SendKey(models.TextChoices):
        ENTER = "enter"
        CTRL_ENTER = "ctrl_enter"

    class Thinking(models.TextChoices):
        AUTO = "auto", "open while it goes on"
        OPEN = "open"
        CLOSED = "closed"

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="preferences")
    send_key = models.CharField(max_length=10, choices=SendKey.choices, default=SendKey.ENTER)
    thinking = models.CharField(max_length=10, choices=Thinking.choices, default=Thinking.AUTO)
    default_model = models.CharField(max_length=200, blank=True, help_text="Key of a model.")
    system_prompt = models.TextField(blank=True, max_length=20_000, help_text="For new conversations.")
    notifications = models.BooleanField(default=False)
    model_titles = models.BooleanField(default=True, help_text="New conversations are named by their model.")

    def __str__(self) -> str:
        return f"preferences of {self.user}"


class SavedPrompt(models.Model):
    """A text that a user writes often. `{cursor}` in it is where writing goes on when it is put in."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_prompts")
    title = models.CharField(max_length=100)
    text = models.TextField(max_length=20_000)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.title
