"""Each fault alone on a real cluster: it stops what it says, its cure lets it start, and the cure lasts."""

from __future__ import annotations

import pytest

from graders.live_slurm import course
from graders.live_slurm.goldens import GOLDENS
from graders.live_slurm.grading import sandboxed
from graders.live_slurm.orders import Course, Order
from graders.live_slurm.reading import started
from graders.live_slurm.tests.clusters import backend, played, score
from graders.live_slurm.watching import look
from sandbox import Backend
from scenarios.live_slurm.faults import NAMES, fault_of
from scenarios.live_slurm.scene import LEVELS, Scene, draw, scene_of

__all__ = ["backend"]


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_a_fault_stops_its_jobs_until_it_is_cured(name: str, backend: Backend) -> None:
    scene = scene_of([name])
    idle, nothing = played(backend, scene, "nothing")
    assert score(nothing) == 0.0, (idle.after, idle.refused)
    cured, expert = played(backend, scene, "expert")
    assert score(expert) >= 0.95, (expert, cured.printed, cured.after, cured.refused)
    assert cured.comes_back


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in NAMES if scene_of([name]).wide])
def test_to_cancel_whoever_comes_first_mends_nothing(
    name: str, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = scene_of([name])
    cancelled = f"scancel -n {scene.wide[0].name}\n"
    monkeypatch.setitem(GOLDENS, "canceller_of_one", lambda scene: cancelled)
    _, measures = played(backend, scene, "canceller_of_one")
    values = {one.measure.key: one.value for one in measures}
    assert values["stay"] == 0.0
    assert values["unharmed"] < 100.0


@pytest.mark.by_day("level,seed", [("senior", 1)])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("level", LEVELS)
def test_nobody_who_waits_for_a_fault_starts_before_it_is_mended(
    level: str, seed: int, backend: Backend
) -> None:
    scene = draw(level, seed)
    outcome, found = sandboxed(backend, waiting_for_nothing(scene))
    assert found is not None, outcome
    ready_s, began = found
    assert began == set()
    assert ready_s < 30.0


def waiting_for_nothing(scene: Scene) -> Course[tuple[float, set[str]]]:
    """How long the cluster took, and who began in five seconds in which nobody did anything."""
    begun = yield from course.begin(scene)
    yield Order("sleep 5")
    seen = yield from look()
    names = {number: name for name, number in begun.waiting.items() if number}
    return begun.ready_s, {names[number] for number in started(seen, names)}


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in NAMES if fault_of(name).running])
def test_what_is_mended_only_while_it_runs_is_lost_at_a_restart(
    name: str, backend: Backend
) -> None:
    seen, measures = played(backend, scene_of([name]), "running_only")
    values = {one.measure.key: one.value for one in measures}
    assert values["start"] == 100.0, (seen.printed, seen.after)
    assert values["stay"] < 100.0
    assert score(measures) <= 0.7
