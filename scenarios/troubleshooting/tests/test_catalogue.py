"""Every cause and herring: what it costs is what it was asked for, and its words and traces are complete."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from scenarios.company.profile import DEFAULT
from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import draw_calendar
from scenarios.troubleshooting.condition import QUANTITIES, Condition
from scenarios.troubleshooting.draw import _kinds
from scenarios.troubleshooting.faults import CATALOGUE, Fault, Past, Scene
from scenarios.troubleshooting.faults.base import COMPONENTS
from scenarios.troubleshooting.faults.cooling import FanFailure, GpuThermalThrottle, RackInletHot
from scenarios.troubleshooting.faults.slow_compute import SilentSlowNode
from scenarios.troubleshooting.faults.uplinks import FabricNeighbour, SpineDown
from scenarios.troubleshooting.hall import draw_plant
from scenarios.troubleshooting.herrings import HERRINGS, Herring
from scenarios.troubleshooting.herrings.base import TIES
from scenarios.troubleshooting.herrings.in_place import OldXid
from scenarios.troubleshooting.jobs import draw_jobs, draw_training
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.physics import (
    BASELINE_STEP,
    STEPS,
    clock_at_limit,
    core_c,
    load_clock,
    power_at_clock,
)
from scenarios.troubleshooting.steps import (
    Run,
    communication,
    compute,
    healthy,
    rank_compute,
    rhythm,
    walk,
)
from scenarios.troubleshooting.traces import KINDS, Trace

SEED = "catalogue"
PLANT = draw_plant(DEFAULT, SEED)
CALENDAR = draw_calendar(48, SEED)
TRAINING = draw_training(PLANT, SEED)
BASELINE_HOURS = STEPS * BASELINE_STEP / 3_600


def scene(seconds: float) -> Scene:
    guess = CALENDAR.first_step + int(STEPS * (BASELINE_STEP + seconds) * 1000)
    return Scene(PLANT, CALENDAR, TRAINING, guess)


def struck(kind: type[Fault], seconds: float) -> tuple[Fault, Run]:
    fault = kind.strike(scene(seconds), seconds, Stream(SEED, kind.key))
    condition = Condition(PLANT, CALENDAR, fault.effects())
    return fault, walk(rhythm(condition, TRAINING.nodes), CALENDAR.first_step)


def past_of(fault: Fault, run: Run) -> Past:
    baseline = walk(healthy(CALENDAR, CALENDAR.baseline_start), CALENDAR.baseline_start)
    jobs = draw_jobs(
        PLANT, CALENDAR, TRAINING, (run.end_ms, baseline.end_ms), fault.neighbours(), SEED
    )
    roles = {job.role: job for job in jobs}
    return Past(PLANT, CALENDAR, TRAINING, run, roles["slow"], roles["baseline"], jobs, SEED)


def assert_well_formed(traces: list[Trace], key: str) -> None:
    assert traces
    for trace in traces:
        assert tuple(sorted(trace.fields)) == tuple(sorted(KINDS[trace.kind]))
        assert trace.tag == key
        assert trace.host


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.key)
@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_fault_costs_what_it_says(kind: type[Fault], part: float) -> None:
    asked = kind.low + part * (kind.high - kind.low)
    fault, run = struck(kind, asked)
    cost = (run.hours - BASELINE_HOURS) * 3_600 / STEPS
    # Ramps lose their first minutes; settings of whole numbers are as near as they can be.
    assert cost == pytest.approx(fault.seconds, rel=0.09)
    assert fault.seconds == pytest.approx(asked, rel=0.35)


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.key)
def test_fault_shows_in_its_component_only(kind: type[Fault]) -> None:
    fault, run = struck(kind, (kind.low + kind.high) / 2)
    means = {
        "compute": run.compute.mean() - 1.85,
        "communication": run.communication.mean() - 0.30,
        "data": run.data.mean() - 0.10,
        "checkpoint": run.save.mean() - 0.09,
    }
    assert fault.component in COMPONENTS
    assert max(means, key=lambda name: means[name]) == fault.component
    assert sum(abs(value) > 1e-6 for value in means.values()) == 1


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.key)
@pytest.mark.by_day(every=2)
def test_fault_leaves_traces_marks_and_words(kind: type[Fault]) -> None:
    fault, run = struck(kind, (kind.low + kind.high) / 2)
    past = past_of(fault, run)
    traces = list(fault.traces(past))
    assert_well_formed(traces, kind.key)
    assert len({trace.artefact for trace in traces}) >= 2
    assert all(trace.at_ms <= CALENDAR.window_end for trace in traces)
    marks = list(fault.marks(past))
    assert marks
    assert all(mark.from_ms < mark.to_ms and mark.shows.endswith(".") for mark in marks)
    assert all(effect.field in QUANTITIES for effect in fault.effects())
    words = fault.words()
    for name in ("title", "story", "confused_with", "test", "mitigation", "fix", "risk"):
        text = getattr(words, name)
        assert len(text) > 20
        assert "{" not in text
        assert "(," not in text


@pytest.mark.parametrize("kind", [GpuThermalThrottle, FanFailure, RackInletHot])
@pytest.mark.parametrize("seconds", [0.3, 0.7])
def test_heat_brings_a_throttled_gpu_to_its_limit(kind: type[Fault], seconds: float) -> None:
    fault, _ = struck(kind, seconds)
    condition = Condition(PLANT, CALENDAR, fault.effects())
    gpu = next(subject for subject in condition.subjects("heat_c"))
    clock, heat = condition.over(gpu, "clock"), condition.over(gpu, "heat_c")
    assert clock is not None
    assert heat is not None
    watts = power_at_clock(PLANT, clock[-1] * load_clock(PLANT))
    inlet = condition.over(gpu.split("/")[0], "inlet_c")
    rise = 0.0 if inlet is None else inlet[-1]
    assert 85.5 <= core_c(PLANT, watts) + heat[-1] + rise <= 88.5
    assert watts < 600


def test_ranks_of_a_slow_node_compute_longest_and_the_others_wait() -> None:
    fault, run = struck(SilentSlowNode, 0.5)
    condition = Condition(PLANT, CALENDAR, fault.effects())
    slow = fault.places()[0]
    for rank in range(TRAINING.ranks):
        node, index = TRAINING.place(rank)
        own = float(np.max(rank_compute(condition, node, index)))
        assert (own == pytest.approx(run.compute[0])) == (node.name == slow)


def test_overlapping_causes_hide_each_other_or_multiply() -> None:
    own = scene(1.0)
    small, large = (
        SilentSlowNode.strike(own, seconds, Stream(SEED, f"slow {seconds}"))
        for seconds in (0.3, 0.6)
    )
    both = Condition(PLANT, CALENDAR, [*small.effects(), *large.effects()])
    assert compute(both, TRAINING.nodes).max() == pytest.approx(1.85 + large.seconds)
    down, neighbour = (
        kind.strike(own, 0.4, Stream(SEED, kind.key)) for kind in (SpineDown, FabricNeighbour)
    )
    both = Condition(PLANT, CALENDAR, [*down.effects(), *neighbour.effects()])
    assert communication(both, TRAINING.nodes).max() > 0.30 + down.seconds + neighbour.seconds + 0.1


def test_catalogue_covers_most_of_the_handbook() -> None:
    numbers = {kind.number for kind in CATALOGUE} - {0}
    assert len(numbers) >= 15
    assert len({kind.key for kind in CATALOGUE}) == len(CATALOGUE)


@pytest.mark.parametrize("level", LEVELS)
def test_no_cause_is_a_good_guess(level: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(200):
        seen.update(
            kind.key for kind in _kinds(LEVELS[level], Stream(f"{level} {seed}", "faults 0"))
        )
    assert max(seen.values()) <= 90
    assert len(seen) >= 15


@pytest.mark.parametrize("kind", HERRINGS, ids=lambda kind: kind.key)
@pytest.mark.by_day(every=2)
def test_herring_leaves_traces_and_says_why_it_is_harmless(kind: type[Herring]) -> None:
    own = scene(1.0)
    fault = CATALOGUE[0].strike(own, 0.5, Stream(SEED, "cause"))
    herring = kind.strike(own, [fault], Stream(SEED, kind.key))
    assert herring is not None
    assert herring.tie in TIES
    run = walk(healthy(CALENDAR, CALENDAR.first_step), CALENDAR.first_step)
    assert_well_formed(list(herring.traces(past_of(fault, run))), kind.key)
    words = herring.words()
    assert all("{" not in text and len(text) > 20 for text in (words.title, words.why, words.test))


def test_notebook_of_an_old_xid_stands_in_the_accounts() -> None:
    own = scene(1.0)
    fault = SilentSlowNode.strike(own, 0.5, Stream(SEED, "cause"))
    herring = OldXid.strike(own, [fault], Stream(SEED, "xid"))
    assert herring is not None
    jobs = draw_jobs(PLANT, CALENDAR, TRAINING, (0, 0), herring.neighbours(), SEED)
    notebook = next(job for job in jobs if job.tag == herring.key)
    assert notebook.gpus == ((herring.host, (herring.gpu,)),)
    assert notebook.state == "FAILED"
    assert notebook.runs_at(herring.at_ms)


def test_power_and_clock_are_each_others_inverse() -> None:
    for limit in (400, 450, 500, 600):
        clock = clock_at_limit(PLANT, limit)
        assert power_at_clock(PLANT, clock) == pytest.approx(limit, abs=12)
    assert clock_at_limit(PLANT, 700) == load_clock(PLANT)
