"""A cluster that is kept comes back in another sandbox as it was: its files, its queue, its nodes."""

from __future__ import annotations

import pytest

from graders.live_slurm import course
from graders.live_slurm.events import MARK, Event, effects, events, events_before
from graders.live_slurm.grading import sandboxed
from graders.live_slurm.keeping import come_back, keep
from graders.live_slurm.orders import Course, Order
from graders.live_slurm.reading import Seen
from graders.live_slurm.tests.clusters import backend
from graders.live_slurm.watching import look
from sandbox import Backend
from scenarios.live_slurm.scene import scene_of

__all__ = ["backend"]

SCENE = scene_of(["partition-max-time", "down-and-forgotten"])


def leaving() -> Course[tuple[str, list[Seen]]]:
    """A broken cluster, kept when somebody has mended one thing of two."""
    yield from course.begin(SCENE)
    yield MARK
    yield Order("scontrol update NodeName=gpu-n003 State=DRAIN Reason=looking")
    yield Order("sed -i 's/MaxTime=60 /MaxTime=2-00:00:00 /' ~/etc/slurm/slurm.conf")
    # The controller writes its memory down some seconds after it has changed.
    yield Order("sleep 6")
    text = yield from keep()
    seen = yield from look()
    return text, seen


def returning(kept: str) -> Course[tuple[list[Seen], str, list[Event], list[Event]]]:
    seen = yield from come_back(kept)
    before, since = (yield from events_before()), (yield from events())
    said = yield Order("grep ^PartitionName=train ~/etc/slurm/slurm.conf; sinfo -h -N -o '%N %T'")
    return seen, said.out, before, since


@pytest.mark.nightly
def test_a_kept_cluster_comes_back_with_its_queue(backend: Backend) -> None:
    outcome, left = sandboxed(backend, leaving())
    assert left is not None, outcome
    kept, before = left
    outcome, back = sandboxed(backend, returning(kept))
    assert back is not None, outcome
    seen, said, before_it, in_all = back
    assert {one.number for one in seen} == {one.number for one in before}
    assert {one.name: one.user for one in seen} == {one.name: one.user for one in before}
    assert "MaxTime=2-00:00:00" in said
    [node] = [one for one in SCENE.faults[1].touches if one.startswith("node:")]
    assert f"{node.removeprefix('node:')} drained" in said
    # What the log told goes along; how the cluster began, and that it came back, is nobody's work.
    assert [one.what for one in effects(before_it, ())] == ["nodes changed"]
    assert in_all == before_it
    assert not any("slurmctld version" in one.text for one in in_all)
