"""Grades a scaling plan by playing it over hidden years, and plays what-ifs; needs no sandbox."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from graders.report import EMPTY_TIMELINE, GradeReport, RunReport
from graders.scaling.answer import Answer, parse, plan_of
from graders.scaling.assess import Assessed, Corrections, assess
from graders.scaling.playing import (
    Progress,
    anchors_of,
    draws_of,
    expected_naive,
    play_hidden,
    play_median,
)
from graders.scaling.reading import read, year_rows
from graders.written import BadAnswer, reading_in, report
from sandbox import Backend
from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import load_pack
from scenarios.scaling.checks import checks
from scenarios.scaling.draw import scene_of

READING = "plan_reading"
"""Kind of the evidence row from which `reassess` works."""
YEAR = "year"
"""Kind of the evidence rows that hold a hidden year month by month."""


def run_public(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend | None = None,
    workload: str = "",
    profile: Profile | None = None,
    cancel: threading.Event | None = None,
) -> RunReport:
    """A what-if: the plan in `plan.json` (or answer.json) over the year that the documents expect.

    `cancel` is not looked at: the caller ends the process that plays it.
    `timeline` is the year month by month (`Year.to_dict`) with its `checks`, the `naive` plan's year, and
    `measures` of both; the reference plan is not in it. An unreadable plan is a candidate_error.
    Raises PackNotFound, and ValueError where the profile cannot carry the exercise.
    """
    load_pack(pack).level(level)
    company, began, used = profile or DEFAULT, time.monotonic(), time.process_time()
    try:
        plan = plan_of(files)
    except BadAnswer as error:
        return _run("candidate_error", f"The plan was not run: {error}", EMPTY_TIMELINE, 0.0, 0.0)
    scene = scene_of(company, level, seed)
    timeline = {
        **play_median(scene, plan),
        "checks": checks(scene, plan).to_dict(),
        "naive": expected_naive(company, level, seed),
    }
    wall, cpu = time.monotonic() - began, time.process_time() - used
    return _run("ok", "The plan was run over the expected year.", timeline, wall, cpu)


def _run(status: str, detail: str, timeline: dict[str, Any], wall: float, cpu: float) -> RunReport:
    return RunReport(
        status=status,
        detail=detail,
        stdout="",
        stderr="",
        stdout_truncated=False,
        wall_s=round(wall, 3),
        cpu_s=round(cpu, 3),
        calls=0,
        backend="none",
        marks=[],
        measures=[],
        timeline=timeline,
    )


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
    """Measures and evidence of `answer.json`; `hidden` is the number of the round's years, `backend` is
    not used.

    An answer without a plan is measured as a year in which nothing is changed; one that cannot be read is a
    candidate_error. Raises PackNotFound, ValueError where the profile cannot carry the exercise or for a
    number of years out of range, and BadCorrection.
    """
    chosen, company = load_pack(pack), profile or DEFAULT
    chosen.level(level)
    draws = draws_of(level, hidden)
    try:
        answer = parse(files.get(chosen.entry, ""))
    except BadAnswer as error:
        return report(chosen, level, seed, "candidate_error", f"Not measured: {error}")
    scene = scene_of(company, level, seed)
    played = play_hidden(scene, answer.plan, draws, progress, round)
    anchors = anchors_of(company, level, seed, draws, round)
    reading = read(answer, scene, played, anchors)
    found = assess(reading, corrections)
    rows = [*found.evidence, *year_rows(scene, played, anchors), {"kind": READING, **reading}]
    detail = _detail(answer, draws)
    return report(chosen, level, seed, "done", detail, found.measures, rows)


def reassess(kept: Mapping[str, Any], corrections: Corrections) -> Assessed:
    """Measures and evidence of a kept report (`GradeReport.to_dict`) with these corrections, at once.

    Only what its evidence holds is used: nothing is played. Raises BadCorrection, and LookupError for a
    report without a reading.
    """
    reading = reading_in(kept, READING)
    found = assess({key: value for key, value in reading.items() if key != "kind"}, corrections)
    years = [row for row in kept["evidence"] if row["kind"] == YEAR]
    return Assessed(found.measures, [*found.evidence, *years, reading])


def _detail(answer: Answer, draws: int) -> str:
    years = f"{draws} hidden year{'s' if draws != 1 else ''}"
    if not answer.changes:
        return f"The plan changes nothing; measured over {years} as it is."
    return f"Measured over {years} from {answer.changes} rows of the plan."
