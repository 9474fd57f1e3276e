"""From years to measures: each between the naive plan (0) and the reference plan (1) on the same years."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from graders.measures import Measured
from graders.scaling.tables import table
from scenarios.packs import Measure

Figures = Mapping[str, float]


MONEY = ("usd_per_gpu_hour", "year_usd")
"""The measures that are amounts."""
WORST = 2
"""Hidden years, the dearest, that count twice where a measure is the subject: slack is for them."""


@dataclass(frozen=True, slots=True)
class AnchoredMeasure(Measured):
    """A measure in the words of this exercise.

    zero: the value that counts as 0, the naive plan's where that is worse enough than the reference.
    most: what the score is at most, as far as the work is done.
    void: why nothing of the plan counts, "" where it does.
    """

    zero: float = 0.0
    most: float = math.inf
    void: str = ""

    @property
    def score(self) -> float:
        return min(self.most, (self.value - self.zero) / (self.reference - self.zero)) + 0.0

    def _explanation(self) -> str:
        if self.score >= 1:
            place = "as good as the reference plan or better"
        elif self.score <= 0:
            place = "no better than buying evenly"
        else:
            place = f"{self.score:.0%} of the way from buying evenly to the reference plan"
        unit, digits = self.measure.unit, 2 if self.measure.key in MONEY else 1
        if self.void:
            place += f"; it counts nothing, because {self.void}"
        elif math.isfinite(self.most):
            place += f"; it counts as far as the work is done, here at most {self.most:.0%}"
        return (
            f"{self.value:,.{digits}f} {unit}: {place} (buying evenly {self.naive:,.{digits}f}, reference"
            f" {self.reference:,.{digits}f}). {self.measure.meaning}{self._ceiling()}"
        )


@cache
def measures(level: str = "") -> Mapping[str, Measure]:
    """The measures of the scaling plan by key, in their order, with the ceiling of the level."""
    plain = [
        {key: value for key, value in row.items() if key != "counts"}
        for row in table("measures")["measures"]
    ]
    found = {row["key"]: Measure(**row) for row in plain}
    most = table("measures")["ceilings"].get(level, 1.0)
    return found | {key: replace(found[key], ceiling=most) for key in counting("subject")}


def counting(what: str) -> set[str]:
    """Keys of the measures that count as work or as thrift."""
    return {row["key"] for row in table("measures")["measures"] if row["counts"] == what}


def nothing(found: Sequence[Measured], why: str) -> list[Measured]:
    """The measures of a plan of which nothing counts; `why` ends a sentence."""
    return [
        replace(one, most=0.0, void=why) if isinstance(one, AnchoredMeasure) else one
        for one in found
    ]


def measured(
    years: Sequence[Figures],
    naive: Sequence[Figures],
    reference: Sequence[Figures],
    per_usd: float = 1.0,
    level: str = "",
) -> list[Measured]:
    """Every measure over the years, the three sequences in the order of the draws.

    `per_usd`: units of the company's currency for a dollar, in which our own least distance is given. `level`:
    whose ceiling holds. Years of a grade kept from before a measure was there leave it out.
    """
    thrift, work = counting("thrift"), counting("work")
    found, capped = [], set()
    for measure in measures(level).values():
        if measure.key not in years[0]:
            continue
        value, low, best = (_mean(measure.key, one) for one in (years, naive, reference))
        sign = 1.0 if measure.better == "higher" else -1.0
        floor = measure.floor * (per_usd if measure.key in MONEY else 1.0)
        apart = sign * (best - low) >= floor
        zero = low if apart else best - sign * floor
        found.append(AnchoredMeasure(measure, value, low, best, zero))
        if measure.key in thrift or not apart:
            capped.add(measure.key)
    most = _done(found, work - capped)
    return [
        replace(one, most=most) if one.measure.key in capped and one.score > most else one
        for one in found
    ]


def work_done(found: Sequence[Measured]) -> float:
    """How far the measures that count as work are reached, from 0 to 1."""
    return _done(found, counting("work"))


def _done(found: Sequence[Measured], keys: Collection[str]) -> float:
    done = [min(1.0, max(-1.0, one.score)) for one in found if one.measure.key in keys]
    return max(0.0, statistics.fmean(done)) if done else 1.0


def _mean(key: str, years: Sequence[Figures]) -> float:
    values = sorted((float(year[key]) for year in years), reverse=True)
    twice = values[:WORST] if key in counting("subject") and len(values) > WORST else []
    return statistics.fmean([*values, *twice])
