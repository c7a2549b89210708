"""Sockets follow logins: after a logout, a new password or a disabled account they are closed within a
second.
"""

import asyncio
import weakref
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.http import HttpRequest

from chatsite.accounts import door
from chatsite.accounts.models import User
from chatsite.relay import db, process
from chatsite.relay.process import Relay
from chatsite.relay.protocol import Close
from chatsite.relay.viewer import Viewer


@receiver(user_logged_out, dispatch_uid="chats.logins")
def logged_out(request: HttpRequest, **_: Any) -> None:
    """Close what this login opened."""
    if key := request.session.session_key:
        process.everywhere(_ended, key, request.user.pk)


@receiver([post_save, post_delete], sender=User, dispatch_uid="chats.logins.changed")
def changed(instance: User, update_fields: frozenset[str] | None = None, **_: Any) -> None:
    """Look again at every socket of a user that was changed; a mere login changes nothing."""
    if update_fields is None or set(update_fields) - {"last_login"}:
        owner = instance.pk
        transaction.on_commit(lambda: process.everywhere(_changed, owner))


def listen(relay: Relay) -> None:
    """Let a relay hear of logins that changed in other processes."""
    if relay not in _listening:
        _listening.add(relay)
        relay.listeners.append(lambda message: _heard(relay, message))


def _heard(relay: Relay, message: dict[str, Any]) -> None:
    if "login" in message:
        _look_again(relay, message["login"])


def _ended(relay: Relay, key: str, owner: int | None) -> None:
    relay.hub.end_session(key, Close.LOGIN)
    # The session is gone a moment after the signal.
    relay.loop.call_later(0.3, lambda: relay.bell.ring(login=owner))


def _changed(relay: Relay, owner: int) -> None:
    _look_again(relay, owner)
    relay.bell.ring(login=owner)


def _look_again(relay: Relay, owner: int) -> None:
    for viewer in relay.hub.viewers:
        if viewer.owner == owner:
            task = asyncio.ensure_future(_check(viewer))
            _checks.add(task)
            task.add_done_callback(_checks.discard)


async def _check(viewer: Viewer) -> None:
    if await db.run(door.user_of, viewer.session) is None:
        viewer.end(Close.LOGIN)


_checks: set[asyncio.Future[None]] = set()
_listening: weakref.WeakSet[Relay] = weakref.WeakSet()
