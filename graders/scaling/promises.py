"""How far the figures that an answer stands for are what its plan comes to, as a measure of its own."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from graders.scaling.claims import STATED
from graders.scaling.measuring import AnchoredMeasure
from graders.scaling.tables import table
from scenarios.packs import Measure

Json = Mapping[str, Any]
TWICE = 2.0
"""A claim that is so many times better than the best year counts nothing."""


@dataclass(frozen=True, slots=True)
class Promised(AnchoredMeasure):
    """The measure, with what was counted in its own words."""

    told: str = ""

    def _explanation(self) -> str:
        capped = (
            f" It counts as far as the work is done, here at most {self.most:.0%}."
            if self.most < 1
            else ""
        )
        return f"{self.told}{capped} {self.measure.meaning}"


@cache
def measure() -> Measure:
    """The row `claims` of measures.toml."""
    return Measure(**table("measures")["claims"])


def promised(claims: Sequence[Json], most: float) -> list[Promised]:
    """The measure as a list of one, or none where nothing is claimed. `most`: how far the work is done."""
    if not claims:
        return []
    kept = [_kept(row) for row in claims]
    worst = min(range(len(kept)), key=kept.__getitem__)
    value = 50 * (statistics.fmean(kept) + kept[worst])
    told = f"{sum(one >= 1 for one in kept)} of {len(kept)} claims are kept or careful"
    if kept[worst] < 1:
        row = claims[worst]
        told += (
            f"; furthest off is {row['title'].lower()}: {_said(row['claimed'])} {row['unit']} claimed,"
            f" {_said(row['low'])} to {_said(row['high'])} played"
        )
    return [Promised(measure(), value, 0.0, 100.0, most=min(1.0, most), told=f"{told}.")]


def _kept(row: Json) -> float:
    """1 for a claim that is within or careful, falling to 0 where it is twice as good as the best year."""
    if row["state"] != "too_good":
        return 1.0
    about = STATED[row["name"]]
    best, claimed = (row["low"], row["claimed"]) if about.low else (row["high"], row["claimed"])
    less, more = (claimed, best) if about.low else (best, claimed)
    if less <= 0:
        return 0.0
    times = float(more) / float(less)
    return max(0.0, min(1.0, (TWICE - times) / (TWICE - 1 - about.slack)))


def _said(value: float) -> str:
    return f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"
