"""Say whose data is due and exactly what would go; with --carry-out, let it go."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from reviews.privacy.retention import carry_out, due


class Command(BaseCommand):
    help = "List candidates whose data has been kept long enough; --carry-out lets it go."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--carry-out", action="store_true", help="erase or pseudonymise now")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        rows = due(now)
        for row in rows:
            what = ", ".join(f"{count} {kind}" for kind, count in row.counts.items())
            number = row.candidate.pk
            self.stdout.write(f"Candidate {number}, due {row.since:%Y-%m-%d}, {row.how}: {what}")
        if not options["carry_out"]:
            self.stdout.write(f"{len(rows)} due. Nothing was changed.")
            return
        self.stdout.write(f"{len(carry_out(now))} of {len(rows)} carried out.")
