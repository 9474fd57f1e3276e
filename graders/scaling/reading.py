"""From an answer and its hidden years to plain data, from which everything else is computed without either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from graders.scaling.answer import Answer
from graders.scaling.claims import claimed
from graders.scaling.execution import of_execution, single_bet
from graders.scaling.findings import Finding
from graders.scaling.orders import of_orders, unused
from graders.scaling.overruns import rows_of, running_costs
from graders.scaling.playing import Anchors, figures
from graders.scaling.prose import contradictions
from graders.scaling.remedies import of_bottlenecks
from graders.scaling.withdrawn import TAKEN_BACK, withdrawn
from scenarios.scaling.checks import Check, Checked, checks
from scenarios.scaling.items import items
from scenarios.scaling.plan import Plan
from scenarios.scaling.reading import to_json
from scenarios.scaling.scene import Scene

Json = dict[str, Any]
OF_CHECKS: Mapping[str, str] = {
    "capex": "over_budget",
    "opex": "over_budget",
    "no_power": "no_power",
    "no_ports": "no_ports",
    "storage_uncabled": "no_ports",
    "no_rack": "no_racks",
    "no_racks": "no_racks",
    "no_room": "no_racks",
    "no_floor": "no_racks",
    "phase_unknown": "phase_impossible",
}
"""Key of a check -> the finding that it is, where it fails; the rest is against a rule or a stated limit."""
ELSEWHERE = ("after_the_year", "phase_order", "opex")
"""Keys of checks of which `orders`, `execution` and `overruns` make findings."""


def read(answer: Answer, scene: Scene, years: Sequence[Json], anchors: Anchors) -> Json:
    """Everything that the hidden years and the checks say of the answer, as plain JSON."""
    plan = answer.plan
    checked = checks(scene, plan)
    arrivals = {str(row["id"]): row for row in checked.orders}
    orders, late = of_orders(scene, plan, arrivals, years, anchors.reference)
    claims, over = claimed(scene, plan, years)
    bottlenecks, left = of_bottlenecks(scene, plan, years, anchors.reference)
    costs = _costs(scene, plan)
    capex = sum(float(row["capex_usd"]) for row in checked.quarters)
    found = [
        *over,
        *late,
        *_of_checks(scene, plan, checked),
        *running_costs(scene, plan, years),
        *left,
        *single_bet(plan, costs, sum(one.capex_usd for one in scene.quarters)),
        *unused(scene, plan, arrivals, years),
        *of_execution(scene, plan, arrivals),
        *_of_prose(answer, scene, capex),
        *_taken_back(answer),
    ]
    return {
        "played": {
            "plan": figures(years),
            "naive": figures(anchors.naive),
            "reference": figures(anchors.reference),
        },
        "level": scene.level,
        "plan": to_json(plan),
        "changes": answer.changes,
        "capex_usd": round(capex),
        "orders": orders,
        "claims": claims,
        "bottlenecks": bottlenecks,
        "findings": _plain(plan, found),
        "checks": [_check(row) for row in checked.rows if row.tone == "bad"],
        "notes": [*answer.notes, *plan.left_out],
    }


def _plain(plan: Plan, found: Sequence[Finding]) -> list[Json]:
    """Rows of evidence; what is found twice of the same rows gets a number in its id."""
    rows: list[Json] = []
    seen: dict[str, int] = {}
    for one in found:
        row = one.plain(plan)
        count = seen[row["id"]] = seen.get(row["id"], 0) + 1
        rows.append(row if count == 1 else {**row, "id": f"{row['id']}/{count}"})
    return rows


def _costs(scene: Scene, plan: Plan) -> dict[str, float]:
    known = items(scene)
    return {
        one.id: one.count * known[one.item].price_usd for one in plan.purchases if one.item in known
    }


def _of_checks(scene: Scene, plan: Plan, checked: Checked) -> Iterator[Finding]:
    """A finding for each thing that fails, with all of its months in one."""
    groups: dict[tuple[str, str], list[Check]] = {}
    for row in checked.rows:
        if row.tone == "bad" and row.key not in ELSEWHERE:
            groups.setdefault((row.key, row.subject), []).append(row)
    for (key, subject), rows in groups.items():
        about = rows_of(scene, plan, rows[0])
        text = rows[0].text
        if len(rows) > 1:
            text += f" So it is in {len(rows)} months."
        kind = OF_CHECKS.get(key, "rule_broken")
        named = [given for _, given in about] == [subject]
        yield Finding(kind, text, about, rows[0].month, subject="" if named else subject)


def _of_prose(answer: Answer, scene: Scene, capex: float) -> Iterator[Finding]:
    for one in contradictions(answer.sections, answer.plan, scene, capex):
        part = "cloud" if any(row.id in one.rows for row in answer.plan.cloud) else "purchases"
        rows = tuple((part, given) for given in one.rows)
        text = f"{one.text} In “{one.section}”: “{one.quote}”"
        yield Finding("prose_contradicts_plan", text, rows, subject=one.section)


def _taken_back(answer: Answer) -> Iterator[Finding]:
    if one := withdrawn(answer.sections):
        text = f"In “{one.section}”: “{one.quote}” Set this aside, and the plan counts as it was played."
        yield Finding(TAKEN_BACK, text, subject=one.section)


def _check(row: Check) -> Json:
    return {"kind": "check", **asdict(row)}


def year_rows(scene: Scene, years: Sequence[Json], anchors: Anchors) -> list[Json]:
    """A row of evidence for each hidden year: the plan's months, and the measures of the three plans."""
    return [
        {"kind": "year", "draw": number, **year, "naive": low, "reference": best}
        for number, (year, low, best) in enumerate(
            zip(years, figures(anchors.naive), figures(anchors.reference), strict=True), start=1
        )
    ]
