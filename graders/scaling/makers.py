"""Writes the reference answers of a scaling plan: plans follow from the scene, the words are the pack's."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from graders.scaling.claims import STATED, expected_claims
from graders.scaling.golden_words import facts, sections, words
from graders.scaling.playing import best_plan
from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import Pack
from scenarios.scaling.checks import checks
from scenarios.scaling.draw import scene_of
from scenarios.scaling.items import items
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.plan import Change, Phase, Plan, Purchase, Risk
from scenarios.scaling.reading import to_json
from scenarios.scaling.reference_plans import naive as evenly
from scenarios.scaling.reference_plans import reckoned
from scenarios.scaling.scene import Scene

Json = dict[str, Any]
_SHORT = 0.5
"""Hours of waiting below which nobody has to claim that there is none."""
_SPENT = 1.25
"""Part of the year's capital that the eloquent plan orders at once."""


def expert(pack: Pack, scene: Scene) -> Json:
    """The reference plan with phases, risks that can be read off, and figures that hold."""
    plan = _carried(scene, best_plan(scene.profile, scene.level, scene.seed))
    plan = replace(plan, risks=_risks(pack, scene), claims=expected_claims(scene, plan))
    return _answer(pack, scene, plan, "expert")


def solid_plan(scene: Scene) -> tuple[Plan, str]:
    """A good plan that leaves something, and the bottleneck that it leaves, "" for none.

    Juniors miss the least of them. Others see all and reckon soundly, and do not ask what each thing is worth:
    their largest order is a month late, what they rent is paid used or not, and nodes come until the end of
    the year. A junior orders in time: late as well, a plan was worth hardly more than buying evenly.
    """
    if LEVELS[scene.level].tuned:
        return _carried(scene, _a_month_late(scene, _tidied(scene))), ""
    plan = best_plan(scene.profile, scene.level, scene.seed)
    missed = min(scene.bottlenecks, key=lambda one: (one.strength, one.key))
    kept = tuple(one for one in plan.purchases if one.item.partition(":")[0] not in missed.cured_by)
    rules = tuple(one for one in plan.policies if one.policy not in missed.cured_by)
    return _carried(scene, replace(plan, purchases=kept, policies=rules)), missed.key


def _tidied(scene: Scene) -> Plan:
    """What is reckoned, with the rules that everybody knows: sessions end, small jobs are packed."""
    plan = reckoned(scene)
    known = {one.policy for one in plan.policies}
    rules = {"idle_notebook_limit_h": 1.0, "defragment": True}
    first = scene.months[0].name
    new = (Change(f"k-{key}", first, key, rule) for key, rule in rules.items() if key not in known)
    return replace(plan, policies=(*plan.policies, *new))


def _a_month_late(scene: Scene, plan: Plan) -> Plan:
    """The plan with its largest order of nodes a month later."""
    known, names = items(scene), [month.name for month in scene.months]
    nodes = [
        one for one in plan.purchases if one.item.startswith("node:") and one.month != names[-1]
    ]
    if not nodes:
        return plan
    largest = max(nodes, key=lambda one: (one.count * known[one.item].price_usd, one.id))
    late = replace(largest, month=names[names.index(largest.month) + 1])
    return replace(plan, purchases=tuple(late if one is largest else one for one in plan.purchases))


def solid(pack: Pack, scene: Scene) -> Json:
    """A good plan, one order of which is a month late; a junior's misses one bottleneck instead."""
    plan, missed = solid_plan(scene)
    risks = (
        *_risks(pack, scene)[:2],
        Risk("r3", "Costs rise", "low", "medium", "Talk to the vendor"),
    )
    plan = replace(plan, risks=risks, claims=expected_claims(scene, plan))
    return _answer(pack, scene, plan, "solid", (missed,) if missed else ())


def over_claimer(pack: Pack, scene: Scene) -> Json:
    """The solid plan with figures that nobody could reach."""
    answer = solid(pack, scene)
    plan, _ = solid_plan(scene)
    claims = expected_claims(scene, plan)
    if claims["wait_p95_h"] < _SHORT:
        del claims["wait_p95_h"]
    # the text keeps to the plan: only what is claimed is wrong
    answer["plan"]["claims"] = {name: claims[name] * STATED[name].over for name in claims}
    return answer


def naive(pack: Pack, scene: Scene) -> Json:
    """Buying evenly, and little to say about it."""
    return {
        "sections": sections(pack, scene.level, "naive"),
        "plan": to_json(evenly(scene)),
    }


