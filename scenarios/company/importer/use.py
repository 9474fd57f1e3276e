"""From accounting to teams, growth and nodes."""

from __future__ import annotations

import math
import re
import statistics
from itertools import pairwise
from typing import Any

import numpy as np

from scenarios.company.importer.draft import Draft
from scenarios.company.importer.hours import Hours, joined, months, rhythm
from scenarios.company.importer.kinds import RULE
from scenarios.company.importer.sacct import Accounting, TeamUse
from scenarios.company.profile import GPU_MODELS, defaults
from scenarios.company.profile.gpus import BUILDS
from scenarios.company.profile.tables import JOB_CLASSES

MOST_TEAMS = 12
OTHERS = "Others"
_UNFIT = re.compile(r"[^\w .,:+/()&'-]+")
DAY = 86_400


def fit_use(found: Accounting, draft: Draft, *, nodes_known: bool) -> None:
    """Write teams, growth, policies and, without an inventory, node types to the draft."""
    days = max(1, round((found.last_s - found.first_s) / DAY))
    draft.sources.append(
        f"sacct: {found.jobs:,} jobs that started, {found.gpu_hours:,.0f} GPU-hours in {days:,} days; "
        f"{found.waiting:,} that had not started, {found.without_gpu:,} without GPUs and {found.steps:,} steps "
        "were left out."
    )
    _teams(found, draft)
    _growth(found, draft)
    _policies(found, draft)
    if not nodes_known:
        _nodes(found, draft)


def _teams(found: Accounting, draft: Draft) -> None:
    ranked = sorted(found.teams.items(), key=lambda one: (-one[1].gpu_hours, one[0]))
    if len(ranked) > MOST_TEAMS:
        rest = TeamUse()
        for _, team in ranked[MOST_TEAMS - 1 :]:
            _add(rest, team)
        ranked = [*ranked[: MOST_TEAMS - 1], (OTHERS, rest)]
    total = found.gpu_hours
    shares = parts_of_one([team.gpu_hours / total for _, team in ranked], 4)
    names = _names([name for name, _ in ranked])
    rows, short = [], []
    for name, share, (_, team) in zip(names, shares, ranked, strict=True):
        row: dict[str, Any] = {"name": name, "gpu_share": share}
        if team.users:
            row["headcount"] = len(team.users)
        mix = parts_of_one([team.kinds.get(kind, 0.0) / team.gpu_hours for kind in JOB_CLASSES], 3)
        row |= dict(zip(JOB_CLASSES, mix, strict=True))
        if found_rhythm := rhythm(team.all_hours()):
            row["weekend"], row["night"] = (round(part, 2) for part in found_rhythm)
        else:
            short.append(name)
        rows.append(row)
    if short:
        draft.missing.append(
            f"Weekly rhythm of {', '.join(short)}: less than two weeks of use, so half of it at weekends "
            "and at night."
        )
    draft.data["teams"] = rows
    who = "accounts" if found.by_account else "users: the export has no column Account"
    draft.notes["teams"] = f"From sacct's {who}, by GPU-hours; people are distinct users.\n{RULE}"
    if not any(team.users for _, team in ranked):
        draft.missing.append("People in a team: the export has no column User, so 8 each.")


def _add(rest: TeamUse, team: TeamUse) -> None:
    rest.gpu_hours += team.gpu_hours
    rest.users |= team.users
    for kind, amount in team.kinds.items():
        rest.kinds[kind] += amount
    for kind, hours in team.hours.items():
        rest.hours[kind] = joined((rest.hours[kind], hours))


def parts_of_one(parts: list[float], digits: int) -> list[float]:
    """Parts rounded so that they still add up to 1: the largest takes the difference."""
    rounded = [round(part, digits) for part in parts]
    largest = max(range(len(parts)), key=lambda place: parts[place])
    rounded[largest] = round(rounded[largest] + 1 - sum(rounded), digits)
    return rounded


