"""`manage.py entry_token [NAME]`: a one-time way in, for the owner of this installation or a guest."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from chatsite.accounts import entry


class Command(BaseCommand):
    help = (
        "Print a path that logs a user in, once, within a day: the first user, or the one named, who is made "
        "if there is none. A guest is an ordinary user, who sees nobody else's conversations."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="the user to let in; without it, the first one")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        user = entry.first_user() if name is None else entry.guest(name)
        self.stdout.write(f"/enter/{entry.make(user)}")
