"""Levers and traps: what can be in a bill, with effort, risk and the question to ask about it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
CATEGORIES = {
    "usage": "Use of GPUs",
    "rates": "Rates and commitments",
    "governance": "Rules and allocation",
    "storage": "Storage",
    "network": "Network",
    "contracts": "Licences and support",
    "facility": "Power and room",
}
FINDINGS = {
    "over_claim": "Over-claim",
    "double_count": "Double count",
    "sunk": "Sunk cost taken for saving",
    "moved": "Cost moved rather than saved",
    "waste_commitment": "Commitment sized to waste",
    "availability": "Availability or a rule broken",
    "below_effort": "Saving below its effort",
}
"""What an answer can be told about an opportunity: key -> title."""


@dataclass(frozen=True, slots=True)
class Lever:
    """One way to pay less. Ranges `real` and `idle` are parts of the lines' cost, `weeks` are of one engineer,
    `months` from decision to saving, `spread` the part by which the materials leave the figure open."""

    key: str
    number: int
    title: str
    category: str
    lines: tuple[str, ...]
    seen: tuple[str, ...]
    real: tuple[float, float]
    idle: tuple[float, float]
    spread: float
    weeks: float
    complexity: str
    months: tuple[float, float]
    severity: int
    risk: str
    question: str
    group: str = ""

    @property
    def plantable(self) -> bool:
        """Whether it can be a real saving; two only ever look like one."""
        return self.real[1] > 0


@dataclass(frozen=True, slots=True)
class Trap:
    """What looks like a saving at some lines and is none; `where` is the material that says so."""

    key: str
    title: str
    finding: str
    lines: tuple[str, ...]
    where: str
    why: str
    severity: int
    bait: str
    question: str


@cache
def levers() -> Mapping[str, Lever]:
    """All 27 by key, in the order of their numbers."""
    data = tomllib.loads((_HERE / "levers.toml").read_text(encoding="utf-8"))
    return {key: Lever(key=key, **_tuples(row)) for key, row in data.items()}


@cache
def traps() -> Mapping[str, Trap]:
    """All traps by key."""
    data = tomllib.loads((_HERE / "traps.toml").read_text(encoding="utf-8"))
    return {key: Trap(key=key, **_tuples(row)) for key, row in data.items()}


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
