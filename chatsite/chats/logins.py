"""Sockets follow logins: after a logout, a new password or a disabled account they are closed within a
second.
"""

import asyncio
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
        process.everywhere(lambda relay: relay.hub.end_session(key, Close.LOGIN))


@receiver([post_save, post_delete], sender=User, dispatch_uid="chats.logins.changed")
def changed(instance: User, update_fields: frozenset[str] | None = None, **_: Any) -> None:
    """Look again at every socket of a user that was changed; a mere login changes nothing."""
    if update_fields is None or set(update_fields) - {"last_login"}:
        owner = instance.pk
        transaction.on_commit(lambda: process.everywhere(_look_again, owner))


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
