"""How long people waited while somebody worked."""

from __future__ import annotations

from dataclasses import replace

from graders.live_slurm import waits
from graders.live_slurm.course import Played
from graders.live_slurm.reading import Seen, jobs
from graders.live_slurm.tests.test_assess import course
from sandbox.roots import declared
from scenarios.live_slurm.scene import TEAMS, scene_of

SCENE = scene_of(["max-nodes"])
"""Three jobs of bela's wait."""


def played(*after: Seen, left_at: float = 1100.0) -> Played:
    names = [job.name for job in SCENE.waiting]
    waiting: dict[str, int | None] = {names[0]: 10, names[1]: 11, names[2]: None}
    seen = replace(course(SCENE, 0), waiting=waiting, refused={names[2]: "no"})
    return replace(seen, after=list(after), left_at=left_at)


def job(number: int, name: str, user: str, state: str, submitted: float, began: float) -> Seen:
    return Seen(number, name, user, state, "", 0, "", submitted, began)


def test_teams_are_those_of_the_clusters_own_people() -> None:
    assert dict(declared("slurm").people) == TEAMS


def test_who_began_waited_until_then_and_who_did_not_until_the_end() -> None:
    found = waits.row(
        SCENE,
        played(
            job(10, "one", "bela", "RUNNING", 1000.0, 1030.0),
            job(11, "two", "bela", "PENDING", 1000.0, 0.0),
            job(40, "gus-small-1", "gus", "COMPLETED", 1050.0, 1052.0),
            # Before there was anything to mend.
            job(3, "gus-small-0", "gus", "COMPLETED", 990.0, 991.0),
            job(41, "mine", "candidate", "PENDING", 1001.0, 0.0),
        ),
        lost=(),
    )
    teams = {one["team"]: one for one in found["rows"]}
    # bela's third was refused, which is to wait as well.
    assert (teams["vision"]["jobs"], teams["vision"]["began"]) == (3, 1)
    assert (teams["vision"]["minutes"], teams["vision"]["longest"]) == (230.0, 100.0)
    assert (teams["students"]["jobs"], teams["students"]["minutes"]) == (1, 2.0)
    assert found["all"]["minutes"] == 232.0
    assert found["protected"]["team"] == "protein"
    assert found["protected"]["goes_on"]


def test_what_begins_only_while_it_is_judged_waited_until_the_cluster_was_left() -> None:
    late = job(10, "one", "bela", "COMPLETED", 1000.0, 1120.0)
    refused_until_then = job(12, "three", "bela", "COMPLETED", 1110.0, 1111.0)
    seen = played(late, refused_until_then)
    numbers = {**seen.waiting, [job.name for job in SCENE.waiting][2]: 12}
    found = waits.row(SCENE, replace(seen, waiting=numbers, refused={}), lost=("fold-prod",))
    assert found["all"]["began"] == 0
    assert [round(one.minutes) for one in waits.waits(SCENE, seen)][:1] == [100]
    assert not found["protected"]["goes_on"]


def test_times_are_read_as_slurm_tells_them() -> None:
    line = (
        "JobId=7 JobName=x UserId=ana(1) JobState={} Reason=None SubmitTime=1970-01-01T00:01:40"
        " StartTime=1970-01-01T00:02:00 EndTime=Unknown"
    )
    [runs] = jobs(line.format("RUNNING"))
    assert (runs.submitted, runs.began) == (100.0, 120.0)
    [waiting] = jobs(line.format("PENDING"))
    assert waiting.began == 0.0
