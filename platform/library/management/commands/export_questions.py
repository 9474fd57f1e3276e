"""Write out the question bank: as a table for people, or as JSON for other programs."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from library.bank import BankProblem, ShippedQuestion, shipped_questions
from library.exchange import from_row
from library.models import Question


class Command(BaseCommand):
    help = __doc__ or ""
    # The shipped bank is read from files, so neither a database nor a sandbox has to be there.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="a list of objects on stdout")
        parser.add_argument(
            "--all", action="store_true", help="also your own questions, from the database"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        questions = shipped() + (own() if options["all"] else [])
        self.stdout.write(as_json(questions) if options["json"] else as_table(questions))


def shipped() -> list[ShippedQuestion]:
    """Q1 to Q27, then A1 to A6; of each topic the question that covers it whole comes last."""
    try:
        return sorted(shipped_questions(), key=place)
    except BankProblem as problem:
        raise CommandError(f"The bank cannot be read: {problem}", returncode=2) from problem


def place(question: ShippedQuestion) -> tuple[bool, int, bool, str]:
    letter, number = question.topic_id[0], question.topic_id[1:]
    whole = question.key == question.topic_id
    return letter == "A", int(number), whole, question.key


def own() -> list[ShippedQuestion]:
    """What the organisation wrote itself, in its present wording."""
    rows = Question.objects.filter(shipped=False, replaced_at=None).order_by("topic_id", "pk")
    try:
        return [from_row(row) for row in rows]
    except DatabaseError as error:
        raise CommandError(
            "Your own questions could not be read: the database is not there or not prepared. "
            "Run `make run` once, or leave out --all.",
            returncode=3,
        ) from error


def as_json(questions: list[ShippedQuestion]) -> str:
    return json.dumps([msgspec.to_builtins(question) for question in questions], indent=2)


def as_table(questions: list[ShippedQuestion]) -> str:
    rows = [("TOPIC", "LEVEL", "SECTION", "ABOUT")]
    rows += [(q.topic_id, q.level, q.section, about(q)) for q in questions]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["  ".join([*map(str.ljust, row, widths), row[3]]) for row in rows]
    return "\n".join([*lines, "", f"{len(questions)} questions."])


def about(question: ShippedQuestion) -> str:
    return question.topic + (" (optional)" if question.optional else "")
