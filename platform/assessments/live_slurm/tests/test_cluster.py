"""A live cluster through its rows: it starts, is worked on, kept, lost, comes back, is checked and graded."""

from __future__ import annotations

import base64
import json
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import answers, attempts, execution
from assessments.live_slurm import keeping
from assessments.models import Attempt, GradingRun, KeptCluster, LiveCluster, Run
from assessments.terminal import endings, sessions
from assessments.terminal.host import Host
from assessments.terminal.tests.terminal_play import ESCAPES
from assessments.tests.stage import POLICIES, Stage, enter, make_stage
from graders.live_slurm.goldens import GOLDENS
from sandbox import Backend, rootfs
from sandbox.tests.conftest import built_root, namespace, shared_state, slurm_root
from scenarios.live_slurm.scene import Scene, draw

__all__ = ["built_root", "namespace", "shared_state", "slurm_root"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("published")]
PACK = "troubleshooting/jobs-do-not-start"


@pytest.fixture
def scene() -> Stage:
    stage = make_stage(timezone.now())
    exercise = stage.exercise
    exercise.pack_name, exercise.kind, exercise.level = PACK, "live-slurm", "junior"
    exercise.save()
    return stage


@pytest.fixture
def ada(scene: Stage) -> Attempt:
    return attempts.start(
        invitation=scene.invitation,
        exercise=scene.exercise,
        policies=POLICIES,
        now=timezone.now() - timedelta(minutes=10),
    )


@pytest.fixture
def hosting(namespace: Backend, slurm_root: rootfs.Root) -> Iterator[Host]:
    host = Host(namespace, 2)
    yield host
    host.close()


class Page:
    """Somebody at the terminal, against a host that is turned by hand."""

    def __init__(self, attempt: Attempt, hosting: Host) -> None:
        self.hosting, self.key, self.number, self.after = hosting, uuid.uuid4(), 0, 0
        self.row = sessions.start(attempt, columns=100, rows=30, now=timezone.now())
        self.screen = ""

    def type(self, text: str) -> None:
        self.number += 1
        typed = sessions.Typed(self.key, self.number, text.encode())
        sessions.type_into(self.row.pk, typed, now=timezone.now())

    def turn(self) -> None:
        self.hosting.turn(timezone.now())
        out = sessions.printed(self.row, self.after, wait=False)
        self.after = out.upto
        self.screen = ESCAPES.sub("", self.screen + out.data.decode("utf-8", "replace"))
        time.sleep(0.02)

    def until(self, come: Callable[[], object], within_s: float = 60) -> None:
        until = time.monotonic() + within_s
        while not come():
            self.row.refresh_from_db()
            told = f"it did not come: {self.screen[-600:]!r} {self.row.state} {self.row.trouble}"
            assert time.monotonic() < until, told
            self.turn()

    def sees(self, text: str, within_s: float = 60) -> None:
        self.until(lambda: text in self.screen, within_s)
        self.screen = self.screen[self.screen.index(text) + len(text) :]

    def says(self, line: str, within_s: float = 60) -> str:
        """Type a line; what it printed."""
        mark = f"done-{time.monotonic_ns()}"
        self.type(f"{line}\recho '{mark[:4]}''{mark[4:]}'\r")
        self.until(lambda: f"\n{mark}" in self.screen, within_s)
        printed, _, self.screen = self.screen.partition(f"\n{mark}")
        return printed


def cluster_of(attempt: Attempt) -> LiveCluster:
    return LiveCluster.objects.get(attempt=attempt)


def tells_nothing(ada: Attempt, scene: Stage, drawn: Scene) -> None:
    """What the page is told is what the cluster's tools say: no fault, no cure, no seed."""
    client = Client()
    enter(client, scene.token)
    text = client.get(reverse("cluster-standing", args=[ada.pk])).content.decode()
    text += client.get(reverse("cluster-checks", args=[ada.pk])).content.decode()
    assert "fold-prod" in text
    for fault in drawn.faults:
        secrets = (fault.name, fault.title, fault.what, *fault.cure)
        assert [one for one in secrets if one in text] == []
    assert str(ada.seed) not in text


