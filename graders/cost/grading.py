"""Grades an opportunity table against a bill; needs no sandbox, runs nothing of the candidate's."""

from __future__ import annotations

from graders.cost.answer import Answer, parse
from graders.cost.assess import assess
from graders.cost.reading import read
from graders.kinds import Asked
from graders.written import WrittenGrader

ASKED = 5


def _detail(answer: Answer, asked: Asked) -> str:
    count = len(answer.opportunities)
    if not count:
        return "The table has no rows, so nothing is measured but that."
    too_few = "" if count >= ASKED else f"; at least {ASKED} are asked for"
    return f"Measured from {count} opportunities{too_few}."


KIND = WrittenGrader(
    reading="bill_reading",
    parse=parse,
    read=lambda answer, asked: (read(answer, asked.profile, asked.level, asked.seed), []),
    assess=assess,
    detail=_detail,
    money=("text", "how", "reasons", "why"),
)
