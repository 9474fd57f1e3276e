"""What is kept of a cluster, and how whoever grades or checks it waits for that."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.utils import timezone

from assessments import attempts
from assessments.live_slurm import keeping
from assessments.live_slurm.box import Box, Ready, Stored
from assessments.models import Attempt, LiveCluster, TerminalSession
from assessments.terminal import endings, sessions
from assessments.tests.stage import POLICIES, Stage, make_stage
from graders.live_slurm.course import Begun
from graders.live_slurm.living import Kept, Node, View
from graders.live_slurm.reading import Seen

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("published")]
BEGUN = Begun(0.2, {"fold-prod": 1}, {"a": 2}, {}, {"slurm.conf": ""})
JOB = Seen(1, "fold-prod", "emil", "RUNNING", "", 0, "gpu-n006")


@pytest.fixture
def scene() -> Stage:
    stage = make_stage(timezone.now())
    exercise = stage.exercise
    exercise.pack_name, exercise.kind = "troubleshooting/jobs-do-not-start", "live-slurm"
    exercise.save()
    return stage


@pytest.fixture
def session(scene: Stage) -> TerminalSession:
    """Asked for two seconds ago, and live."""
    now = timezone.now()
    ada = attempts.start(
        invitation=scene.invitation,
        exercise=scene.exercise,
        policies=POLICIES,
        now=now - timedelta(minutes=10),
    )
    row = sessions.start(ada, columns=80, rows=24, now=now - timedelta(seconds=2))
    row.state, row.seen_at = TerminalSession.State.LIVE, now
    row.save()
    return row


def ready(session: TerminalSession) -> LiveCluster:
    keeping.is_ready(session, Ready(BEGUN, [JOB]), now=timezone.now())
    return LiveCluster.objects.get(attempt=session.attempt)


def keep(cluster: LiveCluster, files: str, *, final: bool = False, wished: bool = False) -> None:
    kept = Stored(Kept(files, [JOB], final), wished)
    keeping.stored(cluster, 1, kept, now=timezone.now())


def test_only_the_newest_are_kept_and_the_last_of_all_stays(session: TerminalSession) -> None:
    cluster = ready(session)
    keep(cluster, "final of before", final=True)
    for number in range(6):
        keep(cluster, f"kept {number}")
    files = list(cluster.kept.values_list("files", flat=True))
    assert files == ["final of before", "kept 3", "kept 4", "kept 5"]
    newest = keeping.newest(session.attempt)
    assert newest is not None
    assert newest.files == "kept 5"


def test_a_check_waits_until_the_cluster_was_kept_for_it(session: TerminalSession) -> None:
    cluster = ready(session)
    keep(cluster, "before")
    keeping.want(session.attempt, now=timezone.now())
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        keep(cluster, "by itself" if len(slept) < 3 else "as wished", wished=len(slept) == 3)

    found = keeping.handed(session.attempt, clock=timezone.now, sleep=sleep)
    assert found is not None
    assert (found.files, found.seen, len(slept)) == ("as wished", [JOB], 3)


def test_a_grade_waits_until_the_cluster_is_let_go_and_says_where_it_is_not(
    session: TerminalSession,
) -> None:
    cluster = ready(session)
    keep(cluster, "early")
    with pytest.raises(keeping.NotKept):
        keeping.handed(session.attempt, 1, clock=timezone.now, sleep=lambda seconds: None)

    def let_go(seconds: float) -> None:
        keep(cluster, "late", final=True)
        sessions.end(TerminalSession.objects.all(), endings.OVER, now=timezone.now())

    found = keeping.handed(session.attempt, 1, clock=timezone.now, sleep=let_go)
    assert found is not None
    assert found.files == "late"
    assert asdict(found.begun) == asdict(BEGUN)


def test_a_slow_start_is_given_back_and_a_quick_one_is_not(session: TerminalSession) -> None:
    attempt = Attempt.objects.get(pk=session.attempt_id)
    deadline = attempt.deadline_at
    ready(session)
    attempt.refresh_from_db()
    assert attempt.deadline_at == deadline
    session.asked_at = timezone.now() - timedelta(seconds=40)
    ready(session)
    attempt.refresh_from_db()
    assert timedelta(seconds=39) < attempt.deadline_at - deadline < timedelta(seconds=60)
    assert LiveCluster.objects.get(attempt=attempt).came_back == 1


def test_a_look_is_stored_where_something_is_new(session: TerminalSession) -> None:
    cluster, now = ready(session), timezone.now()
    one = View([Node("gpu-n001", "MIXED", 8, 6, "")], [{"id": "1", "state": "RUNNING"}])
    for after in (0, 2, 4):
        keeping.viewed(cluster, one, now=now + timedelta(seconds=after))
    other = View([Node("gpu-n001", "MIXED+DRAIN", 8, 6, "scratch")], one.jobs)
    keeping.viewed(cluster, other, now=now + timedelta(seconds=6))
    keeping.viewed(cluster, other, now=now + timedelta(seconds=60))
    rows = [(look.up, look.gpus) for look in cluster.looks.all()]
    assert rows == [(1, 6), (0, 6), (0, 6)]


@pytest.mark.parametrize(
    ("state", "takes"),
    [
        ("IDLE", True),
        ("MIXED", True),
        ("ALLOCATED", True),
        ("MIXED+DRAIN", False),
        ("IDLE*", False),
        ("DOWN", False),
        ("", False),
    ],
)
def test_which_nodes_take_jobs(state: str, takes: bool) -> None:
    assert keeping.takes_jobs(state) is takes


def test_a_wish_is_answered_by_the_keeping_that_follows_it() -> None:
    opened: list[uuid.UUID] = []
    box = Box(lambda: opened.append(uuid.uuid4()))
    box.ready(BEGUN, [])
    assert len(opened) == 1
    box.kept(Kept("1", []))
    box.wish()
    box.kept(Kept("2", []))
    assert box.wants_keeping()
    assert not box.wants_keeping()
    box.kept(Kept("3", []))
    found = [one for one in box.take() if isinstance(one, Stored)]
    assert [(one.kept.files, one.wished) for one in found] == [
        ("1", False),
        ("2", False),
        ("3", True),
    ]
    assert not box.has_ended
    box.kept(Kept("4", [], final=True))
    assert box.has_ended
