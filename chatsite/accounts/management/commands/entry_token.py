"""`manage.py entry_token`: a one-time way in for the owner of this installation."""

from typing import Any

from django.core.management.base import BaseCommand

from chatsite.accounts import entry


class Command(BaseCommand):
    help = "Print a path that logs the first user in, once, within a day. Makes the user if there is none."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"/enter/{entry.make(entry.first_user())}")
