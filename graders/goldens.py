"""The reference answers of a pack, and what each must come to: read and played in this process."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from graders.anchors import anchor_figures, play_trusted
from graders.measures import Measured, measure_workloads
from graders.workloads import Workload
from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import Pack

NAMES = (
    "do_nothing",
    "naive",
    "competent",
    "expert",
    "thrasher",
    "budget_breaker",
    "crasher",
    "cheater",
)
"""What every automation pack brings."""
UNMEASURED = "crasher"


@dataclass(frozen=True, slots=True)
class Margin:
    """`better` must come out at least `least` above `worse` in the unclipped mean."""

    worse: str
    better: str
    least: float


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a golden must come out: `total` of clipped measures, `mean` of unclipped ones."""

    total: tuple[float, float]
    mean: tuple[float, float]


@dataclass(frozen=True)
class Expected:
    """A pack's goldens.toml. `spread` bounds the standard deviation of a golden's total by seed.

    `further` names goldens that this pack brings beside `NAMES`.
    """

    further: Sequence[str]
    margins: Sequence[Margin]
    spread: Mapping[str, float]
    bounds: Mapping[str, Mapping[str, Bounds | None]]


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def expected(pack: Pack) -> Expected:
    """What goldens.toml states; a golden without bounds must come out as not measured."""
    data = _read(pack.folder / "goldens" / "goldens.toml")
    margins = []
    for pair, least in data["margins"].items():
        worse, _, better = pair.partition(" < ")
        margins.append(Margin(worse, better, float(least)))
    bounds = {
        level: {name: _bounds(row) for name, row in table.items()}
        for level, table in data["levels"].items()
    }
    return Expected(data.get("further", []), margins, data["spread"], bounds)


def golden_names(pack: Pack) -> tuple[str, ...]:
    """Every golden of the pack: what all packs bring, then its own further ones."""
    return (*NAMES, *expected(pack).further)


def _bounds(row: Mapping[str, list[float]]) -> Bounds | None:
    if not row:
        return None
    return Bounds((row["total"][0], row["total"][1]), (row["mean"][0], row["mean"][1]))


def play_golden(
    pack: Pack, level: str, name: str, workloads: Sequence[Workload], profile: Profile = DEFAULT
) -> list[Measured]:
    """The golden's measures over the workloads, each between the anchors of the same ones."""
    source = pack.golden(level, name)
    anchors = [anchor_figures(pack, level, one, profile) for one in workloads]
    return measure_workloads(
        pack.measures(level, profile),
        pack.world.measures,
        [play_trusted(source, one, profile, faults=True) for one in workloads],
        [naive for naive, _ in anchors],
        [reference for _, reference in anchors],
    )


def unclipped(measured: Sequence[Measured]) -> float:
    """Mean of the scores as they are, below 0 and above 1 too."""
    return sum(one.score for one in measured) / len(measured)
