"""How controllers are called, what they see, and what the reference one is worth."""

from __future__ import annotations

import pytest

from scenarios.simulator.controllers import Desk, Moment, QueueFollower, Scripted
from scenarios.simulator.policies import open_policy
from scenarios.simulator.report import summary
from scenarios.simulator.world.calls import CallFaults, DirectCalls, UnreliableCalls, View
from scenarios.simulator.world.setting import PoolSetting, Setting
from scenarios.simulator.world.tests.small import Job, jobs
from scenarios.simulator.world.world import World

ROWS: list[Job] = [(number * 4_000, 1_500, 4 * (number % 3 + 1)) for number in range(40)]


def world_of(rows: list[Job], nodes: int = 0, most: int = 4) -> World:
    pools = (PoolSetting("cloud", nodes, 0, most, 10.0, delay_low_s=100, delay_high_s=100),)
    return World(jobs(rows), open_policy("easy"), Setting(4, pools, sample_s=0), "seed")


def test_ticks_come_at_their_distance_until_the_world_is_over() -> None:
    world, clock = world_of([(0, 250, 4)], nodes=1), Scripted({}, every_s=60)
    Desk(world, clock)
    world.run()
    assert clock.moments == [(time, ("tick",)) for time in (0, 60, 120, 180, 240)]


def test_events_of_one_instant_make_one_decision() -> None:
    world = world_of([(10, 50, 2), (10, 90, 2), (60, 30, 4)], nodes=1)
    listener = Scripted({}, wants=frozenset({"submitted", "ended"}))
    Desk(world, listener)
    world.run()
    assert listener.moments == [
        (10, ("submitted",)),
        (60, ("ended", "submitted")),
        (100, ("ended",)),
    ]


def test_view_is_built_when_asked_for_and_shows_the_world_as_it_is() -> None:
    world, views = world_of([(5, 50, 4), (6, 50, 4)], nodes=1), list[View]()
    script = Scripted({1: lambda moment: views.append(moment.view)}, every_s=20)
    desk = Desk(world, script)
    world.run_until(19)
    assert desk.views == 0
    world.run_until(20)
    assert (desk.views, desk.decisions) == (1, 2)
    assert seen(views[0]) == ([0], [1], 4, 20)
    world.run_until(60)
    assert seen(views[0]) == ([1], [], 0, 60)


def seen(view: View) -> tuple[list[int], list[int], int, int]:
    jobs = view.jobs
    running, waiting = [job.job_id for job in jobs.running], [job.job_id for job in jobs.waiting]
    return running, waiting, view.waiting_gpus, view.now


def test_what_a_controller_does_takes_effect_at_its_instant() -> None:
    def grow(moment: Moment) -> None:
        assert moment.calls.resize("cloud", 2) == 2

    world = world_of([(5, 50, 8)])
    Desk(world, Scripted({0: grow}, wants=frozenset({"submitted"})))
    world.run()
    assert world.simulation.first_start == [105]


def test_controller_is_not_called_for_what_it_does_itself() -> None:
    class Flipping:
        every_s, wants = 0.0, frozenset({"nodes", "submitted"})

        def decide(self, moment: Moment) -> None:
            target = moment.view.pools()[0].target
            moment.calls.resize("cloud", 0 if target else 2)

    world = world_of([(5, 50, 4)])
    desk = Desk(world, Flipping())
    world.run_until(5)
    assert desk.decisions == 1
    world.run_until(105)
    assert desk.decisions == 2


def test_event_nobody_sends_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="sunrise"):
        Desk(world_of(ROWS), Scripted({}, wants=frozenset({"sunrise"})))


def test_reference_controller_does_all_the_work_for_less_than_all_nodes_always() -> None:
    always = world_of(ROWS, nodes=4)
    always.run()
    followed = world_of(ROWS)
    Desk(followed, QueueFollower({"cloud": 10.0}))
    followed.run()
    dear, cheap = summary(always), summary(followed)
    assert cheap["finished"] == dear["finished"] == len(ROWS)
    assert cheap["cost_usd"] < 0.8 * dear["cost_usd"]
    assert cheap["mean_wait"] < 200


def test_reference_controller_gets_by_with_unreliable_calls() -> None:
    world = world_of(ROWS)
    faults = CallFaults(timeout=0.3, partial=0.3, calls_per_minute=3)
    Desk(world, QueueFollower({"cloud": 10.0}), UnreliableCalls(world, DirectCalls(world), faults))
    world.run()
    assert summary(world)["finished"] == len(ROWS)
