"""Prometheus is told what the site does, by whoever may ask, and alerts and dashboard ask for what is told."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import Error
from django.test import Client
from django.utils import timezone
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from assessments.happened import sandbox_refused
from assessments.models import Attempt, GradingRun, Presence, Pulse, TerminalSession
from assessments.pulses import TERMINAL
from assessments.tests.stage import NOW, Stage, attempt, begin, published, run_of, stage, submit
from headnode.metrics import cards, counted, page, stored
from headnode.metrics.folder import counted_files, prune
from headnode.tests.browser.site import require
from hiring.models import Message, Opening

__all__ = ["attempt", "published", "stage"]
ROOT = Path(__file__).resolve().parents[4]
DEPLOY = ROOT / "deploy"
Figures = dict[tuple[str, ...], float]


class Asked:
    """All figures of one moment: asked(name, label=value)."""

    def __init__(self, now: Any) -> None:
        self._found = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in stored.figures(now)
            for sample in family.samples
        }

    def __call__(self, name: str, **labels: str) -> float:
        return self._found[f"headnode_{name}", frozenset(labels.items())]


def test_runs_and_gradings_that_wait_are_counted_with_the_first_ones_age(
    attempt: Attempt, published: Any
) -> None:
    run_of(attempt, at=NOW + timedelta(minutes=1))
    asked = Asked(NOW + timedelta(minutes=3))
    assert asked("waiting", kind="run", queue="celery") == 1
    assert asked("waiting_oldest_seconds", kind="run", queue="celery") == 120
    assert asked("waiting_oldest_seconds", kind="run", queue="gpu") == 0
    submit(attempt, "text", at=NOW + timedelta(minutes=2))
    now = NOW + timedelta(minutes=12)
    assert Asked(now)("waiting_oldest_seconds", kind="grading", queue="celery") == 600
    GradingRun.objects.update(finished_at=now, result="done")
    asked = Asked(now)
    assert asked("waiting", kind="grading", queue="celery") == 0
    assert asked("gradings_last_hour", result="done") == 1
    assert Asked(now + timedelta(hours=2))("gradings_last_hour", result="done") == 0


def test_candidates_at_work_and_rounds_that_nobody_closed(attempt: Attempt, published: Any) -> None:
    asked = Asked(NOW + timedelta(minutes=5))
    assert (asked("candidates_working"), asked("deadlines_overdue")) == (1, 0)
    asked = Asked(NOW + timedelta(minutes=65))
    assert (asked("candidates_working"), asked("deadlines_overdue")) == (0, 1)
    assert asked("deadlines_overdue_oldest_seconds") == pytest.approx(220)  # grace 20 s, sweep 60 s
    Opening.objects.update(trial_by=attempt.invitation.opening.hiring_manager)
    assert Asked(NOW + timedelta(minutes=5))("candidates_working") == 0


def test_an_answer_that_was_swept_late_is_counted(attempt: Attempt, published: Any) -> None:
    submit(attempt, "text", at=NOW + timedelta(minutes=5))
    rows = attempt.submissions
    for minutes, late in ((61, 0), (70, 1)):
        at = NOW + timedelta(minutes=minutes)
        rows.update(source="promoted", submitted_at=at)
        assert Asked(at)("deadlines_swept_late_last_day") == late


def test_terminals_mail_and_pulses(stage: Stage) -> None:
    row = begin(stage)
    at = {"asked_at": NOW, "looked_at": NOW}
    TerminalSession.objects.create(attempt=row, round=1, state="live", **at)
    Presence.objects.create(host="a", component=TERMINAL, at=NOW, places=6)
    assert Asked(NOW)("pulse_age_seconds", component="worker") == math.inf
    Pulse.objects.create(component="worker", at=NOW)
    Message.objects.all().delete()
    for occasion in ("invitation", "reminder"):
        words = {"subject": "S", "text": "T", "queued_at": NOW, "due_at": NOW}
        Message.objects.create(occasion=occasion, subject_key="k", candidate=stage.ada, **words)
    asked = Asked(NOW + timedelta(seconds=30))
    assert (asked("terminals", state="live"), asked("terminal_places")) == (1, 6)
    assert asked("pulse_age_seconds", component="worker") == 30
    assert (asked("mail_waiting"), asked("mail_waiting_oldest_seconds")) == (2, 30)
    Message.objects.filter(occasion="reminder").update(refused_at=NOW)
    Message.objects.filter(occasion="invitation").update(handed_at=NOW, lease_until=NOW)
    asked = Asked(NOW + timedelta(hours=1))
    assert asked("mail_waiting") == 0
    assert asked("mail_failures_last_day", how="refused") == 1
    assert asked("mail_failures_last_day", how="uncertain") == 1


def test_time_that_was_given_back_is_summed(attempt: Attempt) -> None:
    from assessments.ledger import credit, locked

    with locked(attempt.pk) as row:
        lost = {"began": NOW + timedelta(minutes=1), "ended": NOW + timedelta(minutes=3)}
        credit(row, **lost, reason="The platform was away.", now=NOW + timedelta(minutes=4))
    asked = Asked(NOW + timedelta(minutes=5))
    assert (asked("credits_last_hour"), asked("credited_seconds_last_hour")) == (1, 120)


@pytest.mark.django_db
def test_what_processes_count_is_on_the_page_and_secrets_are_not(stage: Stage) -> None:
    client, body = Client(), {"client": str(uuid.uuid4()), "seq": 1, "body": {}}
    client.get(f"/t/{stage.token}/")
    client.post(f"/api/attempts/{uuid.uuid4()}/drafts", body, content_type="application/json")
    sandbox_refused.send(GradingRun, layer="network namespace")
    text = client.get("/metrics").content.decode()
    assert stage.token not in text
    found = {
        sample.name: sample
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert {"headnode_database_up", "headnode_autosave_seconds_bucket"} <= set(found)
    assert 'headnode_sandbox_refusals_total{layer="network namespace"}' in text
    assert re.search(r'headnode_autosave_refusals_total\{status="40\d"\}', text)
    assert 'page="link"' in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("token", "behind", "asked", "status"),
    [
        ("", False, {}, 200),
        ("", False, {"REMOTE_ADDR": "10.1.2.3"}, 404),
        ("", False, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}, 404),
        ("", True, {}, 404),
        ("secret", True, {"REMOTE_ADDR": "10.1.2.3", "HTTP_AUTHORIZATION": "Bearer secret"}, 200),
        ("secret", False, {"HTTP_AUTHORIZATION": "Bearer guess"}, 404),
        ("secret", False, {"HTTP_AUTHORIZATION": "Bearer gu\xe9ss"}, 404),
        ("secret", False, {}, 404),
    ],
)
def test_figures_are_for_this_machine_or_for_whoever_has_the_token(
    settings: Any, token: str, behind: bool, asked: dict[str, Any], status: int
) -> None:
    settings.METRICS_TOKEN, settings.BEHIND_PROXY = token, behind
    assert Client().get("/metrics", **asked).status_code == status


def test_without_a_database_the_page_says_so_in_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(now: Any) -> Iterator[Any]:
        raise Error("gone")
        yield

    monkeypatch.setattr(stored, "figures", away)
    assert b"headnode_database_up 0.0" in page.exposition()


COUNTS = """
import django
django.setup()
from assessments.happened import sandbox_refused
sandbox_refused.send(object, layer="user namespace")
"""


@pytest.mark.nightly
def test_counts_of_several_processes_and_hosts_are_added(tmp_path: Path) -> None:
    env = os.environ | {"HEADNODE_DATA": str(tmp_path), "PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", COUNTS], env=env, check=True)
    folder = tmp_path / "metrics"
    (own,) = folder.iterdir()
    shutil.copytree(own, folder / "another-host")
    registry = CollectorRegistry()
    registry.register(page.Processes(folder))
    labels = {"layer": "user namespace"}
    assert registry.get_sample_value("headnode_sandbox_refusals_total", labels) == 4


def test_what_ended_processes_left_goes_after_a_day(tmp_path: Path) -> None:
    folder = tmp_path / os.uname().nodename
    folder.mkdir()
    old, own, new = (
        folder / f"counter_{number}.db" for number in (4_000_001, os.getpid(), 4_000_002)
    )
    for path in (old, own, new):
        path.write_bytes(b"")
    for path in (old, own):
        os.utime(path, (time.time() - 2 * 86_400,) * 2)
    assert prune(tmp_path) == 1
    assert counted_files(tmp_path) == sorted(map(str, (own, new)))


def test_cards_say_their_state_and_health(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = {"uuid": "GPU-1", "state": "out", "now": {"temperature_c": 91.0, "utilisation": None}}
    monkeypatch.setattr(cards, "survey", lambda: type("Seen", (), {"units": [1]})())
    monkeypatch.setattr("headnode.metrics.cards.report.examine", lambda _: {"units": [unit]})
    told = {
        (sample.name, sample.labels.get("state", "")): sample.value
        for family in cards.figures(Path("unused"))
        for sample in family.samples
    }
    assert told["headnode_gpu_state", "out"] == 1
    assert told["headnode_gpu_state", "free"] == 0
    assert told["headnode_gpu_temperature_celsius", ""] == 91


def promtool(*words: str) -> str:
    require(shutil.which("promtool") is not None, "no promtool on this system")
    done = subprocess.run(
        ["promtool", *words], capture_output=True, text=True, check=False, cwd=DEPLOY / "prometheus"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_accepts_the_rules() -> None:
    assert "SUCCESS: 21 rules found" in promtool("check", "rules", "alerts.yml")


@pytest.mark.nightly
def test_rules_ring_when_they_should_and_not_before() -> None:
    tried = Path(__file__).with_name("alerts_ring.yml")
    promtool("test", "rules", str(tried))
    rang = re.findall(r"alertname: (\w+)\n +exp_alerts:", tried.read_text())
    assert set(rang) == set(alerts())


def alerts() -> list[str]:
    return re.findall(r"- alert: (\w+)", (DEPLOY / "prometheus/alerts.yml").read_text())


def test_each_alert_has_its_paragraph() -> None:
    text = (ROOT / "docs/alerts.md").read_text()
    parts = dict(re.findall(r"^## (\w+)\n\n(.+)$", text, re.MULTILINE))
    assert set(parts) == set(alerts())
    assert all(len(words) > 150 for words in parts.values())


@pytest.mark.django_db
def test_rules_and_dashboard_ask_only_for_what_is_told(attempt: Attempt) -> None:
    # told once there was one of it: no other test has to have run before
    counted.requests.labels("link", "GET", "2xx").inc()
    counted.autosave_seconds.observe(0.1)
    counted.autosave_refusals.labels("409").inc()
    counted.note_refusal("user namespace")
    told = set(re.findall(r"^# TYPE (\w+)", page.exposition().decode(), re.MULTILINE))
    told |= {"headnode_gpu_state", "headnode_gpu_temperature_celsius"}
    board = json.loads((DEPLOY / "grafana/headnode.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked.append((DEPLOY / "prometheus/alerts.yml").read_text())
    names = set(re.findall(r"headnode_[a-z_]+", " ".join(asked)))
    told |= {name + end for name in told for end in ("_bucket", "_count")}
    assert names - told == set()
    assert len(names) > 20


def test_panels_of_the_dashboard_do_not_overlap() -> None:
    board = json.loads((DEPLOY / "grafana/headnode.json").read_text())
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not taken & cells, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_promql_of_the_dashboard_can_be_read() -> None:
    import promql_parser

    board = json.loads((DEPLOY / "grafana/headnode.json").read_text())
    for panel in board["panels"]:
        for target in panel["targets"]:
            promql_parser.parse(target["expr"])


@pytest.mark.django_db
def test_probes_are_answered_under_any_name_and_without_https(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT, settings.ALLOWED_HOSTS = True, ["headnode.example.com"]
    Pulse.objects.create(component="worker", at=timezone.now())
    for path in ("/healthz", "/readyz"):
        answer = Client(SERVER_NAME="10.0.0.7").get(path)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert Client(SERVER_NAME="10.0.0.7").get("/metrics").status_code == 400


@pytest.mark.django_db
def test_a_server_is_ready_without_workers_and_not_without_its_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from headnode import health

    monkeypatch.setattr(health, "_migrated", type(health._migrated)())
    assert Client().get("/healthz").status_code == 503
    monkeypatch.setattr(health, "unapplied", lambda: ["hiring.0099_later"])
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database": "1 migrations are missing; run: headnode setup"}
    monkeypatch.setattr(health, "unapplied", list)
    assert Client().get("/readyz").status_code == 200
    monkeypatch.setattr(health, "unapplied", lambda: 1 / 0)  # not asked again
    assert Client().get("/readyz").status_code == 200
