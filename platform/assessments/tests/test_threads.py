"""A real web server with eight threads: what one candidate asks does not stand before what another saves."""

from __future__ import annotations

import http.client
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings as site
from django.db import connection
from django.test import Client
from django.utils import timezone

from assessments import answers, attempts
from assessments.models import Attempt
from assessments.tests.stage import POLICIES, enter, make_stage
from assessments.troubleshooting.tests.test_answering import LONG
from assessments.troubleshooting.tests.troubleshooting_stage import SEED, start_incident
from hiring.invitations import invite
from hiring.models import Candidate

THREADS, QUERIES, STARTS_WITHIN_S, FREE_WITHIN_S = 8, 12, 60, 3
WELL_BEGUN_S = 0.5
"""Long after a place was taken, and long before all of LONG is worked out."""
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "sqlite", reason="needs SQLite: copies the database as one file"
    ),
]


@dataclass
class Web:
    """The server, and the cookies of one browser for each candidate."""

    port: int
    cookies: list[dict[str, str]] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    def ask(self, who: int, path: str, body: Any = None, **query: Any) -> tuple[int, Any]:
        """Status and JSON of the answer to candidate `who`; a path without a slash is of their attempt."""
        with self.asking(who, path, body, **query) as wire:
            answer = wire.getresponse()
            return answer.status, json.loads(answer.read())

    @contextmanager
    def asking(
        self, who: int, path: str, body: Any = None, **query: Any
    ) -> Iterator[http.client.HTTPConnection]:
        """The connection on which that was asked, closed in the end."""
        cookies = self.cookies[who]
        address = path if path.startswith("/") else f"/api/attempts/{self.attempts[who].pk}/{path}"
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            "X-CSRFToken": cookies["csrftoken"],
            "Content-Type": "application/json",
        }
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as wire:
            method, data = ("GET", None) if body is None else ("POST", json.dumps(body))
            wire.request(method, f"{address}?{urlencode(query)}", data, headers)
            yield wire


@pytest.fixture
def web(built: Path, tmp_path: Path, settings: Any) -> Iterator[Web]:
    """A server on a copy of the database with three candidates who look at one variant."""
    settings.VARIANTS = built
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found = Web(probe.getsockname()[1])
    _begin(found)
    (tmp_path / "variants").symlink_to(built)
    connection.ensure_connection()
    with closing(sqlite3.connect(tmp_path / "headnode.sqlite3")) as copy:
        connection.connection.backup(copy)
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", "headnode.wsgi", "--no-control-socket"),
            *("--bind", f"127.0.0.1:{found.port}", "--worker-class", "gthread"),
            *("--threads", str(THREADS), "--log-level", "warning"),
        ],
        cwd=site.ROOT,
        env={
            **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
            "PYTHONPATH": f"{site.ROOT}/platform:{site.ROOT}",
            "HEADNODE_DATA": str(tmp_path),
            "SECRET_KEY": site.SECRET_KEY,
        },
    )
    try:
        _await(found, server)
        yield found
    finally:
        server.terminate()
        server.wait(30)


def _begin(web: Web) -> None:
    stage = make_stage(timezone.now())
    web.attempts.append(start_incident(stage, timezone.now()))
    tokens = [stage.token]
    for name in ("Bo", "Cleo"):
        now = timezone.now()
        candidate = Candidate.objects.create(name=name, email=f"{name}@example.com", created_at=now)
        invitation, token = invite(
            opening=stage.opening,
            candidate=candidate,
            exercises=[stage.exercise],
            opens_at=now - timedelta(days=1),
            closes_at=now + timedelta(days=6),
            by=stage.rhea,
            now=now,
        )
        tokens.append(token)
        web.attempts.append(
            attempts.start(
                invitation=invitation,
                exercise=stage.exercise,
                policies=POLICIES,
                now=now,
                seed=SEED,
            )
        )
    for token, attempt in zip(tokens, web.attempts, strict=True):
        client = Client()
        enter(client, token)
        assert client.get(f"/attempts/{attempt.pk}/").status_code == 200
        web.cookies.append({name: one.value for name, one in client.cookies.items()})


def _await(web: Web, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and server.poll() is None:
        try:
            web.ask(0, "state")
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail("The web server did not start.")


@pytest.mark.nightly
def test_twelve_queries_of_one_candidate_stand_before_no_save_of_another(web: Web) -> None:
    """Once the other's state took 19 s, as each of the twelve held a thread and waited for one lock."""
    ada, bo, cleo = range(3)
    with ThreadPoolExecutor(QUERIES) as pool:
        asked = [pool.submit(web.ask, ada, "room/query", query=LONG) for _ in range(QUERIES)]
        refused = _first(asked, QUERIES - 1)
        assert [(status, told["code"]) for status, told in refused] == [(429, "asking")] * 11
        assert all(told["detail"].endswith(".") for _, told in refused)
        body = answers.starting_body(web.attempts[bo])
        saved = {"client": str(uuid.uuid4()), "seq": 1, "body": body}
        assert web.ask(bo, "state")[0] == 200
        assert web.ask(bo, "drafts", saved)[0] == 201
        assert web.ask(bo, "/healthz")[1]["database"] == "ok"
        assert web.ask(ada, "state")[0] == 200  # nor before one's own
        assert web.ask(cleo, "room/query", query="count(up)")[0] == 200
        assert sum(not one.done() for one in asked) == 1, "the query ended before the others' saves"
        ended = [one.result() for one in asked]
    ((status, told),) = [one for one in ended if one[1].get("code") != "asking"]
    # On a busy host its time may be over before it is worked out, which the answer says.
    assert status == 200 or "takes too long" in told["detail"] or told["code"] == "slow"
    stop_a_query(web, cleo)


def stop_a_query(web: Web, who: int) -> None:
    """Stop closes the connection: the work ends, and its place is free for the next."""
    with web.asking(who, "room/query", query=LONG):
        time.sleep(WELL_BEGUN_S)
        assert web.ask(who, "room/query", query="1")[1]["code"] == "asking"
    stopped_at = time.monotonic()
    while web.ask(who, "room/query", query="1")[0] != 200:
        assert time.monotonic() - stopped_at < FREE_WITHIN_S
        time.sleep(0.2)


def _first(asked: list[Future[tuple[int, Any]]], count: int) -> list[tuple[int, Any]]:
    """The answers that came first, once there are so many."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        done = [one.result() for one in asked if one.done()]
        if len(done) >= count:
            return done
        time.sleep(0.02)
    pytest.fail("The queries that have no place were not refused at once.")
