"""The course of the work on a live cluster, the key, and what is hidden until the own scorecard is in."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from assessments import answers, attempts
from assessments.models import Attempt, ClusterLook, GradingRun, LiveCluster, TerminalSession
from assessments.tests.stage import NOW, POLICIES, Stage, hand_in
from reviews.evidence.corrections import Corrected
from reviews.evidence.live_slurm import KIND, course
from reviews.scoring.evaluations import assign
from scenarios.live_slurm.scene import draw

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("published")]
FAULT = {
    "kind": "fault",
    "key": "max-nodes",
    "family": "partitions",
    "title": "One node a job",
    "what": "MaxNodes=1 was put on train.",
    "mended": True,
    "stays": False,
}
TEAM = {"team": "vision", "jobs": 3, "began": 2, "minutes": 130.2, "longest": 70.0}
NOBODY = {"team": "protein", "jobs": 0, "began": 0, "minutes": 0.0, "longest": 0.0}
OTHERS = [
    {
        "kind": "battery",
        "rows": [
            {
                "fault": "One node a job",
                "asks": "bela: sbatch -N 2",
                "now": {"began": True, "where": "gpu-n002", "after_s": 3.0},
                "restarted": {"began": False, "reason": "PartitionNodeLimit"},
            }
        ],
    },
    {
        "kind": "waits",
        "rows": [TEAM, NOBODY],
        "all": TEAM | {"team": ""},
        "protected": NOBODY | {"run": "fold-prod", "goes_on": True},
    },
    {"kind": "effects", "rows": [{"what": "jobs ended", "times": 3, "whom": ["7", "8"]}]},
    {
        "kind": "events",
        "rows": [{"at": 65.0, "what": "update_node: node gpu-n002 state set to IDLE"}],
        "of": 1,
    },
]


@pytest.fixture
def ada(stage: Stage) -> Attempt:
    exercise = stage.exercise
    exercise.pack_name, exercise.kind = "troubleshooting/jobs-do-not-start", "live-slurm"
    exercise.save()
    attempt = attempts.start(
        invitation=stage.invitation, exercise=exercise, policies=POLICIES, now=NOW
    )
    session = TerminalSession.objects.create(
        attempt=attempt, round=1, asked_at=NOW, looked_at=NOW, state="ended", ended_at=minute(30)
    )
    line = {"line": "sed -i s/a/b/ slurm.conf", "code": 0, "ms": 5}
    session.commands.create(source="shell", at=minute(10), host="ctl", **line)
    cluster = LiveCluster.objects.create(attempt=attempt, begun={}, began_at=NOW, ready_at=NOW)
    for at, waiting in ((1, 9), (9, 9), (10.2, 2), (20, 2)):
        ClusterLook.objects.create(
            cluster=cluster, at=minute(at), running=4, waiting=waiting, gpus=15, up=6
        )
    return attempt


def minute(at: float) -> datetime:
    return NOW + timedelta(minutes=at)


def test_a_command_stands_beside_what_moved_after_it(ada: Attempt) -> None:
    found = course(ada, 1)
    [step] = found.steps
    assert (step.ran.minute, step.moved) == (10, "waiting 9 → 2")
    assert [(at.minute, at.look.waiting) for at in found.looks] == [(1, 9), (10, 2)]
    assert [line.key for line in found.lines] == ["running", "waiting", "gpus"]
    assert found.minutes == 20
    assert found.looks[0].x < step.x < found.looks[1].x
    assert course(ada, 2).steps == []


def test_what_was_mended_is_told_once_the_own_scorecard_is_in(ada: Attempt) -> None:
    hand_in(ada, answers.starting_body(ada), at=minute(30))
    run = GradingRun.objects.get()
    run.report = {
        "evidence": [
            FAULT,
            {"kind": "settings", "diff": "--- a/slurm.conf\n+MaxNodes=2"},
            {"kind": "jobs", "rows": [], "lost": ["vit-pretrain"]},
            *OTHERS,
        ]
    }
    held = Corrected({}, [], {}, None)
    before = KIND.round(ada, run, held, sees=False)
    page = render_to_string(KIND.evidence, {**before, "attempt": ada, "round": {"number": 1}})
    assert "MaxNodes=2" in page
    assert "waiting 9 → 2" in page
    assert "update_node: node gpu-n002" in page
    assert "One node a job" not in page
    assert "What touched others" not in page
    assert "vit-pretrain" not in page
    after = KIND.round(ada, run, held, sees=True)
    page = render_to_string(KIND.evidence, {**after, "attempt": ada, "round": {"number": 1}})
    for told in ("One node a job", "vit-pretrain", "MaxNodes=2"):
        assert told in page
    plain = " ".join(page.split())
    for told in (
        "3 jobs waited 2 h 10 min in all",
        "fold-prod, which may not be stopped, ran on; its team protein waited 0 min.",
        "<td>7, 8</td>",
        "</span> on gpu-n002 after 3.0 s",
        "</span> PartitionNodeLimit",
    ):
        assert told in plain, told


def test_a_report_of_before_tells_nothing_of_others(ada: Attempt) -> None:
    hand_in(ada, answers.starting_body(ada), at=minute(30))
    run = GradingRun.objects.get()
    run.report = {"evidence": [FAULT]}
    found = KIND.round(ada, run, Corrected({}, [], {}, None), sees=True)
    page = render_to_string(KIND.evidence, {**found, "attempt": ada, "round": {"number": 1}})
    assert "One node a job" in page
    for heading in ("How long people waited", "What touched others", "Hidden jobs"):
        assert heading not in page


def test_the_key_says_signs_and_cures_of_each_fault(ada: Attempt, stage: Stage) -> None:
    hand_in(ada, answers.starting_body(ada), at=minute(30))
    assign(attempt=ada, evaluator=stage.ines, by=stage.rhea, now=minute(40))
    ines = Client()
    ines.force_login(stage.ines)
    page = ines.get(reverse("admin:key", args=[ada.pk])).content.decode()
    for fault in draw(ada.level, ada.seed).faults:
        assert f'id="{fault.name}"' in page
    assert ines.get(reverse("admin:attempt", args=[ada.pk])).status_code == 200
