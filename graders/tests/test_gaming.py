"""Ways to look good without doing the work, tried on every automation pack; none may pay."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from graders.anchors import anchor_figures
from graders.goldens import play_golden, unclipped
from graders.inprocess import run_trusted
from graders.measures import Measured, measure_workloads, total
from graders.playing import play, spec_for
from graders.session import EpisodeSession
from graders.tests.local_backend import LocalBackend
from graders.workloads import Workload, hidden_workloads, public_workload
from sandbox import CallRefused
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, all_packs, load_pack

SEED = 23
NAMES = [pack.name for pack in all_packs() if pack.kind == "automation"]
KNOBS = ("tick", "log")
GLANCE = 60
"""Ticks after which a program could know a workload again; some worlds begin with an empty queue."""
packs = pytest.mark.parametrize("name", NAMES)

Figures = Mapping[str, Any]
Call = tuple[str, dict[str, object]]


def chosen(name: str) -> tuple[Pack, str]:
    """The pack and the level that is tried: mid, where there is one."""
    pack = load_pack(name)
    return pack, "mid" if "mid" in pack.levels else pack.levels[0]


def workload(name: str) -> Workload:
    pack, level = chosen(name)
    return hidden_workloads(pack, level, SEED)[0]


def reads(name: str) -> list[str]:
    """The calls of the world that take no parameters and let no time pass."""
    methods = load_pack(name).world.methods
    return sorted(
        method for method, checks in methods.items() if not checks and method not in KNOBS
    )


@dataclass
class Wire:
    """A session that notes every call and can change what goes over it."""

    inner: EpisodeSession
    at: int = 0
    calls: list[tuple[int, str, dict[str, object]]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    after: Callable[[Wire, str, dict[str, object]], None] = lambda wire, method, params: None

    @property
    def complete(self) -> bool:
        return self.inner.complete

    def call(self, method: str, params: dict[str, object]) -> object:
        answer = self.inner.call(method, params)
        self.at += method == "tick"
        self.calls.append((self.at, method, params))
        self.after(self, method, params)
        return answer

    def spam(self, method: str, params: dict[str, object], times: int) -> None:
        for _ in range(times):
            try:
                self.inner.call(method, params)
            except CallRefused as refusal:
                self.refused.append(refusal.code)


def opened(workload: Workload, name: str, *, faults: bool = True) -> tuple[Any, Wire]:
    episode = workload.open(DEFAULT, faults=faults)
    return episode, Wire(EpisodeSession(episode, load_pack(name).world.methods))


def played(
    name: str, golden: str, on: Workload, *, faults: bool, **wire: Any
) -> tuple[Figures, Wire]:
    """Figures of a golden over a wire that may do more than the golden asks for."""
    pack, level = chosen(name)
    episode, session = opened(on, name, faults=faults)
    for key, value in wire.items():
        setattr(session, key, value)
    run_trusted(pack.golden(level, golden), session)
    episode.run_out()
    return episode.figures(), session


def scored(name: str, on: Workload, figures: Figures) -> list[Measured]:
    pack, level = chosen(name)
    naive, reference = anchor_figures(pack, level, on, DEFAULT)
    computes = pack.world.measures
    return measure_workloads(pack.measures(level), computes, [figures], [naive], [reference])


@cache
def plain(name: str) -> tuple[Measured, ...]:
    """The same without API faults, so that more calls change nothing by chance."""
    on = workload(name)
    return tuple(scored(name, on, played(name, "competent", on, faults=False)[0]))


@cache
def honest(name: str) -> tuple[Measured, ...]:
    """The competent golden on the tried workload."""
    pack, level = chosen(name)
    return tuple(play_golden(pack, level, "competent", [workload(name)]))


# -- recognising a public workload -----------------------------------------------------


@packs
def test_public_and_hidden_workloads_never_coincide(name: str) -> None:
    pack = load_pack(name)
    public, hidden = set(), set()
    for level in pack.levels:
        for seed in range(30):
            hidden |= {one.seed for one in hidden_workloads(pack, level, seed)}
            public |= {
                public_workload(pack, level, seed, known).seed
                for known, _ in pack.public_workloads(level)
            }
    assert public.isdisjoint(hidden)
    per_seed = sum(int(pack.level(level)["hidden"]) for level in pack.levels)
    assert len(hidden) == 30 * per_seed


def looked(session: Wire, name: str) -> str:
    """All that a program can see when it has let `GLANCE` ticks pass."""
    seen = [session.call("tick", {}) for _ in range(GLANCE)]
    for method in reads(name):
        try:
            seen.append(session.inner.call(method, {}))
        except CallRefused as refusal:
            seen.append([method, refusal.code])
    return json.dumps(seen)


@packs
@pytest.mark.by_day(but=["automation/slurm-fair-partitions"])
def test_beginning_of_a_public_workload_is_seen_nowhere_else(name: str) -> None:
    pack, level = chosen(name)
    public = [
        public_workload(pack, level, SEED, known) for known, _ in pack.public_workloads(level)
    ]
    seen = [looked(opened(one, name)[1], name) for one in public]
    others = [
        looked(opened(one, name)[1], name)
        for seed in (SEED, SEED + 1)
        for one in hidden_workloads(pack, level, seed)
    ]
    assert set(seen).isdisjoint(others)


def replayed(on: Workload, name: str, plan: list[tuple[int, str, dict[str, object]]]) -> Figures:
    """What comes of a plan that was learnt by heart, whatever the cluster does."""
    episode, session = opened(on, name)
    while not episode.complete:
        session.call("tick", {})
        while plan and plan[0][0] <= session.at:
            _, method, params = plan.pop(0)
            session.spam(method, params, 1)
    figures: Figures = episode.figures()
    return figures


@packs
@pytest.mark.by_day(ids=["automation/spot-checkpointing"])
def test_plan_learnt_on_a_public_workload_does_not_do_the_work_on_a_hidden_one(name: str) -> None:
    pack, level = chosen(name)
    public = public_workload(pack, level, SEED, pack.public_workloads(level)[0][0])
    _, wire = played(name, "expert", public, faults=False)
    idle = {*reads(name), *KNOBS}
    plan = [(at, method, params) for at, method, params in wire.calls if method not in idle]
    assert plan
    on = workload(name)
    by_heart = scored(name, on, replayed(on, name, plan))
    assert unclipped(by_heart) < unclipped(honest(name)) - 0.05


# -- time ------------------------------------------------------------------------------

SLOW = """
import time
import headnode_sdk
from golden import control

