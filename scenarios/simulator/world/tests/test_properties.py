"""What holds in every world, whatever happens in it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.controllers import Desk, Moment
from scenarios.simulator.engine import Simulation, State
from scenarios.simulator.machine import Nodes
from scenarios.simulator.outputs import rows
from scenarios.simulator.policies import open_policy
from scenarios.simulator.streams import Stream
from scenarios.simulator.tests.jobs import examples
from scenarios.simulator.trace import Workload
from scenarios.simulator.world.calls import CallFailed, CallFaults, DirectCalls, UnreliableCalls
from scenarios.simulator.world.pools import Is
from scenarios.simulator.world.setting import Setting
from scenarios.simulator.world.tests.small import (
    fixed,
    mixed,
    on_machine,
    same_history,
    settings_,
    workloads,
)
from scenarios.simulator.world.world import World

FEW = examples(60)
POLICIES = (
    "fcfs",
    "easy",
    "easy-sjbf",
    "conservative",
    "sjf",
    "srtf",
    "srgf",
    "las",
    "kueue",
    "slurm",
)


class Checked(World):
    """A world that looks at its machine after every start and every departure."""

    looks = 0

    def started(self, job: int, now: int) -> None:
        super().started(job, now)
        self.look()

    def left(self, job: int, now: int, finished: bool) -> None:
        super().left(job, now, finished)
        self.look()

    def look(self) -> None:
        self.looks += 1
        machine, used = self.machine, [0] * len(self.machine.level)
        for job, shares in machine.where.items():
            assert sum(gpus for _, gpus in shares) == self.simulation.procs[job]
            for node, gpus in shares:
                used[node] += gpus
                assert self.pools.state[node] in (Is.UP, Is.DRAINING)
        assert used == [machine.per_node - level for level in machine.level]
        assert max(used, default=0) <= machine.per_node
        serving = {slot for slot, state in enumerate(self.pools.state) if state == Is.UP}
        assert serving == set(range(len(used))) - machine.out
        assert machine.free == sum(machine.level[slot] for slot in serving)


@FEW
@given(workloads, settings_)
def test_no_gpu_is_given_twice_and_none_on_a_node_that_is_off(
    workload: Workload, setting: Setting
) -> None:
    world = Checked(workload, open_policy("easy"), setting, "seed")
    world.run()
    assert world.looks
    assert world.over


@FEW
@given(workloads, settings_)
def test_work_is_conserved_but_for_stated_losses(workload: Workload, setting: Setting) -> None:
    for policy in ("easy", "conservative", "srtf", "slurm", "kueue"):
        world = World(workload, open_policy(policy), setting, "seed")
        world.run()
        progress, busy = world.progress, 0
        for job, state in enumerate(world.simulation.state):
            assert state in (State.DONE, State.REFUSED)
            spent = workload.run[job] + progress.overhead[job] + progress.lost[job]
            assert on_machine(world, job) == spent + progress.recovering[job]
            busy += on_machine(world, job) * workload.procs[job]
        assert world.record.busy == busy
        assert world.record.busy <= sum(world.record.node_time) * setting.gpus_per_node


@FEW
@given(workloads, settings_)
def test_same_seed_gives_the_same_history(workload: Workload, setting: Setting) -> None:
    worlds = [World(workload, open_policy("easy"), setting, "seed") for _ in range(2)]
    worlds[0].run()
    for time in range(0, 40_000, 3_333):
        worlds[1].run_until(time)
    worlds[1].run()
    assert same_history(*worlds)


@FEW
@given(workloads)
def test_world_with_everything_off_is_the_plain_engine(workload: Workload) -> None:
    for policy in POLICIES:
        plain = Simulation(workload, Nodes(3, 4), open_policy(policy))
        plain.run()
        world = World(workload, open_policy(policy), fixed(3), "seed")
        world.run()
        assert list(rows(world.simulation)) == list(rows(plain)), policy


@FEW
@given(mixed, settings_)
def test_scanning_only_when_due_equals_scanning_at_every_beat(
    workload: Workload, setting: Setting
) -> None:
    worlds = [
        World(workload, open_policy("easy"), setting, "seed", scan_always=always)
        for always in (False, True)
    ]
    for world in worlds:
        world.run()
    assert same_history(*worlds)
    assert worlds[0].autoscaler is not None
    assert worlds[1].autoscaler is not None
    assert worlds[0].autoscaler.scans <= worlds[1].autoscaler.scans


class Restless:
    """A controller that resizes and gives back at random, whether that makes sense or not."""

    every_s = 180.0
    wants = frozenset({"submitted", "ended", "stopped", "nodes", "notice"})

    def __init__(self, seed: int) -> None:
        self._stream = Stream(str(seed), "restless")

    def decide(self, moment: Moment) -> None:
        pools = [pool for pool in moment.view.pools() if pool.name != "owned"]
        pool = self._stream.pick([(pool, 1.0) for pool in pools])
        try:
            if self._stream.chance(0.6):
                moment.calls.resize(pool.name, int(self._stream.between(0, 4)))
            else:
                moment.calls.give_back(f"{pool.name}-{int(self._stream.between(0, 2))}")
        except (CallFailed, ValueError):
            return


@FEW
@given(workloads, settings_, st.integers(0, 1_000))
def test_no_controller_can_break_the_books(workload: Workload, setting: Setting, seed: int) -> None:
    world = Checked(workload, open_policy("easy"), replace(setting, after_last_s=50_000), "seed")
    faults = CallFaults(timeout=0.2, partial=0.3, stale_s=60, calls_per_minute=5)
    Desk(world, Restless(seed), UnreliableCalls(world, DirectCalls(world), faults))
    world.run()
    world.look()
    for number, pool in enumerate(setting.pools):
        assert pool.least <= world.pools.target[number] <= pool.slots
        assert world.pools.count(number) <= pool.slots
    asked, gone = (
        sum(kind in kinds for _, kind, _ in world.record.log)
        for kinds in (("asked",), ("cancelled", "given_back", "not_come", "reclaimed"))
    )
    there = sum(world.pools.count(number) for number in range(len(setting.pools)))
    assert sum(pool.nodes for pool in setting.pools) + asked - gone == there
