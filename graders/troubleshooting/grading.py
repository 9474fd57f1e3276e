"""Grades a written answer on an incident; needs no sandbox, runs nothing of the candidate's."""

from __future__ import annotations

from graders.kinds import Asked
from graders.troubleshooting.answer import Answer, parse
from graders.troubleshooting.assess import assess
from graders.troubleshooting.reading import read
from graders.troubleshooting.truth import truth_of
from graders.written import WrittenGrader


def _detail(answer: Answer, asked: Asked) -> str:
    if answer.silent:
        return "The answer says nothing."
    written = sum(bool(text.strip()) for text in answer.sections.values())
    return f"Measured from {written} written sections and {len(answer.hypotheses)} hypotheses."


KIND = WrittenGrader(
    reading="reading",
    parse=parse,
    read=lambda answer, asked: (read(answer, truth_of(asked.profile, asked.level, asked.seed)), []),
    assess=assess,
    detail=_detail,
)
