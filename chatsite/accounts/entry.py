"""One-time entry tokens: made for the printed address, taken exactly once."""

import hashlib
import secrets
from datetime import timedelta

from django.utils import timezone

from chatsite.accounts.models import EntryToken, User

LIFETIME = timedelta(days=1)
FIRST_USER = "owner"


def first_user() -> User:
    """The person whose installation this is: an existing administrator, or a new one without a password."""
    user = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if user is None:
        user = User(username=FIRST_USER, is_staff=True, is_superuser=True)
        user.set_unusable_password()
        user.save()
    return user


def guest(name: str) -> User:
    """The user of this name, made without a password and without rights if there is none."""
    user = User.objects.filter(username=name).first()
    if user is None:
        user = User(username=name)
        user.set_unusable_password()
        user.full_clean(exclude=["password"])
        user.save()
    return user


def make(user: User) -> str:
    """A new token for `user`; tokens past their day are swept on the way."""
    EntryToken.objects.filter(created__lt=timezone.now() - LIFETIME).delete()
    token = secrets.token_urlsafe(32)
    EntryToken.objects.create(user=user, hash=_hash(token))
    return token


def take(token: str) -> User | None:
    """The user a token lets in, or None when it is unknown, used or older than a day."""
    now = timezone.now()
    fresh = EntryToken.objects.filter(hash=_hash(token), used_at=None, created__gte=now - LIFETIME)
    if not fresh.filter(user__is_active=True).update(used_at=now):
        return None
    return EntryToken.objects.select_related("user").get(hash=_hash(token)).user


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
