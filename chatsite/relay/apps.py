"""The relay moves events from upstreams to viewers."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RelayConfig(AppConfig):
    name = "chatsite.relay"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(_write_ahead, sender=self)


def _write_ahead(using: str, **_: Any) -> None:
    """Turn the SQLite file to write-ahead logging; the file remembers it."""
    from django.db import connections

    connection = connections[using]
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode=WAL")
