"""Who is behind a socket: the session cookie, checked as Django checks it for a request. Synchronous."""

from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from chatsite.accounts.models import User


def session_key(headers: list[tuple[bytes, bytes]]) -> str | None:
    """The session key in the cookies of a handshake."""
    for name, value in headers:
        if name == b"cookie":
            try:
                cookie: SimpleCookie = SimpleCookie(value.decode("latin-1"))
            except CookieError:
                continue
            if settings.SESSION_COOKIE_NAME in cookie:
                return cookie[settings.SESSION_COOKIE_NAME].value
    return None


def user_of(key: str | None) -> User | None:
    """The active user of a session; None when it is unknown, expired, or the password has changed since."""
    if not key:
        return None
    engine: Any = import_module(settings.SESSION_ENGINE)
    request = SimpleNamespace(session=engine.SessionStore(key))
    user = get_user(cast(HttpRequest, request))
    return user if isinstance(user, User) and user.is_active else None
