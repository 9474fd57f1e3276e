"""Plans as people and as cats on keyboards make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from scenarios.scaling.items import items
from scenarios.scaling.plan import CLOUD_KINDS, Plan
from scenarios.scaling.policies import policies
from scenarios.scaling.reading import parse_object
from scenarios.scaling.scene import Scene

Columns = Mapping[str, st.SearchStrategy[Any]]


def some_plans(scene: Scene) -> st.SearchStrategy[Plan]:
    """Read from random tables: most rows name things that there are."""
    months = st.sampled_from([one.name for one in scene.months] + ["2031-01", "soon"])
    sites = st.sampled_from([one.site.name for one in scene.places] + ["", "Moon"])
    names = [kind.name for place in scene.places for kind, _ in place.nodes]
    purchases = {
        "month": months,
        "item": st.sampled_from([*items(scene), "node:Abacus", "storage:", "x"]),
        "count": st.sampled_from([1, 2, 5, 12, 40, 1_000_000]),
        "site": sites,
    }
    retire = {
        "month": months,
        "item": st.sampled_from([*names, "Toys"]),
        "count": st.sampled_from([1, 3, 500]),
        "site": sites,
    }
    changes = {
        "month": months,
        "policy": st.sampled_from([*policies(scene), "magic"]),
        "value": st.booleans() | st.sampled_from([0, 0.5, 2, 64, 1e9, -1, "yes"]),
    }
    tables = {
        "purchases": _rows(purchases, 8),
        "cloud": _rows(_rents(scene, months), 4),
        "retire": _rows(retire, 2),
        "policies": _rows(changes, 8),
    }
    return st.fixed_dictionaries(tables).map(parse_object)


def _rows(columns: Columns, most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.fixed_dictionaries(dict(columns)), max_size=most)


def _rents(scene: Scene, months: st.SearchStrategy[str]) -> Columns:
    classes = st.sampled_from([one.job_class for one in scene.work] + ["magic"])
    return {
        "from": months,
        "to": months,
        "kind": st.sampled_from(CLOUD_KINDS),
        "gpus": st.sampled_from([1, 7, 8, 64, 1_000_000]),
        "region": st.sampled_from([one.region for one in scene.rents] + ["", "Mars"]),
        "classes": st.lists(classes, max_size=3),
    }
