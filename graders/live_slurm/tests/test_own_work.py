"""Questions about the own work on a cluster: right by construction, of several topics, and no gift."""

from __future__ import annotations

import pytest

from graders.kinds import Asked
from graders.live_slurm.course import Begun
from graders.live_slurm.handed import CLUSTER, Handed
from graders.live_slurm.reading import Seen
from graders.own_work import NUMBER, Asker, Own, Question, asker_of, questions_of
from scenarios.live_slurm.scene import LEVELS, Scene, draw
from scenarios.packs import load_pack

PACK = "troubleshooting/jobs-do-not-start"


def own(scene: Scene, lines: list[str], began: set[str]) -> Own:
    """The answer of somebody who ran these lines, after which these jobs had begun."""
    waiting = {job.name: number for number, job in enumerate(scene.waiting, start=10)}
    seen = [
        Seen(number, name, "", "COMPLETED" if name in began else "PENDING", "", 0, "")
        for name, number in waiting.items()
    ]
    begun = Begun(1.0, {}, dict(waiting), {}, {})
    handed = Handed(begun, "", seen, 0, [(float(at), line) for at, line in enumerate(lines)])
    return Own(Asked(load_pack(PACK), scene.level, scene.seed, {CLUSTER: handed.to_json()}))


def expert(scene: Scene) -> Own:
    lines = [line for fault in scene.faults for line in fault.cure]
    return own(scene, lines, {job.name for job in scene.waiting})


@pytest.mark.parametrize("level", LEVELS)
def test_most_who_mended_everything_are_asked(level: str) -> None:
    asked = [questions_of(expert(draw(level, seed))) for seed in range(20)]
    assert sum(len(one) >= 2 for one in asked) >= 16
    assert {one.topic for found in asked for one in found} >= {"kept", "without"}


def test_what_is_right_follows_from_the_faults() -> None:
    for seed in range(10):
        scene = draw("senior", seed)
        for one in questions_of(expert(scene)):
            fault = one.key.partition("/")[2]
            if one.form == NUMBER:
                right = sum(job.fault != fault for job in scene.waiting)
                assert one.right == right
            elif one.topic == "kept":
                _held_by(scene, one, fault)


def _held_by(scene: Scene, one: Question, fault: str) -> None:
    asked = {f"{job.user}: sbatch {job.args}": job.fault for job in scene.waiting}
    chosen = dict(one.options)
    assert asked[chosen[str(one.right)]] == fault
    wrong = [text for key, text in one.options if key != one.right]
    assert all(asked.get(text) != fault for text in wrong)


def test_what_is_lost_at_a_restart_is_told_from_what_stays() -> None:
    lines = [
        "scontrol update PartitionName=train MaxTime=2-00:00:00",
        "sed -i s/a/b/ ~/etc/slurm/slurm.conf",
        "scontrol update NodeName=gpu-n002 State=RESUME",
        "mkdir -p ~/scratch/gpu-n003",
    ]
    found = list(_asker().proposed(own(draw("mid", 1), lines, set())))
    [one] = [one for one in found if one.topic == "lost"]
    assert dict(one.options)[str(one.right)] == lines[0]


def test_nobody_is_asked_about_what_they_did_not_mend() -> None:
    scene = draw("senior", 3)
    assert questions_of(own(scene, ["squeue", "sinfo"], set())) == []
    assert questions_of(Own(Asked(load_pack(PACK), "mid", 1, {}))) == []


def _asker() -> Asker:
    found = asker_of(PACK)
    assert found is not None
    return found
