"""Bring a backup into an empty site, and carry out again what was erased since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from headnode.backup.restoring import CannotRestore, restore
from hiring.models import Message
from reviews.privacy import again

HELD = "It waited when a backup was made, and may have gone out since. Send it again if it did not."


class Command(BaseCommand):
    help = "Fill an empty site from FILE: all of it or nothing."
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--erasures",
            type=Path,
            metavar="LIST",
            help="the newest list of erasures (manage.py erasures); those after the backup are done again",
        )
        parser.add_argument(
            "--hold-mail",
            action="store_true",
            help="send nothing by itself that waited when the backup was made",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        listed = self._listed(options["erasures"])
        try:
            manifest = restore(options["file"])
        except CannotRestore as error:
            raise CommandError(str(error), returncode=2) from error
        except (DatabaseError, OSError) as error:
            raise CommandError(f"The site cannot be restored: {error}", returncode=3) from error
        count = sum(one["rows"] for one in manifest["tables"].values())
        self.stdout.write(
            f"{count} rows and {len(manifest['files'])} files of {manifest['made_at']}."
        )
        done = again.carry_out_again(listed, now=now)
        self.stdout.write(f"{done} erasures that came after the backup were carried out again.")
        self._say_what_waits(now, hold=options["hold_mail"])
        if manifest["secret_key"] == "environment":  # noqa: S105  (where it lies, not what it is)
            self.stdout.write(
                "Set SECRET_KEY to that of the old site, or open pages need their links again."
            )
        self.stdout.write("Now run: headnode setup, then headnode doctor, and start the processes.")

    def _listed(self, path: Path | None) -> list[dict[str, Any]]:
        own = settings.DATA / again.NAME
        listed = []
        try:
            for one in filter(None, [path, own if own.exists() else None]):
                listed += again.read(one)
        except (again.BadList, OSError) as error:
            raise CommandError(str(error), returncode=2) from error
        return listed

    def _say_what_waits(self, now: Any, *, hold: bool) -> None:
        waiting = Message.objects.waiting()
        if hold:
            held = waiting.update(handed_at=now, answer=HELD)
            self.stdout.write(f"{held} waiting messages are held; the log calls them uncertain.")
        elif count := waiting.count():
            self.stdout.write(f"{count} messages wait and go out once a worker runs.")
