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


def test_hidden_jobs_say_where_and_how_soon_they_began() -> None:
    scene = scene_of(["max-nodes"])
    [first] = [job.name for job in scene.probes(1) if job.fault]
    played = course(scene, 0)
    seen = Seen(90, first, "bela", "COMPLETED", "", 0, "gpu-n[002-003]", 100.0, 103.0)
    at_work = {job.name: 100 + number for number, job in enumerate(scene.running)}
    played = replace(played, running=at_work, now=replace(played.now, seen={first: seen}))
    _, evidence = assess(scene, played, [])
    rows = {row["kind"]: row for row in evidence}
    [hidden] = [one for one in rows["battery"]["rows"] if one["fault"]]
    assert hidden["asks"] == "bela: sbatch -N 2 --gres=gpu:1 -t 6:00:00"
    assert hidden["now"] == {"began": True, "where": "gpu-n[002-003]", "after_s": 3.0}
    assert rows["effects"]["rows"] == rows["events"]["rows"] == []
    assert rows["waits"]["all"]["jobs"] == len(scene.waiting)
