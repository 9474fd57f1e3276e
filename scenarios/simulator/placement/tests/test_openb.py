from __future__ import annotations

import csv
from functools import cache

import pytest

from scenarios.simulator.placement.fgd import typical_kinds
from scenarios.simulator.placement.packing import Packed, pack
from scenarios.simulator.placement.tables import (
    Demand,
    NodeTable,
    read_arrivals,
    read_demands,
    read_nodes,
)
from scenarios.simulator.tests.shared import shared

NAMES = {"bestfit": "BestFit", "gpupacking": "GpuPacking", "gpuclustering": "GpuClustering"}
NAMES["fgd"] = "FGD"


@cache
def tables() -> tuple[NodeTable, list[Demand], list[Demand]]:
    return (
        read_nodes(shared("reference/openb/nodes_s42.csv")),
        read_arrivals(shared("reference/openb/default_s42.BestFit.csv")).demands,
        read_demands(shared("traces/openb/openb_pod_list_default.csv")),
    )


@cache
def packed(policy: str) -> Packed:
    nodes, demands, typical = tables()
    return pack(nodes, demands, policy, typical)


def test_best_fit_places_every_pod_where_the_reference_does() -> None:
    path = shared("reference/openb/default_s42.BestFit.csv")
    with path.open(encoding="utf-8", newline="") as file:
        wanted = [row["node"] for row in csv.DictReader(file)]
    names = [*tables()[0].names, ""]
    assert [names[node] for node in packed("bestfit").nodes] == wanted


@pytest.mark.parametrize(
    ("policy", "milli", "placed"),
    [("bestfit", 5_785_450, 8_190), ("fgd", 5_919_410, 8_334)],
)
def test_allocated_thousandths_and_pods_equal_the_reference(
    policy: str, milli: int, placed: int
) -> None:
    result = packed(policy)
    assert (result.allocated[-1], result.placed, result.total) == (milli, placed, 6_212_000)


@pytest.mark.parametrize("policy", NAMES)
def test_the_whole_allocation_curve_follows_the_published_one(policy: str) -> None:
    path = shared("reference/openb/alloc_curve_s42.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["policy"] == NAMES[policy]]
    curve = dict(packed(policy).curve())
    assert len(rows) == len(curve) == 131
    for row in rows:
        here = curve[int(row["arrived_pct"])]
        assert abs(here - float(row["allocated_pct_mean_over_bin"])) <= 0.0006
        assert abs(here - float(row["published_pct"])) <= 0.0085


def test_typical_kinds_are_the_35_commonest() -> None:
    kinds = typical_kinds(tables()[2])
    assert len(kinds) == 35
    assert [kind.pods for kind in kinds] == sorted((k.pods for k in kinds), reverse=True)
