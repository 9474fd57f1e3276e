"""Grades a scaling plan by playing it over hidden years, and plays what-ifs; needs no sandbox."""

from __future__ import annotations

import time

from graders.kinds import Asked
from graders.report import GradeReport, Json, RunReport, unrun
from graders.scaling.answer import Answer, parse, plan_of
from graders.scaling.assess import assess
from graders.scaling.playing import anchors_of, draws_of, expected_naive, play_hidden, play_median
from graders.scaling.reading import read, year_rows
from graders.written import BadAnswer, WrittenGrader
from scenarios.scaling.checks import checks
from scenarios.scaling.draw import scene_of

YEAR = "year"
"""Kind of the evidence rows that hold a hidden year month by month."""


MONEY = ("text", "detail", "why", "figures", "unit", "unit_of")
"""Keys of evidence rows whose words and units are ours."""


class ScalingGrader(WrittenGrader[Answer]):
    """Plans; one that changes nothing is measured as a year in which nothing is changed."""

    def run_public(self, asked: Asked, workload: str) -> RunReport:
        """A what-if: the plan in `plan.json` (or answer.json) over the year that the documents expect.

        `cancel` is not looked at: the caller ends the process that plays it.
        `timeline` is the year month by month (`Year.to_dict`) with its `checks`, the `naive` plan's year,
        and `measures` of both; the reference plan is not in it. An unreadable plan is a candidate_error.
        """
        began, used = time.monotonic(), time.process_time()
        try:
            plan = plan_of(asked.files)
        except BadAnswer as error:
            return unrun(f"The plan was not run: {error}")
        scene = scene_of(asked.profile, asked.level, asked.seed)
        timeline = {
            **play_median(scene, plan),
            "checks": checks(scene, plan).to_dict(),
            "naive": expected_naive(asked.profile, asked.level, asked.seed),
        }
        wall, cpu = time.monotonic() - began, time.process_time() - used
        said = "The plan was run over the expected year."
        return unrun(said, status="ok", timeline=timeline, wall_s=wall, cpu_s=cpu)

    def grade(self, asked: Asked) -> GradeReport:
        """As every written answer; `hidden` is the number of the round's years and within its range."""
        draws_of(asked.level, asked.hidden)
        return super().grade(asked)


def _read(answer: Answer, asked: Asked) -> tuple[Json, list[Json]]:
    company, level, seed, round = asked.profile, asked.level, asked.seed, asked.round
    scene, draws = scene_of(company, level, seed), draws_of(level, asked.hidden)
    played = play_hidden(scene, answer.plan, draws, asked.progress, round)
    anchors = anchors_of(company, level, seed, draws, round)
    return read(answer, scene, played, anchors), year_rows(scene, played, anchors)


def _detail(answer: Answer, asked: Asked) -> str:
    draws = draws_of(asked.level, asked.hidden)
    years = f"{draws} hidden year{'s' if draws != 1 else ''}"
    if not answer.changes:
        return f"The plan changes nothing; measured over {years} as it is."
    return f"Measured over {years} from {answer.changes} rows of the plan."


KIND = ScalingGrader("plan_reading", parse, _read, assess, _detail, kept=(YEAR,), money=MONEY)
