"""Bring the scenario packs, rubrics and shipped questions on disk into the database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from library.bank import load_questions
from library.packs import load_packs


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        packs, questions = load_packs(now=now), load_questions(now=now)
        self.stdout.write(f"{len(packs)} scenario packs, {questions} new or changed questions.")
