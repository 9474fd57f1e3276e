"""Grade a submission again with the same inputs and compare: same, or where the two differ."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assessments.execution import graded
from assessments.models import GradingRun
from assessments.reproduction import compare
from sandbox import SandboxUnavailable


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("grading_run", type=int)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, grading_run: int, **options: Any) -> None:
        run = GradingRun.objects.filter(pk=grading_run).exclude(report=None).first()
        if run is None:
            raise CommandError(
                f"There is no finished grading {grading_run}: give the number of one that ended.",
                returncode=2,
            )
        try:
            differences = compare(run.report, graded(run))
        except SandboxUnavailable as error:
            raise CommandError(str(error), returncode=3) from error
        answer = {
            "grading_run": grading_run,
            "same": not differences,
            "differences": differences,
        }
        self.stdout.write(json.dumps(answer) if options["json"] else self.sentence(answer))
        if differences:
            sys.exit(1)

    def sentence(self, answer: dict[str, Any]) -> str:
        if answer["same"]:
            return f"Grading {answer['grading_run']} came out the same."
        lines = "\n".join(f"  {line}" for line in answer["differences"])
        return f"Grading {answer['grading_run']} came out differently:\n{lines}"