def test_a_cluster_is_there_and_comes_back_as_it_was_left(
    ada: Attempt, scene: Stage, hosting: Host
) -> None:
    deadline = ada.deadline_at
    page = Page(ada, hosting)
    page.sees("[candidate@ctl ~]$ ")
    drawn, waits = draw("junior", ada.seed), cluster_of(ada)
    assert set(waits.begun["waiting"]) == {job.name for job in [*drawn.wide, *drawn.waiting]}
    page.until(lambda: cluster_of(ada).view)
    view = cluster_of(ada).view
    assert [node["name"] for node in view["nodes"]] == [
        f"gpu-n00{number}" for number in range(1, 7)
    ]
    prod = view["nodes"][5]
    assert (prod["gpus"], prod["used"]) == (8, 8)
    assert "fold-prod" in {job["name"] for job in view["jobs"]}
    tells_nothing(ada, scene, drawn)
    assert "gpu-n006" in page.says("squeue -h -n fold-prod -o %N")
    # What was begun in the shell stays when the page asks for another one.
    page.says("echo mine > ~/scratch/mine; echo '# mine' >> ~/etc/slurm/slurm.conf")
    keeping.want(ada, now=timezone.now())
    page.until(lambda: cluster_of(ada).wanted_at is None)
    asked_again = sessions.start(ada, columns=80, rows=24, now=timezone.now())
    assert asked_again.pk == page.row.pk
    assert page.row.commands.all()[0].line.startswith("squeue -h")
    # The host is lost, and noticed a minute later.
    hosting.close()
    lost = timezone.now()
    row = ada.terminal_sessions.get()
    assert row.ending == endings.LOST
    ada.terminal_sessions.update(seen_at=lost - timedelta(seconds=60), ended_at=lost)
    again = Page(ada, hosting)
    again.sees("[candidate@ctl ~]$ ", 90)
    assert "mine" in again.says("cat ~/scratch/mine; tail -n 1 ~/etc/slurm/slurm.conf")
    assert "fold-prod" in again.says("squeue -h -o %j")
    ada.refresh_from_db()
    assert cluster_of(ada).came_back == 1
    assert ada.deadline_at - deadline >= timedelta(seconds=59)
    assert ada.time_events.filter(reason=keeping.AWAY, lost_until=lost).exists()


@pytest.mark.nightly  # by day the one above has a cluster come back
def test_an_idle_cluster_sleeps_wakes_and_is_there_in_the_revision(
    ada: Attempt, scene: Stage, hosting: Host
) -> None:
    page, drawn = Page(ada, hosting), draw("junior", ada.seed)
    page.sees("[candidate@ctl ~]$ ")
    page.says("echo slept > ~/scratch/mine")
    deadline = ada.deadline_at
    ada.terminal_sessions.update(typed_at=timezone.now() - timedelta(minutes=endings.IDLE_MIN + 1))
    page.until(lambda: page.row.state == "ended", 120)
    assert page.row.ending == endings.IDLE
    awake = Page(ada, hosting)
    awake.sees("[candidate@ctl ~]$ ", 90)
    assert "slept" in awake.says("cat ~/scratch/mine")
    assert "fold-prod" in awake.says("squeue -h -o %j")
    ada.refresh_from_db()
    # To sleep is nobody's failure: no time is given back for it.
    assert ada.deadline_at - deadline < timedelta(seconds=30)
    cure = base64.b64encode(GOLDENS["expert"](drawn).encode()).decode()
    awake.type(f"base64 -d > fix.sh <<'E'\r{cure}\rE\r")
    awake.says("bash fix.sh; echo mended > ~/scratch/mine", 300)
    now = timezone.now()
    attempts.submit(ada.pk, client=uuid.uuid4(), seq=1, base=None, body=body_of(ada), now=now)
    awake.until(lambda: awake.row.state == "ended", 120)
    attempts.open_revision(
        ada.pk,
        strength="Looks first.",
        improvement="Say what would have prevented it.",
        focus="",
        start_now=True,
        by=scene.ines,
        now=timezone.now(),
    )
    ada.refresh_from_db()
    second = Page(ada, hosting)
    second.sees("[candidate@ctl ~]$ ", 90)
    assert second.row.round == 2
    assert "mended" in second.says("cat ~/scratch/mine")
    for edit in drawn.edits(unread=False):
        assert edit.harmless or edit.put not in second.says(f"cat ~/etc/slurm/{edit.file}")


