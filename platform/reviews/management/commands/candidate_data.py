"""Export or erase one candidate's data, on their request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from hiring.models import Candidate, Erasure
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import StillWorking, compact, erase


class Command(BaseCommand):
    help = "Export (--export FILE.zip) or erase (--erase, --pseudonymise) one candidate's data."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("email", help="the candidate's address")
        parser.add_argument("--export", metavar="FILE", help="write a ZIP file for the candidate")
        modes = parser.add_mutually_exclusive_group()
        modes.add_argument("--erase", dest="mode", action="store_const", const="erase")
        modes.add_argument(
            "--pseudonymise", dest="mode", action="store_const", const="pseudonymise"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        candidate = Candidate.objects.filter(email__iexact=options["email"]).first()
        if candidate is None:
            raise CommandError("No candidate has this address.", returncode=2)
        if not options["export"] and not options["mode"]:
            raise CommandError("Say what to do: --export, --erase or --pseudonymise.", returncode=2)
        if options["export"]:
            Path(options["export"]).write_bytes(export(candidate))
            self.stdout.write(f"Wrote {options['export']}.")
        if options["mode"]:
            mode = Erasure.Mode(options["mode"])
            try:
                stone = erase(candidate, mode=mode, by=None, now=timezone.now())
            except StillWorking as error:
                raise CommandError(str(error), returncode=3) from error
            compact()
            self.stdout.write(f"{stone}.")
