"""What counts as an answer to a bottleneck, and how rows of a plan are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.scaling.findings import described, nodes, quantity
from graders.scaling.remedies import answers, of_bottlenecks
from scenarios.company.profile import DEFAULT
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Change, Plan, Purchase, Rented
from scenarios.scaling.scene import Bottleneck

SCENE = scene_of(DEFAULT, "mid", 7)
"""Its bottlenecks are checkpoints, the peak of serving, and the spine."""
CAUSES = {one.key: one for one in SCENE.bottlenecks}


def ruled(cause: str, *rows: tuple[str, str, str | float | bool]) -> list[str]:
    changes = tuple(Change(f"c{n}", *row) for n, row in enumerate(rows, start=1))
    return answers(Plan(policies=changes), SCENE, CAUSES[cause])[1]


def bought(cause: str, item: str, count: int, month: str, site: str = "Site A") -> list[str]:
    row = Purchase("p1", month, item, count, site)
    return answers(Plan(purchases=(row,)), SCENE, CAUSES[cause])[0]


def test_a_rule_of_the_year_is_an_answer() -> None:
    assert ruled("checkpoint_bursts", ("2026-03", "checkpoint_to_nvme", True)) == ["c1"]
    assert ruled("spine", ("2026-01", "topology_aware", "yes")) == ["c1"]
    fixed = next(work.quota for work in SCENE.work if work.steady) * SCENE.gpus
    assert ruled("serving_peak", ("2026-01", "serving_reserve_gpus", round(fixed) + 8)) == ["c1"]


@pytest.mark.parametrize(
    ("cause", "rows"),
    [
        pytest.param("spine", [("2027-01", "topology_aware", True)], id="after the year"),
        pytest.param("spine", [("2026-01", "topology_aware", "perhaps")], id="no value"),
        pytest.param("serving_peak", [("2026-01", "serving_reserve_gpus", 1e9)], id="too much"),
        pytest.param("serving_peak", [("2026-01", "serving_reserve_gpus", 1)], id="has it anyhow"),
        pytest.param(
            "checkpoint_bursts",
            [("2026-02", "checkpoint_to_nvme", False), ("2026-01", "checkpoint_to_nvme", True)],
            id="taken back",
        ),
    ],
)
def test_a_rule_that_does_nothing_is_none(
    cause: str, rows: list[tuple[str, str, str | float | bool]]
) -> None:
    assert ruled(cause, *rows) == []


def test_an_order_is_an_answer_where_it_comes_within_the_year() -> None:
    assert bought("spine", "spine", 1, "2026-02") == ["p1"]
    assert bought("spine", "spine", 1, "2026-12") == []
    assert bought("spine", "spine", 1, "2026-13") == []
    assert bought("spine", "spine", 1, "2026-02", "Mars") == []


def left(plan: Plan) -> dict[str, tuple[str, list[str]]]:
    found = of_bottlenecks(SCENE, plan, [], [])[1]
    return {one.subject: (one.finding, [given for _, given in one.rows]) for one in found}


def test_capacity_that_never_comes_is_no_answer_with_money() -> None:
    late = Purchase("p1", "2026-12", "node:H200 node", 4, "Site A")
    nowhere = Rented("r1", "2026-01", "2026-12", "on_demand", 8, "Mars")
    plan = Plan(purchases=(late,), cloud=(nowhere,))
    assert left(plan)["serving_peak"] == ("bottleneck_not_addressed", [])
    early = replace(late, id="p2", month="2026-01")
    plan = replace(plan, purchases=(late, early))
    assert left(plan)["serving_peak"] == ("bottleneck_addressed_by_money_only", ["p2"])


def test_an_idle_limit_counts_and_none_does_not() -> None:
    cause = Bottleneck("idle_notebooks", "", 1.0, ("idle_notebook_limit_h",))
    for value, ids in ((2, ["c1"]), (0, [])):
        plan = Plan(policies=(Change("c1", "2026-01", "idle_notebook_limit_h", value),))
        assert answers(plan, SCENE, cause)[1] == ids


def test_rows_are_named_as_people_would() -> None:
    assert quantity("node:H200 node", 1_000_000) == "1,000,000 × H200 node"
    assert quantity("power", 40) == "40 kW of power"
    assert quantity("storage:Scratch", 90) == "90 TB of Scratch"
    assert quantity("spine", 1) == "1 × spine"
    assert [nodes(one) for one in (1, 1_000_000)] == ["1 node", "1,000,000 nodes"]
    plan = Plan(
        cloud=(Rented("r1", "2026-01", "2026-03", "reserved_1y", 64, "Paris"),),
        policies=(Change("c1", "2026-01", "topology_aware", True),),
    )
    said = described(plan, "cloud", "r1")
    assert said == "64 GPUs, reserved for a year, 2026-01 to 2026-03, Paris"
    assert described(plan, "policies", "c1") == "topology_aware: yes from 2026-01"