def eloquent(pack: Pack, scene: Scene) -> Json:
    """Fine prose, and one order that comes too late, for which there are neither ports nor power."""
    names = [month.name for month in scene.months]
    best = max(
        (one for one in items(scene).values() if one.kind == "node" and one.sites),
        key=lambda one: (one.weeks, one.power_kw, one.item),
    )
    place = next(one for one in scene.places if one.site.name == best.sites[0])
    ports = place.leaf_ports_free // scene.profile.fabric.rails
    money = _SPENT * sum(one.capex_usd for one in scene.quarters) / best.price_usd
    count = max(ports + 4, math.ceil(money))
    plan = Plan(
        purchases=(Purchase("p1", names[4], best.item, count, place.site.name),),
        phases=(
            Phase("ph1", "Understanding", names[0], names[3], "Leadership"),
            Phase("ph2", "Commitment", names[4], names[5], "Leadership", ("ph1",)),
            Phase("ph3", "Install the new nodes", names[5], names[6], "Operations", ("ph2",)),
        ),
        risks=(
            Risk("r1", "Hesitation", "low", "high", "Clear communication", "Leadership"),
            Risk("r2", "Change", "medium", "low", "Partnership", "Leadership", "When it shows"),
        ),
        claims={"payback_months": 4.0, "wait_p95_h": 0.5},
    )
    return {"sections": sections(pack, scene.level, "eloquent"), "plan": to_json(plan)}


def silent(pack: Pack, scene: Scene) -> Json:
    """Nothing but the template."""
    return {"sections": {}, "plan": {}}


MAKERS: Mapping[str, Callable[[Pack, Scene], Json]] = {
    "expert": expert,
    "solid": solid,
    "naive": naive,
    "eloquent": eloquent,
    "over_claimer": over_claimer,
    "silent": silent,
}
"""Golden -> what writes it."""


def write_golden(
    pack: Pack, level: str, name: str, seed: int, profile: Profile = DEFAULT
) -> dict[str, str]:
    """The golden's answer to one variant, as path -> text. Raises KeyError for an unknown golden."""
    answer = MAKERS[name](pack, scene_of(profile, level, seed))
    return {pack.entry: json.dumps(answer, indent=2, ensure_ascii=False) + "\n"}


def _answer(pack: Pack, scene: Scene, plan: Plan, style: str, missed: tuple[str, ...] = ()) -> Json:
    said = facts(pack, style, scene, plan, checks(scene, plan), missed)
    return {"sections": sections(pack, scene.level, style, said), "plan": to_json(plan)}


def _carried(scene: Scene, plan: Plan) -> Plan:
    """The plan with phases that follow from its rows."""
    names = [month.name for month in scene.months]
    arrivals = {str(row["id"]): str(row["arrives"]) for row in checks(scene, plan).orders}
    nodes = [
        arrivals[one.id]
        for one in plan.purchases
        if one.item.startswith("node:") and arrivals.get(one.id)
    ]
    found: list[Phase] = []
    if plan.policies:
        months = [one.month for one in plan.policies]
        name = "Change rules, with the teams"
        found.append(Phase("ph1", name, min(months), max(months), "Scheduler team"))
    depends: tuple[str, ...] = ()
    if plan.purchases and nodes and min(nodes) > (first := min(o.month for o in plan.purchases)):
        before = names[names.index(min(nodes)) - 1]
        name = "Order; prepare ports, power, space and storage"
        found.append(Phase("ph2", name, first, before, "Infrastructure"))
        depends = ("ph2",)
    if nodes:
        name = "Install nodes and take them into service"
        found.append(Phase("ph3", name, min(nodes), max(nodes), "Operations", depends))
    if plan.cloud:
        start, end = min(one.start for one in plan.cloud), max(one.end for one in plan.cloud)
        found.append(Phase("ph4", "Rent what is not there yet", start, end, "Cloud team"))
    name = "Review demand against the forecast; decide what is left"
    found.append(Phase("ph5", name, names[5], names[5], "Head of infrastructure"))
    return replace(plan, phases=tuple(found))


def _risks(pack: Pack, scene: Scene) -> tuple[Risk, ...]:
    """The pack's register, with the wait that matters most in its triggers."""
    largest = max((one for one in scene.work if not one.steady), key=lambda one: one.gpu_hours_day)
    named = {"work": largest.title.lower(), "hours": f"{largest.wait_target_h:g}"}
    rows = [
        {key: text.format(**named) for key, text in row.items()} for row in words(pack)["risks"]
    ]
    return tuple(Risk(**row) for row in rows)
