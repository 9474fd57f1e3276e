"""One deadline for all: what becomes of answers that everybody sends in the last second.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.deadline [--candidates 100] [--writers 3]

Starts the web server as `make run` does, on a database of its own (SQLite in a temporary folder, or one on
DATABASE_URL's server), gives every candidate an older draft and one common end of the time, lets each save
in the seconds before it and submit 0.8 s before it, with writers beside them as the workers are. A client
does what the page does: it sends again what was not acknowledged. Prints and keeps (deadline.json) what
was answered, how long it took, and whose text was handed in. Loopback only, about a minute.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.commit import commit

HERE = Path(__file__).parent
BEFORE_S = 0.8
SAVES_WITHIN_S = 4.0
LONGEST_S = 60.0
CSRF = "a" * 32
PAUSES_S = (1.0, 2.0, 4.0, 8.0)


@dataclass
class Client:
    """One candidate's page: its cookie, and what it was answered."""

    number: int
    port: int
    attempt: str
    cookie: str
    body: dict[str, Any]
    client: str = field(default_factory=lambda: str(uuid.uuid4()))
    seq: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    took_s: dict[str, float] = field(default_factory=dict)

    def play(self, zero: float) -> None:
        _until(zero - BEFORE_S - random.uniform(0, SAVES_WITHIN_S))  # noqa: S311
        self.insist("drafts", f"saved by {self.number}")
        _until(zero - BEFORE_S)
        self.insist("submit", final(self.number))

    def insist(self, what: str, text: str) -> None:
        """Send until it is acknowledged or refused for good."""
        self.seq += 1
        answer = json.dumps(
            {
                "client": self.client,
                "seq": self.seq,
                "base": None,
                "body": with_text(self.body, text),
            }
        )
        began = time.monotonic()
        for tries in range(100):
            status, wait = self.post(what, answer)
            self.statuses[f"{what} {status}"] += 1
            if status.isdigit() and int(status) < 500 and status != "429":
                break
            if time.monotonic() - began > LONGEST_S:
                break
            time.sleep(wait or PAUSES_S[min(tries, len(PAUSES_S) - 1)])
        self.took_s[what] = time.monotonic() - began

    def post(self, what: str, answer: str) -> tuple[str, float]:
        """The status, or "none"; and after how long the server wants to be asked again."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
        headers = {
            "Content-Type": "application/json",
            "Cookie": f"{self.cookie}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
        }
        try:
            connection.request("POST", f"/api/attempts/{self.attempt}/{what}", answer, headers)
            response = connection.getresponse()
            response.read()
            return str(response.status), float(response.headers.get("Retry-After") or 0)
        except OSError:
            return "none", 0
        finally:
            connection.close()


def final(number: int) -> str:
    return f"final words of {number}"


def with_text(body: dict[str, Any], text: str) -> dict[str, Any]:
    return {"files": body["files"], "sections": body["sections"] | {"architecture": text}}


def _until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.time()))


def candidates(number: int, zero: datetime, port: int) -> list[Client]:
    """That many attempts with one deadline, each with an older draft."""
    from django.core import signing

    from assessments import answers, attempts
    from assessments.drafts import save_draft
    from assessments.link import COOKIE, SALT
    from assessments.tests.stage import POLICIES, make_stage
    from hiring.invitations import invite
    from hiring.models import Candidate

    began = zero - timedelta(minutes=60)
    stage = make_stage(began)
    found = []
    for one in range(number):
        person = Candidate.objects.create(
            name=f"Candidate {one}", email=f"{one}@example.com", created_at=began
        )
        invitation, _ = invite(
            opening=stage.opening,
            candidate=person,
            exercises=[stage.exercise],
            opens_at=began - timedelta(days=1),
            closes_at=zero + timedelta(days=6),
            by=stage.rhea,
            now=began,
        )
        attempt = attempts.start(
            invitation=invitation, exercise=stage.exercise, policies=POLICIES, now=began
        )
        body = answers.starting_body(attempt)
        save_draft(
            attempt.pk, client=uuid.uuid4(), seq=1, base=None, resolve=False,
            body=with_text(body, f"older words of {one}"), now=began + timedelta(minutes=30),
        )  # fmt: skip
        links = signing.dumps({str(invitation.pk): invitation.token_hash[:16]}, salt=SALT)
        found.append(Client(one, port, str(attempt.pk), f"{COOKIE}={links}", body))
    return found


def write_on(name: str) -> None:
    """As a worker does beside the web server: many short writes, and closing what is due."""
    import django

    django.setup()
    from django.db import OperationalError
    from django.utils import timezone

    from assessments.models import Pulse
    from assessments.submissions import close_due

    while True:
        try:
            Pulse.objects.update_or_create(component=name, defaults={"at": timezone.now()})
            if random.random() < 0.1:  # noqa: S311
                close_due(now=timezone.now())
        except OperationalError as error:
            print(name, error, file=sys.stderr, flush=True)
        time.sleep(0.05)


@contextmanager
def running(command: list[str], log: Path) -> Iterator[None]:
    with log.open("ab") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=HERE.parent)  # noqa: S603
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def site(port: int, writers: int, folder: Path) -> Iterator[None]:
    from headnode.launcher import healthy
    from headnode.launcher import site as children

    with ExitStack() as stack:
        [web] = [child for child in children(port) if child.name == "web server"]
        stack.enter_context(running(web.command, folder / "web.log"))
        for one in range(writers):
            beside = [sys.executable, "-m", "benchmarks.deadline", "--write-on", f"writer-{one}"]
            stack.enter_context(running(beside, folder / "writers.log"))
        until = time.monotonic() + 60
        while not (answers_at(port) or healthy(port)):
            assert time.monotonic() < until, (folder / "web.log").read_text()[-2000:]
            time.sleep(0.1)
        yield


def answers_at(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status in {200, 503}
    except OSError:
        return False
    finally:
        connection.close()


def handed_in(clients: list[Client]) -> dict[str, int]:
    """Whose last words were handed in, once every round is closed."""
    from assessments.models import Submission

    until = time.monotonic() + 60
    while Submission.objects.count() < len(clients) and time.monotonic() < until:
        time.sleep(0.5)
    bodies = dict(Submission.objects.values_list("attempt_id", "body"))
    texts = {
        one.number: bodies[uuid.UUID(one.attempt)]["sections"]["architecture"]
        for one in clients
        if uuid.UUID(one.attempt) in bodies
    }
    own = sum(texts.get(one.number) == final(one.number) for one in clients)
    return {
        "own_last_words": own,
        "older_words": len(texts) - own,
        "open": len(clients) - len(texts),
    }


def spread(values: list[float]) -> dict[str, float]:
    parts = statistics.quantiles(values, n=100)
    found = {"p50_s": parts[49], "p95_s": parts[94], "max_s": max(values)}
    return {name: round(value, 3) for name, value in found.items()}


def measured(number: int, writers: int, folder: Path) -> dict[str, Any]:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    zero = datetime.now(UTC) + timedelta(seconds=20 + 0.15 * number)
    clients = candidates(number, zero, port)
    with site(port, writers, folder):
        left = zero.timestamp() - time.time()
        assert left > SAVES_WITHIN_S + 2, "This machine is too slow to be ready in time."
        threads = [
            threading.Thread(target=one.play, args=[zero.timestamp()], daemon=True)
            for one in clients
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        closed = handed_in(clients)
    total = sum((one.statuses for one in clients), Counter[str]())
    return {
        "answers": dict(sorted(total.items())),
        "save": spread([one.took_s["drafts"] for one in clients]),
        "submit": spread([one.took_s["submit"] for one in clients]),
        **closed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--write-on", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
    if asked.write_on:
        write_on(asked.write_on)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADNODE_DATA"] = folder
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0)
        answer = measured(asked.candidates, asked.writers, Path(folder))
        vendor = connection.vendor
    answer = {
        "commit": commit(),
        "candidates": asked.candidates,
        "writers": asked.writers,
        "processors": os.cpu_count(),
        "load_before": round(load, 1),
        **answer,
    }
    path = HERE / "deadline.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(kept | {vendor: answer}, indent=2) + "\n")
    print(json.dumps({vendor: answer}, indent=2))


if __name__ == "__main__":
    main()