cluster = headnode_sdk.connect()
tick = cluster.tick


def slow_tick():
    {wait}
    return tick()


cluster.tick = slow_tick
control(cluster)
"""
WAITS = ("pass", "time.sleep(0.0003)", "sum(range(3000))")


# A session's time is the same code for all worlds: by day one that answers plainly and one with long texts.
@pytest.mark.by_day("name", ["automation/queue-autoscaler"])
@packs
def test_thinking_longer_changes_no_byte(name: str) -> None:
    pack, level = chosen(name)
    golden = pack.golden(level, "naive")
    told = set()
    for wait in WAITS:
        files = {pack.entry: SLOW.format(wait=wait), "golden.py": golden}
        seen = play(spec_for(pack, files), workload(name), LocalBackend(), DEFAULT)
        assert seen.outcome.status == "ok", seen.outcome.stderr
        told.add(json.dumps([seen.figures, seen.detail, seen.episode.replay()]))
    assert len(told) == 1


# -- calls -----------------------------------------------------------------------------


@packs
def test_reads_are_limited_within_a_tick(name: str) -> None:
    on = workload(name)
    _, session = opened(on, name, faults=False)
    session.call("tick", {})
    for method in reads(name):
        session.spam(method, {}, 300)
    assert "rate_limited" in session.refused
    assert set(session.refused) == {"rate_limited"}


@packs
@pytest.mark.by_day(ids=["automation/gpu-idle-alerts", "automation/spot-checkpointing"])
def test_asking_more_often_improves_no_measure(name: str) -> None:
    on = workload(name)
    asked = reads(name)

    def spam(wire: Wire, method: str, params: dict[str, object]) -> None:
        if method == "tick" and wire.at % 60 == 0 and not wire.complete:
            for one in asked:
                wire.spam(one, {}, 3)

    spammed, _ = played(name, "competent", on, faults=False, after=spam)
    for before, after in zip(plain(name), scored(name, on, spammed), strict=True):
        assert after.score <= before.score + 1e-9, before.measure.key


@packs
@pytest.mark.by_day(
    but=[
        "automation/cloud-bursting",
        "automation/gpu-idle-alerts",
        "automation/mig-sharing",
        "automation/slurm-fair-partitions",
    ]
)
def test_repeating_every_write_does_not_pay(name: str) -> None:
    on = workload(name)
    idle = {*reads(name), *KNOBS}

    def again(wire: Wire, method: str, params: dict[str, object]) -> None:
        if method not in idle:
            wire.spam(method, params, 2)

    repeated, _ = played(name, "competent", on, faults=False, after=again)
    after = total(scored(name, on, repeated))
    assert (after or 0.0) <= (total(plain(name)) or 0.0) + 0.05


# -- leaving, and making the queue look good -------------------------------------------


@packs
@pytest.mark.by_day(
    but=[
        "automation/cluster-priorities",
        "automation/queue-autoscaler",
        "automation/slurm-fair-partitions",
    ]
)
def test_leaving_early_is_the_same_as_doing_nothing_to_the_end(name: str) -> None:
    on = workload(name)
    told = []
    for ticks in (1, 50, None):
        episode, session = opened(on, name)
        while not episode.complete and (ticks is None or session.at < ticks):
            session.call("tick", {})
        episode.run_out()
        told.append({k: v for k, v in episode.figures().items() if k != "ticks"})
    assert told[0] == told[1] == told[2]


@packs
@pytest.mark.by_day(ids=["automation/cluster-priorities"])
def test_leaving_at_half_time_costs_what_the_rest_was_worth(name: str) -> None:
    on = workload(name)
    _, whole = played(name, "competent", on, faults=True)
    pack, level = chosen(name)
    source = pack.golden(level, "competent")
    episode, session = opened(on, name)

    def leave(wire: Wire, method: str, params: dict[str, object]) -> None:
        if wire.at >= whole.at // 2:
            raise InterruptedError

    session.after = leave
    with pytest.raises(InterruptedError):
        run_trusted(source, session)
    episode.run_out()
    left = scored(name, on, episode.figures())
    assert unclipped(left) < unclipped(honest(name))


@packs
@pytest.mark.by_day(
    but=[
        "automation/cluster-priorities",
        "automation/queue-autoscaler",
        "automation/slurm-fair-partitions",
        "automation/spot-checkpointing",
    ]
)
def test_stopping_everybodys_work_does_not_look_good(name: str) -> None:
    pack, level = chosen(name)
    cheated = play_golden(pack, level, "cheater", [workload(name)])
    assert unclipped(cheated) <= 0.05
    assert (total(cheated) or 0.0) < (total(honest(name)) or 0.0) - 0.2
