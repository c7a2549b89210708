"""Checks that refuse a set-up which would quietly lose a guarantee."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register("security")
def public_url_is_an_origin(**_: Any) -> list[CheckMessage]:
    """PUBLIC_URL is compared with the Origin of every socket, so it must be scheme://host[:port] alone."""
    if not settings.PUBLIC_URL:
        return []
    parts = urlsplit(settings.PUBLIC_URL)
    if parts.scheme in {"http", "https"} and parts.hostname and not parts.path and not parts.query:
        return []
    return [
        Error(
            f"PUBLIC_URL is {settings.PUBLIC_URL!r}: give it as https://chat.example.org",
            id="streamrender.E001",
        )
    ]


@register("security")
def hosts_are_named(**_: Any) -> list[CheckMessage]:
    """A wildcard host would switch off the check of a socket's origin."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [Error("ALLOWED_HOSTS must name hosts, never '*'", id="streamrender.E002")]
