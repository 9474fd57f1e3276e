"""The key of one year, for staff: what holds work up and where it shows, and two plans played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.content import rows
from scenarios.scaling.demand import median
from scenarios.scaling.documents import colleagues
from scenarios.scaling.history import DAYS
from scenarios.scaling.items import items
from scenarios.scaling.measures import MEASURES
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import policies
from scenarios.scaling.reading import to_json
from scenarios.scaling.reference_plans import naive, reference
from scenarios.scaling.scene import Bottleneck, Scene
from scenarios.scaling.symptoms import Symptom, symptoms
from scenarios.scaling.traces import history
from scenarios.scaling.wording import picked
from scenarios.scaling.year import play


def key_of(scene: Scene) -> dict[str, Any]:
    """As JSON holds it. Plays two plans on the published demand."""
    read = symptoms(scene, history(scene, DAYS))
    there = {one.key for one in scene.bottlenecks}
    return {
        "bottlenecks": [_bottleneck(scene, one, read[one.key]) for one in scene.bottlenecks],
        "no_bottlenecks": [
            {
                "key": key,
                "title": BOTTLENECKS[key].title,
                "reading": symptom.said,
                "shown_in": list(symptom.files),
            }
            for key, symptom in read.items()
            if key not in there
        ],
        "to_come": [
            {
                "kind": one.kind,
                "month": scene.months[one.month].name,
                "what": one.what,
                "factor": one.factor,
                "announced_in": "documents/business.md",
            }
            for one in scene.events
        ],
        "naive": _played(scene, naive(scene)),
        "reference": _played(scene, reference(scene)),
        "notes": [
            {
                **picked(one, "who text kind"),
                "about": BOTTLENECKS[one.about].title if one.about else "",
                "why": one.why,
            }
            for one in colleagues(scene)
        ],
        "common_mistakes": list(_mistakes(scene)),
    }


def _bottleneck(scene: Scene, one: Bottleneck, symptom: Symptom) -> dict[str, Any]:
    return {
        **picked(one, "key title strength"),
        "reading": symptom.said,
        "threshold_percent": symptom.threshold,
        "shown_in": list(symptom.files),
        "cured_by": [_cure(scene, cure) for cure in one.cured_by],
    }


def _cure(scene: Scene, cure: str) -> dict[str, str]:
    """A purchase by its kind, or a policy by its key, with what it is called."""
    known = policies(scene)
    if cure in known:
        return {"policy": cure, "title": known[cure].title}
    titles = [one.title for one in items(scene).values() if one.kind == cure]
    return {"item": cure, "title": titles[0] if titles else cure}


def _played(scene: Scene, plan: Plan) -> dict[str, Any]:
    """The plan as JSON, and its measures on the published demand."""
    year = play(scene, plan, median(scene))
    return {
        "plan": to_json(plan),
        "figures": [
            picked(one, "key title unit better") | {"value": round(year.measures[key], 3)}
            for key, one in MEASURES.items()
        ],
    }


def _mistakes(scene: Scene) -> Iterator[str]:
    """Those that can be made in this year."""
    own = scene.offers[0]
    there = {one.kind for one in scene.events} | {""}
    there |= {"cloud"} if scene.rents else set()
    there |= {"regions"} if any(work.regions for work in scene.work) else set()
    there |= {"dense"} if any(one.power_kw > own.power_kw for one in scene.offers) else set()
    figures = {
        "node_weeks": own.weeks,
        "longest_weeks": max(one.weeks for one in scene.offers),
        "power_weeks": scene.profile.facility.power_weeks,
    }
    for row in rows("mistakes"):
        if row["needs"] in there:
            yield row["text"].format(**figures)