def _names(given: list[str]) -> list[str]:
    """Names that a profile takes, each once."""
    found: list[str] = []
    for one in given:
        name = _UNFIT.sub("-", one)[:50].strip(" .,:+/()&'-") or "Team"
        number, tried = 1, name
        while tried in found:
            number += 1
            tried = f"{name} {number}"
        found.append(tried)
    return found


def _growth(found: Accounting, draft: Draft) -> None:
    usual = {row.job_class: row for row in defaults.growth().classes}
    rows, fitted = [], []
    for kind in JOB_CLASSES:
        rate = _rate(found.hours_of(kind))
        if rate is None:
            rows.append(usual[kind])
            continue
        fitted.append(kind)
        rows.append(type(usual[kind])(kind, *rate))
    names = [kind.replace("_", "-") for kind in JOB_CLASSES if kind not in fitted]
    if names:
        draft.missing.append(
            f"Growth of {', '.join(names)}: it takes four months of 30 days with use, so the defaults stand."
        )
    if fitted:
        draft.data["growth"] = {
            "classes": [
                {
                    "job_class": row.job_class,
                    "monthly_percent": row.monthly_percent,
                    "uncertainty_percent": row.uncertainty_percent,
                }
                for row in rows
            ]
        }
        draft.notes["growth.classes"] = (
            f"From sacct for {', '.join(fitted).replace('_', '-')}: the trend of GPU-hours used in months of "
            "30 days.\nWhat a full cluster could not run is not in it: demand may have grown faster."
        )


def _rate(hours: Hours) -> tuple[float, float] | None:
    """(growth, its uncertainty) in percent a month, from the trend of the logarithm."""
    used = months(hours)[-12:]
    if len(used) < 4 or min(used) <= 0:
        return None
    logs = [math.log(value) for value in used]
    slope = float(np.polyfit(range(len(logs)), logs, 1)[0])
    steps = [later - earlier for earlier, later in pairwise(logs)]
    spread = statistics.pstdev(steps) / math.sqrt(len(steps))
    rate, give = (math.exp(slope) - 1) * 100, spread * 100
    return round(min(50.0, max(-20.0, rate)), 2), round(min(30.0, give), 2)


def _policies(found: Accounting, draft: Draft) -> None:
    draft.data["policies"] = dict(defaults.policies())
    hours = max(1, math.ceil(found.longest_s / 3600))
    draft.set("policies", "longest_job_hours", hours, "From sacct: the longest job with GPUs.")
    if found.preempted:
        said = f"From sacct: {found.preempted:,} jobs were preempted."
        draft.set("policies", "preemption", "in use", said)
    draft.notes["policies"] = "Defaults, except where a line says otherwise."
    draft.missing.append(
        "Policies: exports tell what happened, not what was agreed; read them over."
    )


def _nodes(found: Accounting, draft: Draft) -> None:
    gpus = max(found.gpus_per_node, default=0)
    gpus = 8 if 4 < gpus <= 8 else 4 if 2 < gpus <= 4 else 0
    named = {model: hours for model, hours in found.models.items() if model}
    model = max(named, key=lambda one: named[one], default="")
    known = next((name for name in sorted(BUILDS, key=len, reverse=True) if name in model), "")
    if known not in GPU_MODELS:
        said = f"sacct calls it {model[:20]}" if model else "sacct names none"
        draft.missing.append(f"GPU model: {said}, so H100. An inventory tells.")
        known = "H100"
    count = len(found.nodes)
    if not gpus or count < 8:
        draft.missing.append(
            f"Nodes: sacct names {count} that ran GPU jobs, too few to be the cluster, so 20 nodes of 8. "
            "An inventory tells."
        )
        draft.set("cluster", "gpu_model", known, "From sacct." if model else "Default.")
        return
    draft.data["node_types"] = [
        {"name": f"{known} nodes", "count": min(count, 4096), "gpu": known, "gpus": gpus}
    ]
    draft.notes["node_types"] = (
        f"From sacct: {count:,} different nodes ran GPU jobs, with at most {gpus} GPUs of a job on one. "
        "Power, price and age are usual ones."
    )
