"""Conversations and messages."""

from django.apps import AppConfig


class ChatsConfig(AppConfig):
    name = "chatsite.chats"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from chatsite.chats import keeping, logins, searching  # noqa: F401  (they connect signals and tools)
