"""Checks say what is wrong with which row, and by how much."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings

from scenarios.company.profile import DEFAULT
from scenarios.scaling.checks import Check, checks
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Change, Phase, Plan, Purchase, Rented, Retired
from scenarios.scaling.policies import held
from scenarios.scaling.scene import Scene
from scenarios.scaling.tests.some_plans import some_plans

SENIOR = scene_of(DEFAULT, "senior", 1)


def bad(plan: Plan, scene: Scene = SENIOR, tone: str = "bad") -> dict[str, Check]:
    return {one.key: one for one in checks(scene, plan).rows if one.tone == tone}


def order(item: str, count: int, month: str = "2026-01", site: str = "Site A") -> Plan:
    return Plan(purchases=(Purchase("p1", month, item, count, site),))


def test_an_empty_plan_has_nothing_wrong() -> None:
    assert {one.tone for one in checks(SENIOR, Plan()).rows} <= {"ok", "warn"}
    assert not bad(Plan())


def test_power_bites() -> None:
    place = SENIOR.places[0]
    free = int(place.power_free_kw / 10.2)
    assert "no_power" not in bad(order("node:H100 node", free))
    found = bad(order("node:H100 node", free + 1))["no_power"]
    assert found.subject == "p1"
    said = "Site A: 1 node of order p1 cannot be used from 2026-04 to 2026-12: one draws 10.2 kW"
    assert found.text.startswith(said)
    power = Purchase("p2", "2026-01", "power", 40, "Site A")
    with_power = Plan(purchases=(*order("node:H100 node", free + 1).purchases, power))
    assert "to 2026-07: one draws" in bad(with_power)["no_power"].text, "power comes in 30 weeks"


def test_leaf_ports_bite() -> None:
    site, name = SENIOR.places[0], "Site A"
    nodes = site.leaf_ports_free // site.fabric.rails
    rows = (
        Purchase("p1", "2026-01", "power", 20_000, name),
        Purchase("p2", "2026-01", "node:H100 node", nodes + 1, name),
    )
    scene = replace(SENIOR, places=(replace(site, floor_free=500), *SENIOR.places[1:]))
    racks = (Purchase("p3", "2026-01", "rack", 400, name),)
    found = bad(Plan(purchases=(*rows, *racks)), scene)["no_ports"]
    assert "1 node of order p2" in found.text
    leaf = (Purchase("p4", "2026-01", "leaf", 1, name),)
    assert "no_ports" not in bad(Plan(purchases=(*rows, *racks, *leaf)), scene)


def test_spine_ports_bite_at_the_second_site() -> None:
    """Its spine has ports for a few nodes; further ones share the uplinks that there are."""
    free = SENIOR.places[1].spine_ports_free // SENIOR.places[1].fabric.rails
    power = Purchase("p0", "2026-01", "power", 100, "Site B")
    for count, short in ((free, False), (free + 1, True)):
        rows = (power, Purchase("p1", "2026-02", "node:H100 node", count, "Site B"))
        found = bad(Plan(purchases=rows), tone="warn")
        assert ("spine_ports" in found) == short
    spine = Purchase("p2", "2026-01", "spine", 1, "Site B")
    assert "spine_ports" not in bad(Plan(purchases=(*rows, spine)), tone="warn")


def test_racks_bite() -> None:
    site = SENIOR.places[0]
    power = Purchase("p0", "2026-01", "power", 500, "Site A")
    nodes = 2 * site.racks_free + 1
    late = Purchase("p1", "2026-06", "node:H100 node", nodes, "Site A")
    assert "1 node of order p1" in bad(Plan(purchases=(power, late)))["no_racks"].text
    rack = Purchase("p2", "2026-01", "rack", 1, "Site A")
    assert "no_racks" not in bad(Plan(purchases=(power, late, rack)))
    many = Purchase("p3", "2026-01", "rack", site.floor_free + 3, "Site A")
    assert "3 of those ordered have none" in bad(Plan(purchases=(many,)))["no_floor"].text


def test_a_node_that_no_rack_carries() -> None:
    place = SENIOR.places[0]
    thin = replace(place, site=replace(place.site, rack_kw=12.0))
    scene = replace(SENIOR, places=(thin, *SENIOR.places[1:]))
    assert "its racks carry none" in bad(order("node:B200 node", 1), scene)["no_room"].text


def test_lead_times_bite() -> None:
    found = checks(SENIOR, order("node:B200 node", 1, "2026-03", "Site B"))
    assert found.orders[0]["arrives"] == "2026-10"
    late = bad(order("node:B200 node", 1, "2026-03", "Site B"), tone="warn")["late"]
    assert late.month == "2026-10"
    assert "too late" in late.text
    gone = checks(SENIOR, order("node:B200 node", 1, "2026-07", "Site B"))
    assert gone.orders[0]["arrives"] == ""
    assert (
        "after the year"
        in bad(order("node:B200 node", 1, "2026-07", "Site B"))["after_the_year"].text
    )


def test_a_frozen_month_installs_nothing() -> None:
    frozen = next(one.month for one in SENIOR.events if one.kind == "freeze")
    weeks = 10
    for month in SENIOR.months:
        arrives = checks(SENIOR, order("node:H100 node", 1, month.name)).orders[0]["arrives"]
        assert arrives != SENIOR.months[frozen].name, weeks


def test_money_by_quarter() -> None:
    found = bad(order("node:H100 node", 4))
    assert found["capex"].subject == "2026-Q1"
    assert found["capex"].text == (
        "2026-Q1: purchases of 1,282,000 USD, of 310,000 USD: 972,000 USD too much."
    )
    assert "capex" not in bad(order("node:H100 node", 4, "2026-04")), (
        "the first quarter leaves its own"
    )
    rent = Plan(cloud=(Rented("r1", "2026-01", "2026-12", "reserved_1y", 400, "Frankfurt"),))
    assert "opex" in bad(rent)
    quarters = checks(SENIOR, rent).quarters
    assert all(one["opex_usd"] > one["opex_budget_usd"] for one in quarters)


@pytest.mark.parametrize(
    ("plan", "key"),
    [
        (order("node:Abacus", 1), "unknown_item"),
        (order("spine", 1, site="Moon"), "unknown_site"),
        (order("spine", 1, "2031-01"), "unknown_month"),
        (order("storage:Scratch", 9_000), "storage_uncabled"),
        (Plan(cloud=(Rented("r", "2026-01", "2026-02", "on_demand", 8, "Mars"),)), "unknown_rent"),
        (Plan(cloud=(Rented("r", "2030-01", "2030-02", "spot", 8, ""),)), "unknown_rent"),
        (
            Plan(cloud=(Rented("r", "2026-01", "2026-02", "spot", 8, "Ohio", ("interactive",)),)),
            "residency",
        ),
        (Plan(cloud=(Rented("r", "2026-01", "2026-02", "spot", 90, "Ohio"),)), "no_data_path"),
        (Plan(policies=(Change("c", "2026-01", "be_kind", True),)), "unknown_policy"),
        (Plan(policies=(Change("c", "2026-01", "defragment", 3),)), "policy_value"),
        (Plan(retire=(Retired("x", "2026-05", "H100 nodes", 30, "Site A"),)), "too_many_leave"),
        (Plan(retire=(Retired("x", "2026-05", "Toys", 1, "Site A"),)), "unknown_nodes"),
        (
            Plan(
                phases=(
                    Phase("a", "A", "2026-01", "2026-03"),
                    Phase("b", "B", "2026-03", "2026-04", "", ("a",)),
                )
            ),
            "phase_order",
        ),
    ],
)
def test_each_mistake_is_named_with_its_row(plan: Plan, key: str) -> None:
    found = bad(plan)
    assert key in found
    assert found[key].text.endswith(".")
    assert found[key].subject


def test_a_commitment_that_is_left_is_said() -> None:
    plan = Plan(cloud=(Rented("r", "2026-02", "2026-05", "reserved_1y", 16, "Frankfurt"),))
    assert "is in use for 4" in bad(plan, tone="warn")["commitment"].text


def test_checks_take_milliseconds() -> None:
    rows = tuple(Purchase(f"p{n}", "2026-01", "node:H100 node", 1, "Site A") for n in range(60))
    plan = Plan(purchases=rows)
    checks(SENIOR, plan)
    began = time.process_time()
    checks(SENIOR, plan)
    assert time.process_time() - began < 0.5


@settings(max_examples=50, deadline=None)
@given(some_plans(SENIOR))
def test_no_plan_that_was_read_breaks_the_checks(plan: Plan) -> None:
    found = checks(SENIOR, plan)
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert text == json.dumps(checks(SENIOR, plan).to_dict(), allow_nan=False)
    for month in found.months:
        for site in month["sites"].values():
            assert site["leaf_ports_used"] <= site["leaf_ports"]
            assert site["spine_ports_used"] <= site["spine_ports"]
            assert site["power_kw"] <= site["power_limit_kw"] + 0.1


def test_what_can_be_used_only_after_the_year_is_said_so() -> None:
    """It may well arrive in December: it is installed and burnt in until the month's end."""
    found = checks(SENIOR, order("node:H100 node", 1, "2026-10"))
    said = next(one.text for one in found.rows if one.key == "after_the_year")
    assert "can be used only after the year (10 weeks)" in said
    assert "of use only after the year" in found.orders[0]["text"]


