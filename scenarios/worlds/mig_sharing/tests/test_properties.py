from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.worlds.mig_sharing import WORLD
from scenarios.worlds.mig_sharing.episode import Episode
from scenarios.worlds.mig_sharing.fleet import GpuState
from scenarios.worlds.mig_sharing.gangs import GangState
from scenarios.worlds.mig_sharing.kinds import COMPUTE
from scenarios.worlds.mig_sharing.tests.days import APART, HOUR, a_day, obvious, play


def bytes_of(day: Episode) -> str:
    return json.dumps([day.figures(), day.replay()], sort_keys=True)


def test_same_seed_and_actions_give_the_same_bytes() -> None:
    first, second = (play(a_day(APART, "adversarial", "twice")) for _ in range(2))
    assert bytes_of(first) == bytes_of(second)


def test_another_seed_gives_another_day() -> None:
    assert bytes_of(play(a_day(seed="one"), 30)) != bytes_of(play(a_day(seed="two"), 30))


@pytest.mark.nightly
def test_nothing_depends_on_the_order_of_sets() -> None:
    program = (
        "import hashlib\n"
        "from scenarios.worlds.mig_sharing.tests.days import APART, a_day, play\n"
        "from scenarios.worlds.mig_sharing.tests.test_properties import bytes_of\n"
        "day = play(a_day(APART, 'failure-heavy', 'hash'), 20)\n"
        "print(hashlib.sha256(bytes_of(day).encode()).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def shared_gpus(day: Episode) -> set[int]:
    """Numbers of the GPUs on which tenants are nearer to each other than their rules allow."""
    tenants, serving = day.config.level.tenants, day.world.serving
    on: dict[int, set[int]] = {}
    for gpu in day.world.core.fleet.gpus:
        on[gpu.number] = {serving.services[r.service].spec.tenant for r in gpu.held.values()}
        if gpu.gang >= 0:
            on[gpu.number].add(day.world.training.gangs[gpu.gang].spec.tenant)
    found = set()
    for node in day.world.core.fleet.nodes:
        gpus = [gpu.number for gpu in day.world.core.fleet.of(node)]
        near = set().union(*(on[gpu] for gpu in gpus))
        crowded = len(near) > 1 and any(tenants[t].isolation == "node" for t in near)
        found |= {gpu for gpu in gpus if crowded or len(on[gpu]) > 1}
    return found


def check_books_of_state(day: Episode) -> None:
    """What is counted on the side agrees with what stands where."""
    world, meter = day.world, day.world.core.meter
    placed = Counter(r.service for r in world.serving.replicas.values())
    ready = Counter(r.service for r in world.serving.replicas.values() if r.ready)
    shared = shared_gpus(day)
    kept = Counter(
        r.service for r in world.serving.replicas.values() if r.ready and r.gpu not in shared
    )
    for one in world.serving.services:
        found = (placed[one.number], ready[one.number], kept[one.number])
        assert (one.placed, one.ready, one.kept) == found
    asked, useful = [0, 0, 0], 0
    for one in world.serving.alive.values():
        asked[one.spec.slo] += one.wanted
        useful += min(one.kept, one.wanted) * COMPUTE[one.spec.kind]
    for gang in world.training.running.values():
        assert gang.astray == bool(shared & set(gang.gpus))
        useful += 7 * len(gang.gpus) * gang.rate // 100 * (not gang.astray)
    assert (meter.asked, meter.useful) == (asked, useful)


def check_gpus(day: Episode) -> None:
    model = day.config.card
    for gpu in day.world.core.fleet.gpus:
        names = [(model.names[kind], start) for start, kind in gpu.layout]
        model.mask(names)
        assert set(gpu.held) <= {start for start, _ in gpu.layout}
        assert not (gpu.mig and gpu.gang >= 0)
        assert gpu.mig or not gpu.layout
        if gpu.state != GpuState.READY or not day.world.core.fleet.nodes[gpu.node].up:
            assert gpu.empty
    for gang in day.world.training.gangs:
        mine = [gpu.number for gpu in day.world.core.fleet.gpus if gpu.gang == gang.number]
        assert tuple(mine) == gang.gpus
        running = gang.state in (GangState.RUNNING, GangState.SAVING)
        assert len(mine) == (gang.spec.gpus if running else 0)


@pytest.mark.parametrize("family", WORLD.families)
def test_counts_close_at_every_tick(family: str) -> None:
    day = a_day(APART, family, "close")
    while not day.complete:
        day.tick()
        if day.now % 600 == 0:
            obvious(day)
            check_gpus(day)
            check_books_of_state(day)


def test_gpu_time_is_charged_once() -> None:
    day = play(a_day(seed="money"))
    day.figures()
    ledger, meter = day.world.core.ledger, day.world.core.meter
    used = [hour for tenant in ledger.used for hour in tenant]
    gang_ms = sum(hour.get(-1, 0) for hour in used)
    bars = [bar for bar in day.replay()["gantt"]["bars"] if bar[4] == "training"]
    drawn_ms = 1000 * sum(end - begin for _, begin, end, _, _ in bars)
    assert abs(gang_ms - drawn_ms) < 1000 * len(bars)
    replica_ms = sum(ms for hour in used for what, ms in hour.items() if what >= 0)
    assert sum(meter.served_ms) <= replica_ms
    assert meter.useful_ms <= 7 * day.config.gpus * 24 * HOUR


def test_doing_nothing_serves_and_uses_nothing() -> None:
    day = a_day()
    day.run_out()
    figures = day.figures()
    assert day.complete
    assert figures["ticks"] == 0
    assert sum(figures["served_h"].values()) == figures["used_pct"] == figures["ready_h"] == 0
    assert WORLD.measures["isolation"]([figures]) == 0.0
    assert WORLD.measures["charge_error"]([figures]) == 100.0


@pytest.mark.parametrize("family", WORLD.families)
def test_a_family_asks_for_what_the_level_says(family: str) -> None:
    loads = []
    for seed in range(4):
        day = a_day(APART, family, f"load {seed}")
        asked = sum(
            COMPUTE[s.spec.kind] * count * (end - at)
            for s in day.world.serving.services
            for (at, count), (end, _) in zip(s.spec.steps, s.spec.steps[1:], strict=False)
        )
        loads.append(asked / (7 * day.config.gpus * day.config.length))
    assert all(0.25 <= load <= 0.36 for load in loads)
    assert max(loads) - min(loads) < 0.06


def test_replay_holds_every_gpu_and_every_series() -> None:
    replay = play(a_day(), 20).replay()
    assert len(replay["gantt"]["rows"]) == 2 * DEFAULT.gpus_per_node
    assert [one["key"] for one in replay["series"]] == [one.key for one in WORLD.series]
    assert {len(one["values"]) for one in replay["series"]} == {len(replay["t"])}
    assert {bar[4] for bar in replay["gantt"]["bars"]} >= {"mig", "training"}
