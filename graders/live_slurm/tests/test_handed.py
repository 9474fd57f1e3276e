"""A cluster as somebody left it, judged by what was seen then and what came of it on a copy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from graders.live_slurm.assess import harm
from graders.live_slurm.course import Begun
from graders.live_slurm.handed import Checked, Handed, handed_from, merged, untouched
from graders.live_slurm.living import Keeper, Kept, View, living, view
from graders.live_slurm.orders import Course, Order, Said
from graders.live_slurm.reading import Seen
from graders.live_slurm.tests.test_assess import course
from scenarios.live_slurm.scene import scene_of

SCENE = scene_of(["max-nodes"])


def job(number: int, state: str, restarts: int = 0) -> Seen:
    return Seen(number, f"job-{number}", "ana", state, "", restarts, "gpu-n001")


def handed(*seen: Seen, came_back: int = 0) -> Handed:
    begun = Begun(0.2, {"vit-pretrain": 1}, {"a": 2, "b": 3, "c": None}, {"c": "no"}, {"x": "y\n"})
    return Handed(begun, "H4sI", list(seen), came_back, [(1.5, "squeue — 1")])


def test_what_is_handed_in_survives_json_and_nothing_else_is_taken() -> None:
    one = handed(job(1, "RUNNING"), came_back=2)
    assert handed_from(one.to_json()) == one
    for text in ("{}", "[]", '{"begun": {"ready_s": 1}}', '{"begun": null}'):
        with pytest.raises(ValueError, match=r"cluster\.json holds no cluster"):
            handed_from(text)


def test_who_ran_is_judged_as_left_and_who_waited_by_what_came_of_it() -> None:
    left = handed(job(1, "RUNNING"), job(2, "PENDING"), job(3, "CANCELLED"), job(9, "PENDING"))
    copy = [job(1, "RUNNING", 1), job(2, "COMPLETED"), job(3, "CANCELLED"), job(9, "COMPLETED")]
    found = merged(left, {"a": 2, "b": 3, "c": 7}, [*copy, job(7, "RUNNING")])
    assert {one.number: (one.state, one.restarts) for one in found} == {
        1: ("RUNNING", 0),
        2: ("COMPLETED", 0),
        3: ("CANCELLED", 0),
        7: ("RUNNING", 0),
        9: ("PENDING", 0),
    }


def test_where_the_controller_was_down_the_copy_alone_tells() -> None:
    later = [job(1, "RUNNING", 1)]
    assert merged(handed(), {"a": 2}, later) == later


def test_a_job_that_our_own_host_began_again_was_harmed_by_nobody() -> None:
    played = replace(
        course(SCENE, 0), running={run.name: 100 + at for at, run in enumerate(SCENE.running)}
    )
    theirs = [
        Seen(number, name, "ana", "RUNNING", "", 1, "") for name, number in played.running.items()
    ]
    seen = replace(played, after=[*played.after, *theirs])
    assert len(harm(SCENE, seen).lost) == len(SCENE.running)
    assert harm(SCENE, replace(seen, came_back=1)).lost == ()


def test_that_the_copy_was_started_anew_mends_nothing_that_a_restart_mends() -> None:
    """Doing nothing is worth nothing, also where the fault goes away with the daemons."""
    scene = scene_of(["conf-never-read", "max-nodes"])
    assert [fault.restart_cures for fault in scene.faults] == [True, False]
    numbers = {one.name: 10 + at for at, one in enumerate(scene.waiting)}
    begun = Begun(0.2, {}, {**numbers}, {}, {})
    waits = [job(number, "PENDING") for number in numbers.values()]
    assert untouched(scene, Handed(begun, "", waits)) == {"conf-never-read"}
    done = [job(number, "COMPLETED") for number in numbers.values()]
    assert untouched(scene, Handed(begun, "", done)) == set()
    [first] = [one.name for one in scene.waiting if one.fault == "conf-never-read"]
    found = merged(Handed(begun, "", waits), {**numbers}, done, {first})
    assert [one.number for one in found if one.state == "PENDING"] == [numbers[first]]


def test_a_check_tells_two_numbers_and_no_name() -> None:
    assert Checked(12, 15).told == "12 of 15 waiting jobs would start."


NODES = (
    "NodeName=gpu-n001 Gres=gpu:h100:8 GresDrain=N/A GresUsed=gpu:h100:6(IDX:0-5) State=MIXED+DRAIN "
    "Reason=scratch full [candidate@2026-11-23T15:00:00]\n"
)
JOBS = (
    "JobId=7 JobName=tune UserId=bela(64002) JobState=PENDING Reason=PartitionNodeLimit Partition=train "
    "NodeList=(null) NumNodes=2 TresPerNode=gres:gpu:4 \n"
    "JobId=8 JobName=done UserId=bela(64002) JobState=COMPLETED Reason=None Partition=train \n"
)


def answered(course: Course[View], out: str) -> View:
    next(course)
    try:
        course.send(Said(0, out, ""))
    except StopIteration as end:
        found: View = end.value
        return found
    raise AssertionError("a view is one order")


def test_a_view_is_what_the_clusters_own_tools_say() -> None:
    found = answered(view(), f"{NODES}==> headnode jobs <==\n{JOBS}")
    [node] = found.nodes
    assert (node.name, node.state, node.used, node.gpus) == ("gpu-n001", "MIXED+DRAIN", 6, 8)
    assert node.reason == "scratch full"
    [waits] = found.jobs
    assert (waits["id"], waits["user"], waits["gpus"]) == ("7", "bela", "4")
    assert waits["where"] == "PartitionNodeLimit"
    assert answered(view(), "==> headnode jobs <==\n") == View([], [])


class Desk(Keeper):
    """A keeper that lets the cluster live for some looks, and wants it kept after the first."""

    def __init__(self, looks: int) -> None:
        self.looks, self.wanted = looks, True
        self.told: list[str] = []

    def ready(self, begun: Begun, seen: list[Seen]) -> None:
        self.told.append("ready")

    def viewed(self, view: View) -> None:
        self.told.append("viewed")
        self.looks -= 1

    def kept(self, kept: Kept) -> None:
        self.told.append("final" if kept.final else "kept")

    def wants_keeping(self) -> bool:
        wanted, self.wanted = self.wanted, False
        return wanted

    def wants_end(self) -> bool:
        return self.looks <= 0


def played(course: Course[bool], files: str) -> Iterable[Order]:
    """Answers each order as a quiet cluster would; the orders."""
    said: Said | None = None
    while True:
        try:
            order = next(course) if said is None else course.send(said)
        except StopIteration:
            return
        yield order
        out = files if "snapshot.py save" in order.run else NODES
        said = Said(0, out, "")


def test_a_kept_cluster_lives_on_and_is_kept_when_wanted_and_at_its_end() -> None:
    desk, begun = Desk(3), handed().begun
    orders = [*played(living(SCENE, desk, (begun, "kept before"), lambda: 0.0), "H4sI")]
    assert desk.told == ["ready", "viewed", "kept", "viewed", "viewed", "final"]
    assert orders[0].files["/box/run/kept"] == "kept before"
    stops = [at for at, order in enumerate(orders) if "service slurmctld stop" in order.run]
    assert stops == [len(orders) - 2]


def test_files_that_cannot_be_kept_leave_what_was_kept_before() -> None:
    desk = Desk(2)
    orders = [*played(living(SCENE, desk, (handed().begun, "x"), lambda: 0.0), "")]
    assert desk.told == ["ready", "viewed", "viewed"]
    assert orders
