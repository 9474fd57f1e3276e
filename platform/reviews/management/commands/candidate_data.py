"""Export or erase one candidate's data, on their request."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from hiring.models import Candidate, Erasure
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import StillWorking, compact, erase


def keep_to_oneself(path: Path, data: bytes) -> None:
    """Write the file so that nobody but its owner reads it. Raises OSError."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        os.fchmod(file.fileno(), 0o600)  # also where it was there before
        file.write(data)


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
            try:
                keep_to_oneself(Path(options["export"]), export(candidate))
            except OSError as error:
                sentence = f"{options['export']} cannot be written: {error.strerror}."
                raise CommandError(sentence, returncode=2) from error
            self.stdout.write(f"Wrote {options['export']}.")
        if options["mode"]:
            mode = Erasure.Mode(options["mode"])
            try:
                stone = erase(candidate, mode=mode, by=None, now=timezone.now())
            except StillWorking as error:
                raise CommandError(str(error), returncode=3) from error
            compact()
            self.stdout.write(f"{stone}.")
