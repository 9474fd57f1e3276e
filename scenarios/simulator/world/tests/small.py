"""Small worlds and workloads for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from scenarios.simulator.engine import State
from scenarios.simulator.policies import open_policy
from scenarios.simulator.trace import Workload
from scenarios.simulator.world.setting import (
    AutoscalerSetting,
    CheckpointSetting,
    FailureSetting,
    PoolSetting,
    Setting,
    Window,
)
from scenarios.simulator.world.world import World

Job = tuple[int, int, int]
"""(submit, run, processors); the estimate is twice the run time."""


def expendable(workload: Workload) -> Workload:
    """Every third job counts for nothing to an autoscaler."""
    workload.priority = [-20 if number % 3 == 0 else 0 for number in workload.job_id]
    return workload


def jobs(rows: Sequence[Job]) -> Workload:
    workload = Workload()
    for number, (submit, run, procs) in enumerate(rows):
        user = f"user-{number % 3}"
        workload.add(number, submit, run, 2 * run, procs, (user, "", "", ""))
    return workload


def fixed(nodes: int, **changes: object) -> Setting:
    """Nothing happens in this world: `nodes` nodes of four GPUs for ever."""
    still = Setting(4, (PoolSetting("fixed", nodes),), sample_s=0)
    return replace(still, **changes)  # type: ignore[arg-type]


def run(rows: Sequence[Job] | Workload, setting: Setting, policy: str = "easy") -> World:
    workload = rows if isinstance(rows, Workload) else jobs(rows)
    world = World(workload, open_policy(policy), setting, "seed")
    world.run()
    return world


def times(world: World, kind: str) -> list[tuple[int, str]]:
    """When events of one kind happened, and to whom."""
    return [(time, subject) for time, what, subject in world.record.log if what == kind]


def on_machine(world: World, job: int) -> int:
    """Time a finished job spent on the machine."""
    simulation = world.simulation
    assert simulation.state[job] == State.DONE
    return simulation.served[job] + simulation.last_end[job] - simulation.began[job]


def same_history(one: World, other: World) -> bool:
    """Starts, ends, log, series and meters equal to the last digit."""
    a, b = one.simulation, other.simulation
    return (
        (a.first_start, a.last_end, a.served) == (b.first_start, b.last_end, b.served)
        and vars(one.record) | {"_machine": 0} == vars(other.record) | {"_machine": 0}
        and one.ended_at == other.ended_at
    )


workloads = st.lists(
    st.tuples(
        st.integers(0, 20_000),
        st.integers(1, 6_000),
        st.sampled_from((1, 1, 2, 3, 4, 8)),
    ),
    min_size=1,
    max_size=40,
).map(jobs)

mixed = st.one_of(workloads, workloads.map(expendable))

settings_ = st.builds(
    lambda faults, scaler, checkpoint, windows, failing: Setting(
        4,
        (
            PoolSetting("owned", 2, price=10.0),
            PoolSetting("cloud", 0, 0, 2, 30.0, start_failure=failing),
            PoolSetting("spot", 1, 0, 2, 9.0, "azure", reclaim_hours=1.5),
        ),
        faults,
        checkpoint,
        windows,
        scaler,
        sample_s=900,
    ),
    st.builds(
        FailureSetting,
        node_hours=st.sampled_from((0.0, 4.0)),
        node_repair_s=st.just(900.0),
        gpu_hours=st.sampled_from((0.0, 12.0)),
        gpu_repair_s=st.just(600.0),
    ),
    st.builds(
        AutoscalerSetting,
        evict=st.booleans(),
        removal_failure=st.sampled_from((0.0, 0.3)),
        most_empty=st.sampled_from((1, 10)),
    ),
    st.builds(
        CheckpointSetting,
        every_s=st.sampled_from((0.0, 700.0)),
        save_s=st.sampled_from((0.0, 25.0, 45.0)),
        recovery_s=st.sampled_from((0.0, 90.0)),
    ),
    st.sampled_from(((), (Window("owned", 5_000, 1_000, 9_000, drain_s=400),))),
    st.sampled_from((0.0, 0.4)),
)
"""Worlds in which everything may happen within a few hours."""
