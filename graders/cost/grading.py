"""Grades an opportunity table against a bill; needs no sandbox, runs nothing of the candidate's."""

from __future__ import annotations

from graders.cost.answer import Answer, parse
from graders.cost.assess import assess
from graders.cost.reading import read
from graders.kinds import Asked
from graders.report import Json
from graders.written import Assessed, Corrections, WrittenGrader

ASKED = 5


class CostGrader(WrittenGrader[Answer]):
    """Opportunity tables; an answer without a row is measured, as nothing."""

    reading = "bill_reading"

    def parse(self, text: str) -> Answer:
        return parse(text)

    def read(self, answer: Answer, asked: Asked) -> tuple[Json, list[Json]]:
        return read(answer, asked.profile, asked.level, asked.seed), []

    def assess(self, reading: Json, corrections: Corrections) -> Assessed:
        return assess(reading, corrections)

    def detail(self, answer: Answer, asked: Asked) -> str:
        count = len(answer.opportunities)
        if not count:
            return "The table has no rows, so nothing is measured but that."
        too_few = "" if count >= ASKED else f"; at least {ASKED} are asked for"
        return f"Measured from {count} opportunities{too_few}."


KIND = CostGrader()
