"""Rubrics: criteria with five described levels; knows no rating and no rater."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DIMENSIONS = (
    "technical quality",
    "method",
    "reliability",
    "observability",
    "business awareness",
    "communication",
    "adaptability",
)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is rated 1 to 5. `round` 1 is the first answer, 2 the revision."""

    key: str
    title: str
    dimension: str
    round: int
    weight: float
    weight_reason: str
    levels: dict[int, str]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Every criterion of one level of one pack."""

    title: str
    criteria: list[Criterion]


def read_rubric(path: Path) -> Rubric:
    """Read a rubric.toml. Raises ValueError with one sentence naming the criterion."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Rubric(str(data["title"]), [_criterion(row) for row in data["criteria"]])


def _criterion(row: dict[str, Any]) -> Criterion:
    levels = {int(number): str(text).strip() for number, text in row["levels"].items()}
    if sorted(levels) != [1, 2, 3, 4, 5] or not all(levels.values()):
        raise ValueError(f"Criterion {row['key']}: describe the levels 1 to 5.")
    if row["dimension"] not in DIMENSIONS:
        raise ValueError(f"Criterion {row['key']}: unknown dimension {row['dimension']!r}.")
    if row["round"] not in (1, 2):
        raise ValueError(f"Criterion {row['key']}: round is 1 or 2.")
    reason = str(row.get("weight_reason", ""))
    if float(row["weight"]) != 1 and not reason:
        raise ValueError(f"Criterion {row['key']}: say in weight_reason why its weight is not 1.")
    return Criterion(
        key=row["key"],
        title=row["title"],
        dimension=row["dimension"],
        round=row["round"],
        weight=float(row["weight"]),
        weight_reason=reason,
        levels=levels,
    )
