"""A web server that nobody can reach leaves no pulse, whatever its threads do; what it kept waiting counts."""

from __future__ import annotations

import http.server
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from pytest_django import Settings

from headnode.front_door import FrontDoor
from headnode.tests.migrated import lend_to_a_process

ROOT = Path(__file__).resolve().parents[3]
PREPARE = """
import sys, django
django.setup()
from datetime import timedelta
from django.core import signing
from django.core.management import call_command
from django.utils import timezone
call_command("migrate", verbosity=0)
from assessments.link import COOKIE, SALT
from assessments.tests.stage import begin, make_stage
stage = make_stage(timezone.now())
attempt = begin(stage, timezone.now())
links = {str(stage.invitation.pk): stage.invitation.token_hash[:16]}
print(attempt.pk, f"{COOKIE}={signing.dumps(links, salt=SALT)}")
"""
CSRF = "a" * 32


@dataclass
class Web:
    """A web server alone, with one attempt whose clock runs."""

    process: subprocess.Popen[bytes]
    database: Path
    url: str
    headers: dict[str, str]
    seq: int = 0

    @property
    def worker(self) -> int:
        """The process that answers: gunicorn's own only watches it."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return int(children.split()[0])

    def deadline(self) -> datetime:
        state = requests.get(f"{self.url}/state", headers=self.headers, timeout=60)
        assert state.headers["Cache-Control"] == "no-store"
        return datetime.fromisoformat(state.json()["deadline_at"])

    def save(self, text: str) -> requests.Response:
        self.seq += 1
        body = {"files": {}, "sections": {"architecture": text}}
        sent: dict[str, Any] = {"client": "0" * 32, "seq": self.seq, "base": None, "body": body}
        return requests.post(f"{self.url}/drafts", json=sent, headers=self.headers, timeout=60)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    data, port = tmp_path_factory.mktemp("web"), free_port()
    env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    env |= {"HEADNODE_DATA": str(data), "DJANGO_SETTINGS_MODULE": "headnode.settings"}
    env |= {"PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    lend_to_a_process(data)
    made = subprocess.run(
        [sys.executable, "-c", PREPARE], env=env, cwd=ROOT, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr[-3000:]
    attempt, cookie = made.stdout.split()
    serve = [f"{Path(sys.executable).parent}/gunicorn", "-c", "python:headnode.web_server"]
    process = subprocess.Popen(
        [*serve, "--no-control-socket", "--bind", f"127.0.0.1:{port}"], env=env, cwd=ROOT
    )
    headers = {"Cookie": f"{cookie}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
    url = f"http://127.0.0.1:{port}/api/attempts/{attempt}"
    running = Web(process, data / "headnode.sqlite3", url, headers)
    try:
        wait_for_pulse(running)
        yield running
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def wait_for_pulse(web: Web) -> None:
    until = time.monotonic() + 120
    while not pulse(web):
        assert time.monotonic() < until
        time.sleep(0.1)
    time.sleep(3)


def pulse(web: Web) -> str | None:
    with sqlite3.connect(web.database, timeout=20) as server:
        row = server.execute("select at from assessments_pulse where component = 'web'").fetchone()
        return str(row[0]) if row else None


@pytest.mark.nightly
def test_two_outages_of_eight_seconds_are_credited_to_within_five(web: Web) -> None:
    before = web.deadline()
    for _ in range(2):
        os.kill(web.worker, signal.SIGSTOP)
        time.sleep(8)
        os.kill(web.worker, signal.SIGCONT)
        time.sleep(4)
    gained = (web.deadline() - before).total_seconds()
    assert 16 - 1 <= gained <= 16 + 5


@pytest.mark.nightly
def test_database_that_is_locked_is_an_outage_and_costs_no_save(web: Web) -> None:
    before, answers = web.deadline(), []
    other = sqlite3.connect(web.database, isolation_level=None, check_same_thread=False, timeout=20)
    other.execute("begin immediate")
    saving = [
        threading.Thread(target=lambda number=number: answers.append(web.save(f"text {number}")))
        for number in range(4)
    ]
    for one in saving:
        one.start()
    time.sleep(6)
    assert answers == []
    other.execute("commit")
    for one in saving:
        one.join(60)
    assert {answer.status_code for answer in answers} <= {200, 201}
    time.sleep(4)
    gained = (web.deadline() - before).total_seconds()
    assert 6 - 1 <= gained <= 6 + 5


@pytest.mark.nightly
def test_save_that_a_frozen_server_kept_waiting_counts_from_its_arrival(web: Web) -> None:
    os.kill(web.worker, signal.SIGSTOP)
    answers: list[requests.Response] = []
    sent = datetime.now().astimezone()
    saving = threading.Thread(target=lambda: answers.append(web.save("sent while it stood still")))
    saving.start()
    time.sleep(5)
    os.kill(web.worker, signal.SIGCONT)
    saving.join(60)
    received = datetime.fromisoformat(answers[0].json()["received_at"])
    assert abs((received - sent).total_seconds()) < 2.5


def test_pulse_is_not_for_strangers(web: Web) -> None:
    front = web.url.split("/api/")[0]
    assert requests.get(f"{front}/pulse", timeout=60).status_code == 404
    wrong = requests.get(f"{front}/pulse", headers={"X-Knock": "open"}, timeout=60)
    assert wrong.status_code == 404


class Front(http.server.BaseHTTPRequestHandler):
    """What stands where FRONT_DOOR_URL points, and is not this site."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("status", "pulses"), [(204, 0), (502, 0), (301, 1), (404, 1)])
@pytest.mark.by_day(but=["404-1"])
def test_wrong_address_does_not_make_the_site_look_dead(
    status: int, pulses: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a proxy that finds nobody behind it says that nobody can reach the site."""
    left: list[datetime] = []
    monkeypatch.setattr("headnode.front_door.answered", lambda now: left.append(now))
    monkeypatch.setattr(Front, "status", status)
    with http.server.HTTPServer(("127.0.0.1", 0), Front) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings.FRONT_DOOR_URL = f"http://127.0.0.1:{server.server_port}"
        FrontDoor().knock()
        server.shutdown()
    assert len(left) == pulses
    with pytest.raises(ConnectionRefusedError):
        FrontDoor().knock()  # nobody is there now
    assert len(left) == pulses
