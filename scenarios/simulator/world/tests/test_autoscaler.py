"""The autoscaler's rules and figures, one by one (cluster autoscaler's defaults)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from scenarios.simulator.policies import open_policy
from scenarios.simulator.world.autoscaler import new_nodes
from scenarios.simulator.world.setting import (
    AutoscalerSetting,
    CheckpointSetting,
    PoolSetting,
    Setting,
)
from scenarios.simulator.world.tests.small import Job, jobs, run, times
from scenarios.simulator.world.world import World


def elastic(most: int = 4, least: int = 0, nodes: int = 0, **changes: object) -> Setting:
    """Nodes of four GPUs that come 100 s after the request."""
    pool = PoolSetting("cloud", nodes, least, most, 1.0, delay_low_s=100, delay_high_s=100)
    return Setting(4, (pool,), autoscaler=AutoscalerSetting(**changes), sample_s=0)  # type: ignore[arg-type]


def test_waiting_job_gets_a_node_asked_for_at_the_next_beat() -> None:
    world = run([(3, 50, 4)], elastic())
    assert times(world, "asked") == [(10, "cloud-0")]
    assert world.simulation.first_start == [110]


def test_two_nodes_come_for_a_gang_and_none_beyond_the_most() -> None:
    world = run([(0, 50, 8), (0, 50, 8)], elastic(most=3))
    assert [time for time, _ in times(world, "asked")] == [10, 10]
    assert world.simulation.first_start == [110, 160]


def test_nodes_on_their_way_are_not_asked_for_again() -> None:
    world = run([(0, 500, 4), (30, 500, 2), (40, 500, 2)], elastic())
    assert times(world, "asked") == [(10, "cloud-0"), (40, "cloud-1")]


def test_idle_node_goes_after_ten_minutes_and_not_below_the_least() -> None:
    rows: list[Job] = [(0, 1_000, 4), (0, 20_000, 4)]
    world = run(rows, elastic(nodes=3, least=2))
    gone = times(world, "given_back")
    assert gone == [(600, "cloud-2")]


def test_no_node_goes_within_ten_minutes_of_a_growth() -> None:
    rows: list[Job] = [(0, 20_000, 4), (0, 200, 4), (501, 8_000, 12)]
    world = run(rows, elastic(nodes=3, most=4))
    assert times(world, "asked") == [(510, "cloud-3")]
    assert times(world, "given_back")[0][0] >= 510 + 600


def test_at_most_ten_empty_nodes_go_in_one_scan() -> None:
    world = run([(0, 3_000, 4)], elastic(nodes=25, most=25))
    gone = [time for time, _ in times(world, "given_back")]
    assert [gone.count(time) for time in sorted(set(gone))] == [10, 10, 4]


def test_failed_starts_back_off_five_minutes_doubling_to_thirty() -> None:
    pool = PoolSetting("bad", 0, 0, 1, delay_low_s=100, delay_high_s=100, start_failure=0.97)
    setting = Setting(4, (pool,), autoscaler=AutoscalerSetting(), sample_s=0)
    world = World(jobs([(0, 50, 4)]), open_policy("easy"), setting, "seed")
    world.run()
    asked = [time for time, _ in times(world, "asked")]
    gaps = [later - earlier for earlier, later in pairwise(asked)]
    assert len(gaps) > 4
    assert gaps[:4] == [1_200, 1_500, 2_100, 2_700]
    assert set(gaps[4:]) == {2_700}
    assert world.record.node_time == [100 + 50]


def test_provider_that_refuses_a_removal_is_asked_again_after_three_minutes() -> None:
    world = run([(0, 9_000, 4)], elastic(nodes=2, removal_failure=0.8))
    tries = [time for time, kind, _ in world.record.log if kind in ("removal_failed", "given_back")]
    assert tries[0] == 600
    assert {b - a for a, b in pairwise(tries)} <= {180}


def test_lightly_used_node_is_emptied_only_when_eviction_is_allowed() -> None:
    rows: list[Job] = [(0, 1_000, 3), (0, 20_000, 1), (0, 20_000, 3)]
    keep = run(rows, elastic(nodes=3, most=3))
    assert times(keep, "interrupted") == []
    assert times(keep, "given_back") == [(600, "cloud-2")]
    setting = replace(elastic(nodes=3, most=3, evict=True), checkpoint=CheckpointSetting(0, 20, 30))
    moved = run(rows, setting)
    assert times(moved, "given_back") == [(600, "cloud-2"), (1_610, "cloud-0")]
    assert times(moved, "interrupted") == [(1_610, "job 1, 20 lost")]
    assert moved.simulation.last_end == [1_000, 20_050, 20_000]


def test_work_below_priority_minus_ten_neither_brings_nodes_nor_keeps_them() -> None:
    workload = jobs([(0, 2_000, 4), (5, 100, 4), (0, 5_000, 4)])
    workload.priority = [-11, -11, 0]
    world = run(workload, elastic(nodes=2, most=4, least=1))
    assert times(world, "asked") == []
    assert times(world, "interrupted") == [(600, "job 0, 600 lost")]
    assert times(world, "given_back")[0] == (600, "cloud-0")
    assert world.simulation.last_end == [7_000, 7_100, 5_000]
    workload.priority = [-10, -10, 0]
    assert len(times(run(workload, elastic(nodes=2, most=4, least=1)), "asked")) == 1


def test_gang_over_two_nodes_is_never_moved() -> None:
    rows: list[Job] = [(0, 1_000, 3), (0, 20_000, 5), (0, 20_000, 2)]
    moved = run(rows, elastic(nodes=3, most=3, evict=True))
    assert times(moved, "interrupted") == []


def test_busy_machine_is_scanned_far_less_than_every_beat() -> None:
    rows: list[Job] = [(number * 1_000, 900, 4) for number in range(50)]
    lazy = run(rows, elastic(nodes=1, least=1))
    full = World(
        jobs(rows), open_policy("easy"), elastic(nodes=1, least=1), "seed", scan_always=True
    )
    full.run()
    assert lazy.autoscaler is not None
    assert full.autoscaler is not None
    assert lazy.autoscaler.scans * 10 < full.autoscaler.scans


@pytest.mark.parametrize(
    ("waiting", "room", "most", "expected"),
    [
        ({4: 3}, [0, 0, 0, 0, 1], 9, (2, 12)),
        ({1: 5}, [0, 0, 1, 0, 0], 9, (1, 5)),
        ({8: 2}, [0, 0, 0, 0, 0], 3, (2, 8)),
        ({6: 1, 2: 1}, [0, 0, 0, 0, 0], 9, (2, 8)),
        ({2: 1}, [0, 0, 0, 1, 0], 0, (0, 2)),
        ({12: 1, 1: 1}, [0, 0, 0, 0, 0], 2, (1, 1)),
    ],
)
def test_estimate_fills_what_is_there_first_and_splits_no_gang(
    waiting: dict[int, int], room: list[int], most: int, expected: tuple[int, int]
) -> None:
    assert new_nodes(waiting, room, most) == expected
