"""An order that comes too late is held against the years in which work waited for it."""

from __future__ import annotations

from typing import Any

from graders.scaling.orders import of_orders
from scenarios.company.profile import DEFAULT
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Plan, Purchase

SCENE = scene_of(DEFAULT, "mid", 7)
PLAN = Plan(purchases=(Purchase("p1", "2026-04", "node:H200 node", 3, "Site A"),))
ARRIVALS = {"p1": {"id": "p1", "arrives": "2026-08", "text": "there in August"}}


def year(wait: float, promised: float = 8.0) -> dict[str, Any]:
    """A year in which fine-tuning waits so long in every month for want of GPUs."""
    met = wait <= promised
    full = {"met": met, "wait_p95_h": wait, "blocked_hours": {} if met else {"full": 5}}
    calm = {"met": True, "wait_p95_h": 0.0, "blocked_hours": {}}
    names = [work.job_class for work in SCENE.work]
    classes = {name: full if name == "fine_tuning" else calm for name in names}
    return {"months": [{"month": one.name, "classes": classes} for one in SCENE.months]}


def test_the_wait_is_that_of_the_years_in_which_it_was_too_long() -> None:
    years = [year(12.0), year(14.0), year(0.5)]
    rows, found = of_orders(SCENE, PLAN, ARRIVALS, years, [year(0.0)] * 3)
    assert rows[0]["late"]
    assert found[0].rows == (("purchases", "p1"),)
    assert found[0].text == (
        "The order of 2026-04 (3 × H200 node) can be used from 2026-08 on. In 2026-07 fine-tuning"
        " lacked GPUs in 2 of 3 hidden years and waited 13.0 h at p95 in these, where 8 h are promised;"
        " with the reference plan it did not."
    )


def test_an_order_that_cannot_be_carried_out_says_so() -> None:
    plan = Plan(purchases=(Purchase("p9", "2026-04", "node:GB300 rack", 2, "Site A"),))
    rows, found = of_orders(SCENE, plan, {}, [year(0.0)], [year(0.0)])
    assert rows[0]["text"].startswith("2 × GB300 rack, ordered in 2026-04: cannot be carried out")
    assert found == []
