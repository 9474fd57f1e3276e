from __future__ import annotations

from datetime import date
from typing import Any, cast

import pytest

from graders.scaling.prose import contradictions
from scenarios.company.profile import DEFAULT
from scenarios.scaling.plan import Plan, Purchase, Rented
from scenarios.scaling.scene import Month, Scene

PLAN = Plan(
    purchases=(
        Purchase("p1", "2026-03", "node:H100 node", 8, "Site A"),
        Purchase("p2", "2026-03", "node:H100 node", 4, "Site B"),
        Purchase("p3", "2026-07", "node:H100 node", 2, "Site A"),
        Purchase("p4", "2026-03", "spine", 2, "Site A"),
    ),
    cloud=(Rented("c1", "2026-02", "2026-05", "on_demand", 64),),
)
CAPEX = 4_200_000.0


class Year:
    """As much of a scene as sentences need."""

    profile = DEFAULT

    months = tuple(
        Month(n, f"2026-{n + 1:02}", date(2026, n + 1, 1), 720, "2026-Q1") for n in range(12)
    )


def said(text: str) -> list[str]:
    found = contradictions({"phases": text}, PLAN, cast(Scene, Year()), CAPEX)
    return [one.text for one in found]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("We order 20 H100 nodes in March.", "the plan orders 12 in 2026-03"),
        ("Order six nodes in April so that summer is safe.", "the plan orders none in 2026-04"),
        ("We rent 128 GPUs in the cloud until spring.", "the plan rents 64 (2026-02 to 2026-05)"),
        ("Capital comes to 9.5 million USD in all.", "orders come to 4,200,000 USD"),
        ("Total capex is $6M.", "orders come to 4,200,000 USD"),
        ("We order 20 H100 nodes in March 2026.", "the plan orders 12 in 2026-03"),
    ],
)
def test_a_figure_that_the_plan_does_not_have_is_named(text: str, part: str) -> None:
    (found,) = said(text)
    assert part in found


@pytest.mark.parametrize(
    "text",
    [
        "We order 12 H100 nodes in March.",
        "Eight nodes are ordered for Site A in March.",
        "We order 4 nodes in March for the second site.",
        "We would order 20 nodes in March if demand came to the high end.",
        "The simple plan buys 5 nodes in April.",
        "Rather than order 20 nodes in March we wait.",
        "We order 8 nodes in March and 2 in July.",
        "12 nodes arrive in June, ordered early.",
        "We may order 9 nodes later.",
        "We rent 64 GPUs in the cloud from February to May.",
        "Total capex is 4.25 million USD.",
        "The budget for capital is 6 million USD in total.",
        "Capital in total: 2.1 million USD in Q1.",
        "The cluster has 20 nodes today, bought in March.",
        "By July we have ordered 14 nodes.",
        "Until the end of July we order 14 nodes.",
        "We ordered 20 nodes in March 2024.",
        "",
        "9" * 5000,
        "order " * 3000,
    ],
)
def test_what_is_not_certain_is_left_alone(text: str) -> None:
    assert said(text) == []


def test_a_long_text_is_read_in_no_time_and_bounded() -> None:
    found: list[Any] = said("We order 99 nodes in March. " * 5000)
    assert len(found) == 12