def body_of(attempt: Attempt) -> dict[str, dict[str, str]]:
    body = answers.starting_body(attempt)
    return {**body, "sections": body["sections"] | {"issues": "slurm.conf"}}


def written(attempt: Attempt, drawn: Scene) -> dict[str, dict[str, str]]:
    """What an expert writes beside the cluster."""
    issues = "\n\n".join(f"{one.title}. {one.what}" for one in drawn.faults)
    prevention = "\n\n".join(
        f"An alert, and a check of {one.about.split('|')[0].strip('*').replace(' ~', ' of')}. {one.prevent}"
        for one in drawn.faults
    )
    body = body_of(attempt)
    return {**body, "sections": body["sections"] | {"issues": issues, "prevention": prevention}}


@pytest.mark.nightly
def test_what_an_expert_leaves_is_checked_and_graded(
    ada: Attempt, scene: Stage, hosting: Host, namespace: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "sandbox", lambda: namespace)
    page = Page(ada, hosting)
    page.sees("[candidate@ctl ~]$ ")
    drawn: Scene = draw("junior", ada.seed)
    client = Client()
    enter(client, scene.token)
    of = {"client": str(uuid.uuid4()), "seq": 1, "base": None, "body": body_of(ada)}
    asked = client.post(
        reverse("cluster-checks", args=[ada.pk]), of, content_type="application/json"
    )
    assert asked.status_code == 202, asked.content
    page.until(lambda: cluster_of(ada).wanted_at is None)
    execution.execute_run(asked.json()["id"])
    first = Run.objects.get(pk=asked.json()["id"])
    assert (first.result, first.detail) == (
        "done",
        f"0 of {len(drawn.waiting)} waiting jobs would start.",
    )
    script = GOLDENS["expert"](drawn)
    page.type(f"base64 -d > fix.sh <<'E'\r{base64.b64encode(script.encode()).decode()}\rE\r")
    page.says("bash fix.sh", 300)
    until = timezone.now() + timedelta(seconds=15)
    page.until(lambda: timezone.now() > until)
    body = written(ada, drawn)
    attempts.submit(ada.pk, client=uuid.uuid4(), seq=2, base=None, body=body, now=timezone.now())
    page.until(lambda: page.row.state == "ended", 120)
    assert page.row.ending == endings.OVER
    assert KeptCluster.objects.filter(is_final=True).count() == 1
    run = GradingRun.objects.get()
    assert execution.execute_grading(run.pk)
    run.refresh_from_db()
    assert run.report is not None
    assert (run.result, run.trouble) == ("done", "")
    assert run.report["score"] >= 0.95, json.dumps(run.report["evidence"])[:4000]


def test_a_cluster_that_nobody_started_is_handed_in_as_nothing(ada: Attempt) -> None:
    found = answers.program(ada, body_of(ada))
    assert [*found] == ["answer.json"]
    assert keeping.handed(ada, 1, clock=timezone.now) is None
    assert not keeping.want(ada, now=timezone.now())


def test_strangers_and_other_kinds_have_no_cluster(ada: Attempt, scene: Stage) -> None:
    address = reverse("cluster-standing", args=[ada.pk])
    assert Client().get(address).status_code == 401
    client = Client()
    enter(client, scene.token)
    told = client.get(address).json()
    assert (told["ready"], told["nodes"], told["looks"]) == (False, [], [])
    refused = client.post(
        reverse("cluster-checks", args=[ada.pk]),
        {"client": str(uuid.uuid4()), "seq": 1, "base": None, "body": body_of(ada)},
        content_type="application/json",
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "no_cluster")
    scene.exercise.kind = "cost"
    scene.exercise.save()
    assert client.get(address).status_code == 404
