"""Make the database and the data folder ready to serve; as often as you like."""

from __future__ import annotations

import getpass
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from headnode import prepared_site
from headnode.prepared_site import CannotAdd
from headnode.static_collection import collect_static, collected
from headnode.steps import step

VARIABLES = ("HEADNODE_ADMIN", "HEADNODE_ADMIN_EMAIL", "HEADNODE_ADMIN_PASSWORD")
NOBODY = (
    "Nobody can sign in yet. Run this command at a terminal, or set "
    "HEADNODE_ADMIN, HEADNODE_ADMIN_EMAIL and HEADNODE_ADMIN_PASSWORD and run it again."
)


class Command(BaseCommand):
    help = (
        "Migrate, collect static files, load the library, write the roles, make the first account."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--no-input",
            action="store_true",
            help="ask nothing; take the first administrator from " + ", ".join(VARIABLES),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with prepared_site.alone():
                self._prepare()
        except DatabaseError as error:
            why = str(error).strip().partition("\n")[0].rstrip(".")
            sentence = f"The database cannot be used: {why}. See DATABASE_URL."
            raise CommandError(sentence, returncode=3) from error
        self._first_administrator(asks=not options["no_input"] and sys.stdin.isatty())
        self.stdout.write(f"Ready. Check it with: headnode doctor. The site is {settings.SITE_URL}")

    def _prepare(self) -> None:
        with step("tables", self.stdout) as said:
            new = prepared_site.migrate()
            said.result = f"{new} migrations" if new else "up to date"
        with step("roles", self.stdout) as said:
            said.result = f"{prepared_site.bring_roles()} people hold one"
        with step("static files", self.stdout) as said:
            fresh = collect_static(settings.DATA, collected)
            said.result = "collected" if fresh else "up to date"
        with step("library", self.stdout) as said:
            packs, questions = prepared_site.bring_library(timezone.now())
            said.result = f"{packs} scenario packs, {questions} new or changed questions"

    def _first_administrator(self, *, asks: bool) -> None:
        with prepared_site.alone():  # or two hosts that start together both make one
            if known := prepared_site.administrators():
                self.stdout.write(f"  administrator: {known[0].username} is one already")
                return
            given = [os.environ.get(variable, "") for variable in VARIABLES]
            if all(given):
                self._made(*given)
                return
        if asks:
            self._made(*_asked())
        else:
            self.stdout.write(f"  administrator: {NOBODY}")

    def _made(self, name: str, email: str, password: str) -> None:
        try:
            user = prepared_site.add_administrator(name=name, email=email, password=password)
        except CannotAdd as error:
            raise CommandError(f"The administrator was not made. {error}", returncode=2) from error
        self.stdout.write(f"  administrator: {user.username}, {user.email}")


def _asked() -> tuple[str, str, str]:
    """What a person answers at the terminal."""
    print("The first administrator's account.")  # noqa: T201  (a conversation)
    name, email = input("  User name: "), input("  E-mail: ")
    password = getpass.getpass("  Password: ")
    if getpass.getpass("  The same again: ") != password:
        raise CommandError("The two passwords differ. Run this command again.", returncode=2)
    return name, email, password
