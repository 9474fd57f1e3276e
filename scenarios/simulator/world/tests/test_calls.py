"""The layer of faults over a controller's calls."""

from __future__ import annotations

import pytest

from scenarios.simulator.policies import open_policy
from scenarios.simulator.world.calls import (
    CallFaults,
    DirectCalls,
    RateLimited,
    TimedOut,
    UnreliableCalls,
)
from scenarios.simulator.world.setting import PoolSetting, Setting
from scenarios.simulator.world.tests.small import jobs
from scenarios.simulator.world.world import World


def world_of(most: int = 40) -> World:
    pools = (PoolSetting("cloud", 0, 0, most, 1.0), PoolSetting("owned", 1))
    return World(jobs([(0, 500_000, 1)]), open_policy("easy"), Setting(4, pools), "seed")


def layer(world: World, **faults: float) -> UnreliableCalls:
    return UnreliableCalls(world, DirectCalls(world), CallFaults(**faults))  # type: ignore[arg-type]


def test_without_faults_the_layer_changes_nothing() -> None:
    world = world_of()
    calls = layer(world)
    assert calls.resize("cloud", 3) == 3
    assert calls.read() == DirectCalls(world).read()
    assert calls.read().pools[0].starting == 3


def test_half_of_the_calls_that_time_out_are_carried_out() -> None:
    world = world_of(most=400)
    calls = layer(world, timeout=1.0)
    carried_out = 0
    for number in range(1, 201):
        before = world.pools.target[0]
        with pytest.raises(TimedOut, match="cloud"):
            calls.resize("cloud", number)
        carried_out += world.pools.target[0] != before
    assert 70 < carried_out < 130


def test_calls_beyond_the_rate_are_refused_until_the_next_minute() -> None:
    world = world_of()
    calls = layer(world, calls_per_minute=2)
    world.run_until(120)
    calls.read()
    calls.resize("cloud", 1)
    with pytest.raises(RateLimited, match="2 calls"):
        calls.resize("cloud", 2)
    assert world.pools.target[0] == 1
    world.run_until(180)
    assert calls.resize("cloud", 2) == 2


def test_partial_success_says_how_many_there_will_be() -> None:
    world = world_of()
    answer = layer(world, partial=1.0).resize("cloud", 30)
    assert answer == world.pools.target[0]
    assert answer < 30


def test_stale_read_is_as_old_as_stated_and_no_older() -> None:
    world = world_of()
    calls = layer(world, stale_s=60)
    first = calls.read()
    world.pools.set_target(0, 5)
    world.run_until(60)
    assert calls.read() is first
    world.run_until(61)
    assert calls.read().pools[0].target == 5


def test_wrong_calls_are_refused_by_name() -> None:
    calls = DirectCalls(world_of())
    with pytest.raises(ValueError, match="choose from: cloud"):
        calls.resize("owned", 3)
    with pytest.raises(ValueError, match="cloud-39"):
        calls.give_back("cloud-39")
    with pytest.raises(ValueError, match="no node to spare"):
        calls.give_back("owned-0")


def test_node_given_back_leaves_when_its_job_is_done() -> None:
    pools = (PoolSetting("cloud", 2, 0, 2, 1.0),)
    world = World(jobs([(0, 100, 4), (50, 10, 4)]), open_policy("easy"), Setting(4, pools), "seed")
    world.run_until(10)
    DirectCalls(world).give_back("cloud-0")
    assert DirectCalls(world).read().pools[0].draining == 1
    world.run()
    assert world.simulation.first_start == [0, 50]
    assert (100, "given_back", "cloud-0") in world.record.log or world.ended_at == 100
