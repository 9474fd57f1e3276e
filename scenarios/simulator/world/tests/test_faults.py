"""Nodes that come late, break, are reclaimed or maintained, and what that costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenarios.simulator.report import summary
from scenarios.simulator.world.setting import (
    CheckpointSetting,
    FailureSetting,
    PoolSetting,
    PowerSetting,
    Setting,
    Window,
)
from scenarios.simulator.world.tests.small import Job, fixed, run, times

LONG: list[Job] = [(0, 400_000, 1), (0, 400_000, 2), (0, 400_000, 8)]


def spot(cloud: str) -> Setting:
    """One spot node that is taken an hour after it came, and replaced in five minutes."""
    pool = PoolSetting(
        "spot", 1, 0, 1, 2.0, cloud, longest_hours=1, delay_low_s=300, delay_high_s=300
    )
    return Setting(4, (pool,), checkpoint=CheckpointSetting(0, 20, 10), sample_s=0)


@pytest.mark.parametrize(("cloud", "notice"), [("aws", 120), ("azure", 30), ("google", 30)])
def test_each_cloud_gives_its_notice_and_takes_no_new_work_after_it(
    cloud: str, notice: int
) -> None:
    world = run([(0, 5_000, 2), (3_600 - notice + 1, 10, 1)], spot(cloud))
    assert times(world, "notice")[0] == (3_600 - notice, "spot-0")
    assert times(world, "reclaimed")[0] == (3_600, "spot-0")
    assert world.simulation.first_start == [0, 3_900]
    assert world.progress.lost == [20, 0]
    assert world.simulation.last_end[0] == 3_900 + 10 + 5_000 - 3_600 + 20


def test_reclaimed_node_costs_until_it_is_taken() -> None:
    world = run([(0, 3_500, 4), (3_700, 100, 4)], spot("aws"))
    assert world.record.node_time == [3_600 + (4_000 - 3_600)]
    assert world.spent() == pytest.approx(2.0 * 4_000 / 3_600)


def test_failing_node_stops_the_whole_gang_and_comes_back_repaired() -> None:
    faults = FailureSetting(node_hours=40, node_repair_s=1_000, repair_sigma=0)
    world = run([(0, 400_000, 8)], fixed(2, failures=faults, checkpoint=CheckpointSetting(600)))
    failed, back = times(world, "node_failed"), times(world, "back")
    assert len(failed) > 2
    assert [(time + 1_000, node) for time, node in failed] == back
    assert len(times(world, "interrupted")) == len(failed) == world.progress.interruptions[0]


def test_broken_gpu_ends_one_job_and_the_node_is_repaired_when_empty() -> None:
    faults = FailureSetting(gpu_hours=100, gpu_repair_s=500, repair_sigma=0)
    rows: list[Job] = [(0, 200_000, 1) for _ in range(4)]
    world = run(rows, fixed(1, failures=faults, checkpoint=CheckpointSetting(600)))
    broken, back = times(world, "gpu_failed"), times(world, "back")
    assert broken[0][0] < 200_000
    assert len(times(world, "interrupted")) <= len(broken)
    assert times(world, "interrupted")[0][0] == broken[0][0]
    assert world.simulation.last_end.count(200_000) == 3
    assert back[0] == (200_500, "fixed-0")


def test_maintained_pool_is_drained_then_off_then_back() -> None:
    windows = (Window("fixed", 10_000, 1_000, 50_000, drain_s=2_000),)
    rows: list[Job] = [(0, 9_000, 4), (0, 30_000, 4), (8_500, 100, 1)]
    setting = fixed(2, windows=windows, checkpoint=CheckpointSetting(0, 10, 0))
    world = run(rows, setting)
    assert [time for time, _ in times(world, "maintenance")] == [10_000, 10_000]
    assert world.simulation.first_start == [0, 0, 11_000]
    assert world.progress.lost == [0, 10, 0]
    assert [time for time, _ in times(world, "back")] == [11_000, 11_000]


def test_node_that_never_came_is_not_charged_and_asked_for_again() -> None:
    pool = PoolSetting("cloud", 0, 1, 1, 1.0, delay_low_s=60, delay_high_s=90, start_failure=0.6)
    taken = PoolSetting("spot", 1, 1, 1, 1.0, "aws", longest_hours=1, start_failure=0.6)
    world = run([(0, 3_000, 4), (3_700, 3_000, 4)], Setting(4, (taken, pool), sample_s=0))
    asked = len(times(world, "asked"))
    assert asked == len(times(world, "up")) + len(times(world, "not_come"))
    up = times(world, "up")[0][0]
    assert world.record.node_time[0] <= 3_600 + (world.ended_at - up) + 300


def test_one_more_cause_of_trouble_leaves_the_others_as_they_were() -> None:
    pool = PoolSetting("spot", 6, 0, 6, 1.0, "aws", reclaim_hours=20)
    plain = Setting(4, (pool,), checkpoint=CheckpointSetting(600), sample_s=0)
    failing = replace(plain, failures=FailureSetting(node_hours=30))
    worlds = [run(LONG, setting) for setting in (plain, failing)]
    notices = [{node: time for time, node in reversed(times(world, "notice"))} for world in worlds]
    assert times(worlds[1], "node_failed")
    assert len(notices[0]) == 6
    assert notices[0] == notices[1]


def test_energy_and_time_in_service_are_counted_to_the_second() -> None:
    world = run([(0, 3_600, 4), (0, 7_200, 2)], fixed(2, power=PowerSetting(100, 10, 1.5)))
    assert world.record.busy == 4 * 3_600 + 2 * 7_200
    assert world.record.room == 8 * 7_200
    assert world.record.up_time == 2 * 7_200


def test_unfinished_work_does_not_keep_the_world_going_for_ever() -> None:
    pool = PoolSetting("cloud", 0, 0, 1)
    setting = Setting(4, (pool,), after_last_s=5_000, sample_s=1_000)
    world = run([(10, 100, 1)], setting)
    assert world.over
    assert world.ended_at == 5_010
    assert world.unfinished() == [0]


def test_node_slower_than_fifteen_minutes_is_given_up_and_asked_for_again() -> None:
    pool = PoolSetting(
        "spot", 1, 1, 1, 1.0, "aws", longest_hours=1, delay_low_s=1_000, delay_high_s=1_000
    )
    world = run([(4_000, 10, 1)], Setting(4, (pool,), after_last_s=3_000, sample_s=0))
    assert times(world, "not_come") == [(4_500, "spot-0"), (5_400, "spot-0"), (6_300, "spot-0")]
    assert world.unfinished() == [0]
    assert world.record.node_time == [3_600 + 700]


@pytest.mark.parametrize("rows", [[], [(0, 10, 99)]])
def test_world_without_work_is_over_at_once(rows: list[Job]) -> None:
    world = run(rows, fixed(2, sample_s=60))
    assert (world.over, world.ended_at) == (True, 0)
    assert summary(world)["finished"] == 0


def test_interrupted_job_is_logged_when_it_starts_again() -> None:
    world = run([(0, 5_000, 2)], spot("aws"))
    assert times(world, "interrupted") == [(3_600, "job 0, 20 lost")]
    assert times(world, "restarted") == [(3_900, "job 0")]
