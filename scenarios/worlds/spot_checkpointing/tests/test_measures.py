"""What the figures count, tried on calm weeks in which one thing happens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scenarios.simulator.agenda import HOUR
from scenarios.worlds.spot_checkpointing import WORLD
from scenarios.worlds.spot_checkpointing.episode import Episode
from scenarios.worlds.spot_checkpointing.measures import bought, saving_pct
from scenarios.worlds.spot_checkpointing.tests.weeks import (
    ONE_ZONE,
    calm,
    nodes_up,
    pass_minutes,
    saved,
    training,
)

WEEK: dict[str, Any] = {
    "spend_usd": 3000.0,
    "left_over_usd": 0.0,
    "penalty_usd": 0.0,
    "ondemand_usd": 8000.0,
    "goal_usd": 4000.0,
    "useful_gpu_h": 2304.0,
    "hours_late": [0.0],
}


def waits(week: Episode) -> list[float]:
    """Minutes of every wait that counts, the one at the beginning included."""
    found: list[float] = week.figures()["resume_min"]
    return found


def again(week: Episode, gang: list[str], made: str) -> None:
    week.controls.launch("tune", gang, made)
    pass_minutes(week, 3)
    assert week.world.trainings[0].state == "training"


def test_a_stop_of_ones_own_choice_neither_hides_nor_counts_as_a_good_return() -> None:
    week = calm()
    gang = training(week)
    made = saved(week)
    before = week.figures()
    for _ in range(5):
        week.controls.stop("tune")
        again(week, gang, made)
    after = week.figures()
    assert after["resume_min"] == before["resume_min"]
    assert after["right_resumes"] == before["right_resumes"] == 1
    assert after["proofs_due"] == 0
    pass_minutes(week, 20)
    assert week.figures()["proofs_due"] == 5


def test_a_stop_that_no_step_follows_counts_whoever_made_it() -> None:
    week = calm()
    training(week)
    week.controls.stop("tune")
    pass_minutes(week, 90)
    assert max(waits(week)) == 90


@pytest.mark.parametrize("first", ["called back", "called back and stopped", "dead"])
def test_a_node_that_goes_is_an_interruption_even_if_the_program_stops_first(first: str) -> None:
    week = calm()
    gang = training(week)
    made = saved(week)
    nodes_up(week, count=5)
    spare = [n.name for n in week.world.machines.nodes if n.name not in gang]
    goes = week.world.node_down if first == "dead" else week.world.machines.notice
    goes(week.world.trainings[0].nodes[0], 0)
    if first == "called back and stopped":
        week.controls.stop("tune")
    pass_minutes(week, 30)
    again(week, [*gang[1:], *spare], made)
    assert len(waits(week)) == 2
    assert max(waits(week)) >= 30


def test_running_on_a_node_that_leaves_anyway_makes_no_interruption() -> None:
    week = calm()
    gang = training(week)
    spare = nodes_up(week, count=8)
    week.controls.stop("tune")
    leaving = next(n for n, node in enumerate(week.world.machines.nodes) if node.name == gang[0])
    week.world.machines.notice(leaving, 0)
    week.world.advance(week.world.now + 1_000, wake=False)
    week.controls.launch("tune", gang, "")
    pass_minutes(week, 3)
    run = week.world.trainings[0]
    assert (len(run.resumes), run.reason) == (2, "node lost")
    again(week, [name for name in spare if name not in gang][:4], "")
    assert len(waits(week)) == 1


def test_a_deadline_that_is_met_is_met() -> None:
    late = WORLD.measures["late"]
    assert late([WEEK]) == 0
    week = calm(replace(ONE_ZONE, trainings=(replace(ONE_ZONE.trainings[0], deadline=8 * HOUR),)))
    training(week)
    week.controls.set_cadence("tune", 0, "sync")
    week.run_out()
    assert week.figures()["finish_h"][0] < 4
    assert late([week.figures()]) == 0
    idle = calm()
    idle.run_out()
    assert late([idle.figures()]) == pytest.approx(3000 * 3.6 / 3600)


@pytest.mark.parametrize(
    ("spent", "reached"), [(3000.0, 100), (4000.0, 100), (6000.0, 50), (8000.0, 0), (9500.0, 0)]
)
def test_the_saving_goes_from_the_price_on_demand_to_the_goal(spent: float, reached: float) -> None:
    assert saving_pct({**WEEK, "spend_usd": spent}) == pytest.approx(reached)


def test_work_bought_elsewhere_and_penalties_eat_the_saving() -> None:
    assert saving_pct({**WEEK, "left_over_usd": 2000.0, "penalty_usd": 1000.0}) == 50


def test_what_a_hundred_dollars_bought_counts_the_whole_cost() -> None:
    assert bought(WEEK) == pytest.approx(76.8)
    few_cheap_hours = {**WEEK, "spend_usd": 10.0, "useful_gpu_h": 10.0, "left_over_usd": 16_000.0}
    assert bought(few_cheap_hours) < 0.1
    assert bought({**WEEK, "spend_usd": 0.0, "useful_gpu_h": 0.0}) == 0


def test_the_same_work_on_demand_buys_less_and_saves_nothing() -> None:
    values = {}
    for pool in ("spot-east-1a", "ondemand-east-1a"):
        week = calm()
        training(week, pool=pool)
        week.controls.set_cadence("tune", 0, "sync")
        pass_minutes(week, 4 * 60)
        week.controls.scale(pool, 0)
        week.run_out()
        for key in ("goodput", "saving", "late"):
            values[pool[:2], key] = WORLD.measures[key]([week.figures()]) or 0.0
    assert values["sp", "goodput"] > 2 * values["on", "goodput"] > 0
    assert values["sp", "saving"] > 95
    assert values["on", "saving"] == values["sp", "late"] == values["on", "late"] == 0
