"""Grades an opportunity table against a bill; needs no sandbox, runs nothing of the candidate's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graders.cost.answer import Answer, parse
from graders.cost.assess import Assessed, Corrections, assess
from graders.cost.reading import read
from graders.report import GradeReport
from graders.written import BadAnswer, reading_in, report, run_public
from sandbox import Backend
from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import load_pack

__all__ = ["READING", "grade", "reassess", "run_public"]
Progress = Callable[[int, int], None]
READING = "bill_reading"
"""Kind of the evidence row from which `reassess` works."""
ASKED = 5


def grade(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend | None = None,
    hidden: int | None = None,
    profile: Profile | None = None,
    progress: Progress | None = None,
    round: int = 1,
    corrections: Corrections = (),
) -> GradeReport:
    """Measures and evidence of `answer.json`. `backend`, `hidden` and `round` are not used.

    An answer without a row is measured, as nothing; one that cannot be read is a candidate_error.
    Raises PackNotFound, ValueError where the profile has no bill, and BadCorrection.
    """
    chosen = load_pack(pack)
    chosen.level(level)
    try:
        answer = parse(files.get(chosen.entry, ""))
    except BadAnswer as error:
        return report(chosen, level, seed, "candidate_error", f"Not measured: {error}")
    reading = read(answer, profile or DEFAULT, level, seed)
    found = assess(reading, corrections)
    rows = [*found.evidence, {"kind": READING, **reading}]
    if progress is not None:
        progress(1, 1)
    return report(chosen, level, seed, "done", _detail(answer), found.measures, rows)


def reassess(kept: Mapping[str, Any], corrections: Corrections) -> Assessed:
    """Measures and evidence of a kept report (`GradeReport.to_dict`) with these corrections, at once.

    Only the reading in its evidence is used: no bill is made anew. Raises BadCorrection, and LookupError
    for a report without a reading.
    """
    reading = reading_in(kept, READING)
    found = assess({key: value for key, value in reading.items() if key != "kind"}, corrections)
    return Assessed(found.measures, [*found.evidence, reading])


def _detail(answer: Answer) -> str:
    count = len(answer.opportunities)
    if not count:
        return "The table has no rows, so nothing is measured but that."
    asked = "" if count >= ASKED else f"; at least {ASKED} are asked for"
    return f"Measured from {count} opportunities{asked}."
