"""Print whose data went, as a list to keep beside backups: numbers and moments, no names."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from hiring.models import Erasure
from reviews.privacy.again import line_of


class Command(BaseCommand):
    help = "Print the erasures, one a line, for: restore FILE --erasures LIST"

    def handle(self, *args: Any, **options: Any) -> None:
        for stone in Erasure.objects.order_by("erased_at", "pk"):
            self.stdout.write(line_of(stone), ending="")
