"""Policies that a plan may change, what each does and what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.content import rows
from scenarios.scaling.plan import Plan
from scenarios.scaling.scene import Scene


@dataclass(frozen=True, slots=True)
class Policy:
    """kind: yes_no, number or choice. `default` holds before the year; low, high: bounds of a number."""

    policy: str
    title: str
    about: str
    kind: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    default: PolicyValue = False
    low: float = 0.0
    high: float = 0.0


MIG_PART = 0.5
"""GPUs that a session of one GPU takes where GPUs are cut: half of one on average, as some need it whole."""
TIGHT_IDLE_H = 1.0
"""A limit below this ends sessions whose user is at lunch: they start again and repeat work."""

_ROWS: Mapping[str, Mapping[str, Any]] = {row["policy"]: row for row in rows("policies")}
BEFORE: Mapping[str, PolicyValue] = {key: row["before"] for key, row in _ROWS.items()}
"""Policy -> what holds before the year, where a scene says nothing else."""


def policies(scene: Scene) -> Mapping[str, Policy]:
    """Key -> policy, those that the scene's level may change."""
    found = {}
    for key, row in _ROWS.items():
        if key in scene.before:
            told = {name: value for name, value in row.items() if name not in ("field", "before")}
            told |= {"about": row["about"].format(tight=TIGHT_IDLE_H), "default": scene.before[key]}
            if key == "serving_reserve_gpus":
                told["high"] = float(scene.gpus)
            found[key] = Policy(**told)
    return found


_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def _meant(policy: Policy, value: object) -> object:
    """What a text stands for: yes, no, or a number; other values as they are."""
    if not isinstance(value, str) or policy.kind == "choice":
        return value
    if policy.kind == "yes_no":
        return _WORDS.get(value.strip().lower(), value)
    try:
        number = float(value)
    except ValueError:
        return value
    return number if math.isfinite(number) else value


def checked(policy: Policy, value: object) -> PolicyValue | None:
    """The value as the policy takes it; None where it takes no such value."""
    value = _meant(policy, value)
    if policy.kind == "yes_no":
        return value if isinstance(value, bool) else None
    if policy.kind == "choice":
        return str(value) if value in policy.choices else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if policy.low <= value <= policy.high else None


@dataclass(frozen=True, slots=True)
class Held:
    """The policies of one month, as the model reads them."""

    idle_limit_h: float
    mig: bool
    pack: bool
    lend: bool
    preempt: bool
    reserve: float
    nvme_checkpoints: bool
    cache: bool
    topology: bool
    burst_after_h: float
    night_batch: bool
    link_gbps: float


def held(scene: Scene, plan: Plan) -> tuple[Held, ...]:
    """What holds in each of the months: the last change counts; what cannot be read changes nothing."""
    known = policies(scene)
    values: dict[str, PolicyValue] = dict(scene.before)
    found = []
    for name in (month.name for month in scene.months):
        for change in (one for one in plan.policies if one.month == name):
            value = checked(known[change.policy], change.value) if change.policy in known else None
            if value is not None:
                values[change.policy] = value
        found.append(_held(values, scene))
    return tuple(found)


def before(scene: Scene) -> Held:
    """What holds before the year."""
    return _held(scene.before, scene)


def _held(values: Mapping[str, PolicyValue], scene: Scene) -> Held:
    found: dict[str, Any] = {**BEFORE, "cloud_link_gbps": scene.link_gbps, **values}
    return Held(**{row["field"]: found[key] for key, row in _ROWS.items()})
