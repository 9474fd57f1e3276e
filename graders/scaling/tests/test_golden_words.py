"""Rows of a plan in the words of the reference answers."""

from __future__ import annotations

from graders.scaling.golden_words import facts, span_said
from graders.scaling.makers import _carried
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.scaling.checks import checks
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Plan, Purchase, Rented


def test_one_is_one_and_a_month_is_named_once() -> None:
    scene = scene_of(DEFAULT, "mid", 7)
    plan = Plan(
        purchases=(
            Purchase("p1", "2026-01", "node:H200 node", 1, "Site A"),
            Purchase("p2", "2026-01", "spine", 1, "Site A"),
            Purchase("p3", "2026-01", "spine", 2, "Site A"),
        ),
        cloud=(Rented("r1", "2026-12", "2026-12", "on_demand", 8, "Frankfurt"),),
    )
    pack = load_pack("scaling-plan/growth-year")
    told = facts(pack, "expert", scene, plan, checks(scene, plan))
    assert [line[2:].split(":")[0] for line in told["orders"].splitlines()] == [
        "1 node",
        "1 switch",
        "2 switches",
    ]
    assert told["cloud"] == "- 8 GPUs in the cloud, on demand, in December 2026."
    assert span_said("2026-01", "2026-03") == "January 2026 to March 2026"


def test_the_phase_of_ordering_begins_with_the_first_order_and_ends_before_the_first_arrival() -> (
    None
):
    scene = scene_of(DEFAULT, "mid", 7)
    plan = Plan(
        purchases=(
            Purchase("p1", "2026-03", "node:H200 node", 1, "Site A"),
            Purchase("p2", "2026-02", "spine", 1, "Site A"),
            Purchase("p3", "2026-04", "spine", 1, "Site A"),
        )
    )
    arrivals = {str(row["id"]): str(row["arrives"]) for row in checks(scene, plan).orders}
    ordering = next(one for one in _carried(scene, plan).phases if one.name.startswith("Order"))
    assert ordering.start == "2026-02"
    assert "2026-04" <= ordering.end < arrivals["p1"]
