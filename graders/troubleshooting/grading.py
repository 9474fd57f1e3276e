"""Grades a written answer on an incident; needs no sandbox, runs nothing of the candidate's."""

from __future__ import annotations

from graders.kinds import Asked
from graders.report import Json
from graders.troubleshooting.answer import Answer, parse
from graders.troubleshooting.assess import assess
from graders.troubleshooting.reading import read
from graders.troubleshooting.truth import truth_of
from graders.written import Assessed, Corrections, WrittenGrader


class TroubleshootingGrader(WrittenGrader[Answer]):
    """Sections and a board of hypotheses, held against the causes of the variant."""

    reading = "reading"

    def parse(self, text: str) -> Answer:
        return parse(text)

    def read(self, answer: Answer, asked: Asked) -> tuple[Json, list[Json]]:
        return read(answer, truth_of(asked.profile, asked.level, asked.seed)), []

    def assess(self, reading: Json, corrections: Corrections) -> Assessed:
        return assess(reading, corrections)

    def detail(self, answer: Answer, asked: Asked) -> str:
        if answer.silent:
            return "The answer says nothing."
        written = sum(bool(text.strip()) for text in answer.sections.values())
        return f"Measured from {written} written sections and {len(answer.hypotheses)} hypotheses."


KIND = TroubleshootingGrader()