def test_nodes_that_get_their_power_later_are_counted_at_both_ends() -> None:
    free = int(SENIOR.places[0].power_free_kw / 10.2)
    nodes = order("node:H100 node", free + 3).purchases
    plan = Plan(purchases=(*nodes, Purchase("p2", "2026-01", "power", 15, "Site A")))
    said = bad(plan)["no_power"].text
    assert "3 nodes of order p1 cannot be used from 2026-04 to 2026-12 (1 in 2026-12):" in said


def test_a_rule_takes_words_for_yes_and_no_and_figures_in_quotes() -> None:
    for policy, value in (("topology_aware", "Yes"), ("preemption", "false")):
        assert "policy_value" not in bad(Plan(policies=(Change("c1", "2026-01", policy, value),)))
    reserve = Plan(policies=(Change("c1", "2026-01", "serving_reserve_gpus", "24"),))
    assert "policy_value" not in bad(reserve)
    assert held(SENIOR, reserve)[0].reserve == 24
    wrong = bad(Plan(policies=(Change("c1", "2026-01", "topology_aware", "perhaps"),)))
    assert wrong["policy_value"].text.endswith("takes yes or no, not “perhaps”.")


def test_a_retirement_in_no_month_of_the_year_is_said_so() -> None:
    kind = SENIOR.places[0].nodes[0][0].name
    found = bad(Plan(retire=(Retired("t1", "2027-03", kind, 1, "Site A"),)))
    assert "2027-03 is no month of the year" in found["unknown_month"].text


def test_data_that_may_not_leave_are_said_in_one_clear_sentence() -> None:
    mid = scene_of(DEFAULT, "mid", 7)
    rent = Rented("r1", "2026-01", "2026-02", "spot", 8, "Frankfurt", ("interactive",))
    said = bad(Plan(cloud=(rent,)), mid)["residency"].text
    assert said == "Rent r1: interactive data may not leave the own sites."
    rent = replace(rent, region="Ohio")
    said = bad(Plan(cloud=(rent,)))["residency"].text
    assert said == (
        "Rent r1: interactive data may only be in Frankfurt, Paris and Ireland, not in Ohio."
    )
