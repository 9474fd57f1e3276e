"""Measures of a course that was told, not played."""

from __future__ import annotations

from dataclasses import replace

from graders.live_slurm.assess import assess, mended
from graders.live_slurm.course import Battery, Played
from graders.live_slurm.reading import Seen
from graders.live_slurm.told import STATE
from scenarios.live_slurm.scene import Scene, scene_of
from scenarios.packs import load_pack


def course(scene: Scene, begun: int) -> Played:
    """A course in which all hidden jobs ran, and of those who wait the first `begun`."""
    waiting = {job.name: 10 + index for index, job in enumerate(scene.waiting)}
    after = [
        Seen(number, name, "dora", "COMPLETED" if number < 10 + begun else "PENDING", "", 0, "")
        for name, number in waiting.items()
    ]
    first, second = (frozenset(job.name for job in scene.probes(turn)) for turn in (1, 2))
    return Played(
        ready_s=0.2,
        running={},
        waiting={**waiting},
        refused={},
        before=[],
        after=after,
        last=after,
        now=Battery(first, first),
        restarted=Battery(second, second),
        commands=[],
        printed="",
        ended=0,
        files_before={},
        files_after={},
    )


def test_where_hidden_jobs_are_of_another_kind_those_who_wait_have_to_begin_as_well() -> None:
    """A dependency is a job's own: hidden jobs without one begin in any case, and show nothing."""
    scene = scene_of(["dependency-never"])
    assert mended(scene, course(scene, 0)) == {"dependency-never": (0.0, 0.0)}
    assert mended(scene, course(scene, 3)) == {"dependency-never": (1.0, 1.0)}


def test_a_limit_that_is_lifted_is_mended_whoever_waited() -> None:
    scene = scene_of(["max-nodes"])
    assert mended(scene, course(scene, 0)) == {"max-nodes": (1.0, 1.0)}


def test_what_comes_back_at_a_restart_does_not_stay() -> None:
    scene = scene_of(["max-nodes"])
    at_work = {job.name: 100 + number for number, job in enumerate(scene.running)}
    played = replace(course(scene, len(scene.waiting)), running=at_work)
    state = [
        one
        for one in load_pack("troubleshooting/jobs-do-not-start").measures("mid")
        if one.key in STATE
    ]
    kept, _ = assess(scene, played, state)
    lost, _ = assess(
        scene, replace(played, restarted=Battery(played.restarted.names, frozenset())), state
    )
    at = [one.key for one in state].index("stay")
    assert (kept[at].value, lost[at].value) == (100.0, 0.0)
