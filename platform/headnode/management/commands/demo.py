"""Load the demo and say how to get in: admin address and password, a candidate's link."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from headnode.demo import NotEmpty, further_links, load


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            known = load()
        except NotEmpty as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(f"Staff       {settings.SITE_URL}/admin/")
        self.stdout.write(f"            {known['username']} / {known['password']}")
        self.stdout.write(f"Candidate   {known['link']}")
        for link, kind in further_links(known):
            self.stdout.write(f"            {link} ({kind})")
