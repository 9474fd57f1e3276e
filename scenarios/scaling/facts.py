"""What a candidate's page knows of the year without reading a file; the documents say the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from scenarios.scaling.content import rows
from scenarios.scaling.diagrams import counts
from scenarios.scaling.items import Item, items
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.policies import policies
from scenarios.scaling.scene import Place, Scene
from scenarios.scaling.template import start
from scenarios.scaling.wording import joined, picked, usd

WORDS = (
    "cluster",
    "gpus",
    "gpu",
    "nodes",
    "sites",
    "from",
    "until",
    "what_ifs",
    "simplest",
    "capex",
    "opex",
)
RENTS: Mapping[str, str] = {row["kind"]: row["title"] for row in rows("rents")}
"""Kind of rent -> what people call it."""


def facts_of(scene: Scene) -> dict[str, Any]:
    """As JSON holds it; nothing of bottlenecks, of the seed or of years that are drawn later."""
    return {
        "cluster": scene.profile.cluster,
        "gpu": scene.profile.gpu,
        "months": [
            {
                "name": one.name,
                "quarter": one.quarter,
                "title": f"{one.start:%B %Y}",
                "hours": one.hours,
            }
            for one in scene.months
        ],
        **_there(scene),
        "items": [_item(one) for one in items(scene).values()],
        "cloud": _cloud(scene),
        "policies": [
            asdict(one) | {"choices": list(one.choices)} for one in policies(scene).values()
        ],
        "classes": [
            picked(work, "job_class title wait_target_h steady may_burst")
            | {"regions": list(work.regions)}
            for work in scene.work
        ],
        "budget": [asdict(one) for one in scene.quarters],
        "events": [
            {"kind": one.kind, "month": scene.months[one.month].name, "what": one.what}
            for one in scene.events
        ],
        "what_ifs": LEVELS[scene.level].what_ifs,
        "start": start(scene.level),
    }


def words_of(scene: Scene) -> dict[str, str]:
    """Placeholder of the pack's texts -> what it stands for."""
    return {
        "cluster": scene.profile.cluster,
        "gpus": f"{scene.gpus:,}",
        "gpu": scene.profile.gpu,
        "nodes": f"{sum(place.count for place in scene.places):,}",
        "sites": joined([place.site.name for place in scene.places]),
        "from": f"{scene.months[0].start:%B %Y}",
        "until": f"{scene.months[-1].start:%B %Y}",
        "what_ifs": str(LEVELS[scene.level].what_ifs),
        "simplest": _simplest(scene),
        "capex": usd(sum(one.capex_usd for one in scene.quarters)),
        "opex": usd(sum(one.opex_usd for one in scene.quarters)),
    }


def _simplest(scene: Scene) -> str:
    """What is said of the simplest plan beyond its orders."""
    if not LEVELS[scene.level].plain:
        return ""
    return "; every rule that promises something is switched on in the first month, needed or not"


def _there(scene: Scene) -> dict[str, Any]:
    """Sites, nodes and storage at the start."""
    nodes = [
        (place.site.name, kind, count) for place in scene.places for kind, count in place.nodes
    ]
    tiers = [(place.site.name, tier) for place in scene.places for tier in place.tiers]
    return {
        "sites": [_site(place) for place in scene.places],
        "node_types": [
            {"item": kind.name, "gpu": kind.gpu, "gpus": kind.gpus, "count": count, "site": site}
            for site, kind, count in nodes
        ],
        "tiers": [asdict(tier) | {"site": site} for site, tier in tiers],
    }


def _item(item: Item) -> dict[str, Any]:
    told = {key: value for key, value in asdict(item).items() if key != "offer"}
    units = item.offer.rack_units if item.offer else 0
    return told | {"sites": list(item.sites), "rack_units": units}


def _site(place: Place) -> dict[str, Any]:
    free, bare = counts.room(place)
    return {
        **picked(place.site, "name region racks"),
        **picked(place, "racks_free floor_free"),
        "power_kw": place.site.total_kw,
        **picked(place, "power_free_kw leaf_ports_free spine_ports_free"),
        "nodes_with_uplinks": free,
        "nodes_without_uplinks": bare,
    }


def _cloud(scene: Scene) -> list[dict[str, Any]]:
    """Kinds of rent in the order in which they are first named, each with its regions and their prices."""
    found: dict[str, dict[str, Any]] = {}
    for rent in scene.rents:
        told = {"kind": rent.kind, "title": RENTS[rent.kind], "usd_gpu_hour": rent.usd}
        told |= {"gpus_at_most": rent.most}
        one = found.setdefault(rent.kind, {**told, "regions": [], "prices": {}})
        one["regions"].append(rent.region)
        one["prices"][rent.region] = rent.usd
    return list(found.values())
