"""The words of reference answers: the pack's sentences with the figures of one plan in them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from scenarios.packs import Pack
from scenarios.scaling.checks import Checked
from scenarios.scaling.facts import RENTS
from scenarios.scaling.items import items
from scenarios.scaling.plan import Change, Phase, Plan, Purchase, Rented, Risk
from scenarios.scaling.policies import policies
from scenarios.scaling.scene import Scene

Json = dict[str, Any]


@cache
def _read(path: Path) -> Mapping[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def words(pack: Pack) -> Mapping[str, Any]:
    """The pack's goldens/words.toml."""
    return _read(pack.folder / "goldens" / "words.toml")


def sections(
    pack: Pack, level: str, style: str, facts: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Key of a section of the level -> its text in that style, with the facts in their places."""
    said = words(pack)[style]
    return {
        one.key: (said[one.key].format(**facts) if facts else said[one.key]).strip()
        for one in pack.sections(level)
    }


def facts(
    pack: Pack,
    style: str,
    scene: Scene,
    plan: Plan,
    checked: Checked,
    missed: Sequence[str] = (),
) -> dict[str, str]:
    """What the sentences may name. missed: bottlenecks that this engineer has not seen."""
    said = words(pack)
    orders = {str(row["id"]): str(row["arrives"]) for row in checked.orders}
    seen = [one for one in scene.bottlenecks if one.key not in missed]
    claims = plan.claims
    return {
        "gpus": f"{scene.gpus:,}",
        "bottlenecks": _listed(
            [f"**{one.title}.** {said['bottlenecks'][one.key][style]}" for one in seen]
        ),
        "rules": _listed([_rule(said, scene, one) for one in plan.policies]),
        "orders": _listed([_order(scene, one, orders) for one in plan.purchases]),
        "cloud": _listed([_cloud(one) for one in plan.cloud]),
        "phases": _listed([_phase(one) for one in plan.phases]),
        "risks": _listed([_risk(one) for one in plan.risks]),
        "quarters": _listed([_quarter(row) for row in checked.quarters]),
        "capex": f"{claims.get('capex_usd', 0):,.0f}",
        "opex": f"{claims.get('opex_usd', 0):,.0f}",
        "payback": f"{claims.get('payback_months', 0):,.0f}",
    }


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def month_said(name: str) -> str:
    """2026-03 as March 2026."""
    year, _, month = name.partition("-")
    return f"{date(int(year), int(month), 1):%B %Y}"


def span_said(first: str, last: str) -> str:
    """March 2026, or March 2026 to May 2026."""
    return month_said(first) if first == last else f"{month_said(first)} to {month_said(last)}"


def _rule(said: Mapping[str, Any], scene: Scene, one: Change) -> str:
    known = policies(scene)[one.policy]
    number = isinstance(one.value, (int, float)) and not isinstance(one.value, bool)
    value = f"{one.value:g}" if number else str(one.value)
    title = f"{known.title} {value} {known.unit}".rstrip() if number else known.title
    why = said["policies"][one.policy].format(value=value)
    return f"{title}, from {month_said(one.month)}: {why}."


def _order(scene: Scene, one: Purchase, orders: Mapping[str, str]) -> str:
    known = items(scene)[one.item]
    there = orders.get(one.id, "")
    when = f"there in {month_said(there)}" if there else "there after the year"
    ordered = f"ordered in {month_said(one.month)}; {when}"
    unit = known.unit
    if one.count == 1:
        unit = unit.removesuffix("es") if unit.endswith("ches") else unit.removesuffix("s")
    return f"{one.count:,.0f} {unit}: {known.title}, for {one.site}, {ordered}."


def _cloud(one: Rented) -> str:
    kind = RENTS[one.kind].lower()
    when = span_said(one.start, one.end)
    when = f"in {when}" if one.start == one.end else f"from {when}"
    return f"{one.gpus} GPUs in the cloud, {kind}, {when}."


def _phase(one: Phase) -> str:
    return f"{one.name}: {span_said(one.start, one.end)}, {one.owner}."


def _risk(one: Risk) -> str:
    trigger = f" Trigger: {one.trigger}." if one.trigger else ""
    return f"{one.risk}: {one.mitigation}.{trigger}"


def _quarter(row: Mapping[str, Any]) -> str:
    return (
        f"{row['quarter']}: capital {row['capex_usd']:,.0f} of {row['capex_budget_usd']:,.0f} USD,"
        f" running costs {row['opex_usd']:,.0f} of {row['opex_budget_usd']:,.0f} USD"
    )
