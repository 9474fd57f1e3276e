"""The truth keeps its promises on many seeds of every level."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.troubleshooting.calendar import HOUR, MINUTE, STARTUP
from scenarios.troubleshooting.condition import Condition
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.physics import BASELINE_STEP, OTHER, STEPS
from scenarios.troubleshooting.steps import rhythm, walk
from scenarios.troubleshooting.truth import MOST_GPUS, Incident, make_incident

SEEDS = range(30)
EVERY = [(level, seed) for level in LEVELS for seed in SEEDS]
# Fewer would not meet every cause and herring that the thirty meet.
BY_DAY = [(level, seed) for level in LEVELS for seed in SEEDS[:12]]
pytestmark = pytest.mark.by_day("found", BY_DAY)


@pytest.fixture(scope="module", params=EVERY, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def found(request: pytest.FixtureRequest) -> Incident:
    """Each incident once: all tests that look at it run one after the other."""
    level, seed = request.param
    return make_incident(DEFAULT, LEVELS[level], seed)


@pytest.mark.nightly
def test_the_incidents_of_the_day_meet_every_cause_and_herring_of_the_thirty() -> None:
    met = {
        (level, seed): {one.key for one in made.causes} | {one.key for one in made.herrings}
        for level, seed in EVERY
        for made in [make_incident(DEFAULT, LEVELS[level], seed)]
    }
    assert set().union(*(met[one] for one in BY_DAY)) == set().union(*met.values())


@pytest.mark.by_day(every=3)
def test_run_takes_14_to_16_and_a_half_hours_which_the_causes_explain(found: Incident) -> None:
    slow, before = found.slow, found.before
    assert slow.start_ms is not None
    assert slow.end_ms is not None
    assert before.start_ms is not None
    assert before.end_ms is not None
    assert 14.0 <= (slow.end_ms - slow.start_ms) / HOUR <= 16.5
    assert found.baseline.hours == pytest.approx(8.0, rel=0.001)
    assert slow.end_ms == found.run.end_ms
    assert slow.end_ms < found.calendar.window_end
    assert before.end_ms < found.calendar.window_start
    told = found.gap_hours + STEPS * BASELINE_STEP / 3_600
    assert told == pytest.approx(found.run.hours, rel=0.002)
    assert (slow.end_ms - slow.start_ms) / HOUR == pytest.approx(told + STARTUP / HOUR, rel=0.002)


@pytest.mark.by_day(every=2)
def test_causes_are_as_many_and_as_large_as_the_level_says(found: Incident) -> None:
    settings = found.settings
    assert settings.fewest <= len(found.causes) <= settings.most
    assert all(0.05 <= cause.part <= 0.5 for cause in found.causes)
    assert sum(cause.part for cause in found.causes) == pytest.approx(1.0)
    overlapping = [cause for cause in found.causes if cause.overlaps]
    assert len(overlapping) == (2 if settings.interacting else 0)
    assert all(settings.level in cause.fault.levels for cause in found.causes)
    if settings.level == "junior":
        assert len({cause.fault.component for cause in found.causes}) == 3


@pytest.mark.by_day(every=2)
def test_putting_one_cause_right_gives_back_its_hours(found: Incident) -> None:
    nodes, first = found.training.nodes, found.calendar.first_step
    for cause in found.causes:
        without = walk(rhythm(found.condition.without(cause.key), nodes), first).hours
        given_back = found.run.hours - without
        assert given_back == pytest.approx(cause.alone, abs=0.001)
        if not cause.overlaps:
            # Causes with bursts or ramps meet other steps in a shorter run; that is all.
            assert given_back == pytest.approx(cause.hours, abs=0.01 * found.gap_hours)


@pytest.mark.by_day(but=["mid-11", "mid-5", "senior-1", "senior-11", "senior-5", "senior-7"])
def test_causes_stand_in_different_places_that_the_job_uses(found: Incident) -> None:
    own = {node.name for node in found.training.nodes}
    single = []
    for cause in found.causes:
        nodes = {place.split("/")[0] for place in cause.fault.places()} & own
        if 0 < len(nodes) < len(own):
            single.append(nodes)
    assert sum(len(nodes) for nodes in single) == len(set().union(*single))


def test_no_gpu_runs_two_jobs_at_once(found: Incident) -> None:
    booked: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for job in found.jobs:
        if job.start_ms is None:
            continue
        end = job.end_ms or found.calendar.window_end + HOUR
        assert job.submit_ms <= job.start_ms < end
        for node, indices in job.gpus:
            for index in indices:
                booked.setdefault((node, index), []).append((job.start_ms, end))
    for spans in booked.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert len({job.id for job in found.jobs}) == len(found.jobs)
    assert [job.id for job in found.jobs] == sorted(job.id for job in found.jobs)


def test_herrings_coincide_in_time_and_place_and_cost_nothing(found: Incident) -> None:
    settings = found.settings
    assert len(found.herrings) == settings.herrings
    first = found.calendar.first_step
    in_time = [h for h in found.herrings if h.tie == "time"]
    in_place = [h for h in found.herrings if h.tie == "place"]
    assert len(in_time) >= 2
    assert all(abs(h.at_ms - first) <= 30 * MINUTE for h in in_time)
    assert len(in_place) >= 1
    places = {p.split("/")[0] for cause in found.causes for p in cause.fault.places()}
    own = {node.name for node in found.training.nodes}
    for herring in in_place:
        whole = places & {"job", "lustre"}
        assert (
            herring.host in places
            or whole
            or {h.leaf for n in own for h in found.plant.node(n).hcas}
        )
    plain = rhythm(found.condition.without(*(h.key for h in found.herrings)), found.training.nodes)
    for name in ("compute", "communication", "data"):
        assert np.array_equal(getattr(found.rhythm, name), getattr(plain, name))
    assert (plain.save_every, plain.save_stall) == (
        found.rhythm.save_every,
        found.rhythm.save_stall,
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.by_day(but=["mid", "senior"])
def test_same_seed_is_the_same_truth_and_another_seed_another_answer(level: str) -> None:
    made = [make_incident(DEFAULT, LEVELS[level], seed) for seed in (3, 3, 4, 5, 6)]
    assert made[0].digest() == made[1].digest()
    answers = {tuple((cause.key, *cause.fault.places()) for cause in one.causes) for one in made}
    assert len(answers) == 4
    assert len({one.digest() for one in made}) == 4


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.by_day(but=["senior"])
def test_truth_is_made_in_a_second(level: str) -> None:
    started = time.process_time()
    for seed in range(100, 104):
        make_incident(DEFAULT, LEVELS[level], seed)
    assert (time.process_time() - started) / 4 < 1.0


def test_parts_of_every_step_add_up_to_it() -> None:
    run = make_incident(DEFAULT, LEVELS["senior"], 1).run
    parts = run.compute + run.communication + run.data + run.save + run.jitter + OTHER
    assert np.abs(parts - run.step_s).max() <= 0.001
    assert len(run.starts) == STEPS + 1


@pytest.mark.parametrize(
    ("profile", "level"),
    [
        (Profile(nodes=8, gpus_per_node=4, gpu="A100"), "junior"),
        (Profile(nodes=8), "senior"),
        (Profile(nodes=64, gpu="B200"), "mid"),
        (Profile(nodes=40, gpus_per_node=4, gpu="H200", cluster="Çok iyi!"), "senior"),
    ],
)
@pytest.mark.by_day(every=2)
def test_other_clusters_are_told_as_well(profile: Profile, level: str) -> None:
    for seed in range(3):
        found = make_incident(profile, LEVELS[level], seed)
        assert 14.0 <= found.run.hours + STARTUP / HOUR <= 16.5
        assert len(found.plant.nodes) == min(profile.nodes, MOST_GPUS // profile.gpus_per_node)
        assert found.plant.cluster.isascii()
        assert list(found.traces())
        assert list(found.marks())


def test_condition_of_nothing_is_a_healthy_run() -> None:
    found = make_incident(DEFAULT, LEVELS["junior"], 0)
    nothing = Condition(found.plant, found.calendar, [])
    run = walk(rhythm(nothing, found.training.nodes), found.calendar.first_step)
    assert run.hours == pytest.approx(8.0, rel=1e-6)
