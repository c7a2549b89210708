"""Conversations and messages."""

from django.apps import AppConfig


class ChatsConfig(AppConfig):
    name = "chatsite.chats"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from chatsite.chats import keeping  # noqa: F401  (connects the signal)
