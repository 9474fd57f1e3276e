"""What happens when parts are killed: nothing is lost, nothing is graded twice, no one loses time."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import requests

from headnode.tests.browser.site import ROOT, Site, own_database, processes_of
from headnode.tests.browser.wire import IDLE, Wire

OWN_SITE = True


@pytest.fixture
def wire(site: Site) -> Wire:
    return Wire(site.candidate_link)


def rows(site: Site, query: str) -> list[Any]:
    """What the database says, read past the site."""
    if url := os.environ.get("DATABASE_URL"):
        with psycopg.connect(own_database(url, site.port)) as server:
            return list(server.execute(query).fetchall())
    with sqlite3.connect(site.data / "headnode.sqlite3") as server:
        return server.execute(query).fetchall()


def wait_for(what: Callable[[], Any], within: float = 240) -> Any:
    until = time.monotonic() + within
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.1)
    raise AssertionError("It did not happen in time.")


def wait_for_more(acknowledged: dict[int, str], by: int = 5) -> None:
    before = len(acknowledged)
    wait_for(lambda: len(acknowledged) >= before + by)


@pytest.mark.database
def test_acknowledged_saves_survive_sigkill_of_the_web_server(site: Site, wire: Wire) -> None:
    acknowledged: dict[int, str] = {}
    stop = threading.Event()

    def type_on() -> None:
        count = 0
        while not stop.is_set():
            count += 1
            body = wire.body()
            body["sections"]["architecture"] = f"sentence {count}"
            try:
                answer = wire.post("drafts", body)
            except requests.RequestException:
                time.sleep(0.2)
                continue
            time.sleep(0.1)
            if answer.status_code == 201:
                acknowledged[answer.json()["number"]] = body["sections"]["architecture"]

    typing = threading.Thread(target=type_on)
    typing.start()
    for _ in range(2):
        wait_for_more(acknowledged)
        site.kill("web")
        time.sleep(0.5)
        site.wait_healthy()
    wait_for_more(acknowledged)
    stop.set()
    typing.join()
    assert len(acknowledged) > 10
    for number, text in acknowledged.items():
        assert wire.get(f"drafts/{number}")["body"]["sections"]["architecture"] == text


@pytest.mark.database
def test_run_survives_sigkill_of_the_worker(site: Site, wire: Wire) -> None:
    slow = IDLE.replace("    pass", "    import time; time.sleep(0.003)")
    body = {"files": {"controller.py": slow}, "sections": {}}
    pk = wire.post("runs", body).json()["id"]
    wait_for(lambda: wire.get(f"runs/{pk}")["state"] == "running")
    claims = "select claimed_at, lease_until from assessments_run order by created_at desc limit 1"
    lease = rows(site, claims)[0][1]
    site.kill("worker")
    row = wire.wait_run(pk, within=240)
    assert (row["state"], row["report"]["status"]) == ("done", "ok")
    assert rows(site, claims)[0][0] < lease  # taken up before the dead worker's lease had run out


@pytest.mark.nightly
def test_candidate_gets_back_the_time_that_a_dead_site_took(site: Site, wire: Wire) -> None:
    before = datetime.fromisoformat(wire.get("state")["deadline_at"])
    assert site.process is not None
    os.killpg(site.process.pid, signal.SIGSTOP)  # so that the launcher does not start it again
    site.kill("web")
    killed = time.monotonic()
    time.sleep(20)
    os.killpg(site.process.pid, signal.SIGCONT)
    site.wait_healthy()
    away = time.monotonic() - killed
    state = wait_for(lambda: (found := wire.get("state"))["notice"] and found)
    gained = (datetime.fromisoformat(state["deadline_at"]) - before).total_seconds()
    assert 15 <= gained <= away + 20
    assert "not reachable" in state["notice"]["text"]


PROGRAMS = {
    "loop": ("while True:\n    pass\n", {"timeout", "cpu_limit"}),
    "flood": ("while True:\n    print('x' * 10_000)\n", {"output_limit"}),
    "forks": (
        "import os\nwhile True:\n    os.fork()\n",
        {"candidate_error", "timeout", "cpu_limit"},
    ),
    "crash": ("import os\nos.kill(os.getpid(), 11)\n", {"crashed"}),
    "error": ("1 / 0\n", {"candidate_error"}),
    "rubbish": (
        "import headnode_sdk\nheadnode_sdk._sock.sendall(b'\\xff' * 64)\nimport time; time.sleep(5)\n",
        {"protocol_error"},
    ),
    "early end": ("import sys\nsys.exit(0)\n", {"incomplete"}),
}


# What a sandbox makes of the others is tried in each of them, and test_sandboxed has an endless loop without
# half a minute of it; here it is what the page is told.
@pytest.mark.by_day("name", ["crash", "rubbish"])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_misbehaving_program_gets_a_clear_status(wire: Wire, name: str) -> None:
    program, expected = PROGRAMS[name]
    row = wire.run(program, within=240)
    assert row["state"] == "done"
    assert row["report"]["status"] in expected, row["report"]
    assert row["report"]["score"] is None or name == "early end"
    assert row["report"]["detail"].strip()
    assert "Traceback" not in row["report"]["detail"]


@pytest.mark.nightly  # by day a run survives it, and test_execution has the leases of gradings
def test_grading_survives_sigkill_of_the_worker_and_is_done_once(site: Site, wire: Wire) -> None:
    slow = IDLE.replace("    pass", "    import time; time.sleep(0.003)")
    answer = wire.post("submit", {"files": {"controller.py": slow}, "sections": {}})
    assert answer.status_code == 200, answer.text
    newest = "select result, tries, losses, submission_id from assessments_gradingrun order by id desc limit 1"
    wait_for(lambda: rows(site, newest)[0][1] == 1)
    time.sleep(0.5)
    site.kill("worker")
    wait_for(lambda: rows(site, newest)[0][0])
    result, tries, losses, submission = rows(site, newest)[0]
    assert (result, tries, losses) == ("done", 1, 1)  # a worker that is lost costs no try
    all_of_it = rows(site, "select submission_id from assessments_gradingrun")
    assert all_of_it.count((submission,)) == 1


@pytest.mark.nightly  # by day test_parts reproduces rounds, and test_same_bytes grades again
def test_grading_comes_out_the_same_again(site: Site) -> None:
    """What a score names is enough to compute it again, byte for byte (design rule 4)."""
    demo = "select min(id) from assessments_gradingrun where result = 'done'"
    number = wait_for(lambda: rows(site, demo)[0][0])
    again = subprocess.run(
        [sys.executable, "manage.py", "reproduce", str(number), "--json"],
        env=site.environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert again.returncode == 0, again.stderr
    answer = json.loads(again.stdout)
    assert answer == {"grading_run": number, "same": True, "differences": []}


@pytest.mark.nightly
def test_ctrl_c_leaves_nothing_behind_and_a_second_start_keeps_all(site: Site) -> None:
    link = site.candidate_link
    site.stop()
    wait_for(lambda: not processes_of(site.data), within=60)
    assert [run for run in (site.data / "sandbox/runs").iterdir() if run.is_dir()] == []
    assert not [
        line for line in Path("/proc/mounts").read_text().splitlines() if str(site.data) in line
    ]
    site.said = ""
    site.start()
    assert urlsplit(link).path in site.said
    assert requests.get(link, timeout=60).status_code == 200
