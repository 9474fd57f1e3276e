"""Print the counts behind the adverse-impact report, hidden ones included, and put that on record."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.audit import note_action
from accounts.models import User
from reviews.fairness import adverse_impact


class Command(BaseCommand):
    help = (
        "Print selected of all for every group, hidden ones too. It is noted who looked, and why."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--by", required=True, help="user name of whoever is charged with it")
        parser.add_argument("--reason", required=True, help="why these counts are needed")

    def handle(self, *args: Any, **options: Any) -> None:
        who = User.objects.filter(username=options["by"], is_active=True, is_staff=True).first()
        if who is None:
            raise CommandError(f"There is no active member of staff named {options['by']!r}.")
        reason = options["reason"].strip()
        if not reason:
            raise CommandError(
                "Say why these counts are needed: --reason goes into the audit trail."
            )
        note_action(who, who, f"Looked at all counts of adverse impact. Reason: {reason}")
        for title, text, counts in adverse_impact.all_counts():
            self.stdout.write(f"\n{title}: {text}")
            for label, (selected, others) in counts:
                self.stdout.write(f"  {label:<28}{selected} of {selected + others}")
