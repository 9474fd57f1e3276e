"""A worker as it is started: runs go first, and killing its processes costs nobody anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assessments.jobs import MAX_TRIES
from headnode import launcher
from headnode.tests.migrated import lend_to_a_process

ROOT = Path(__file__).resolve().parents[4]
KILLS = MAX_TRIES + 1
SETUP = """
import django; django.setup()
from datetime import timedelta
from django.utils import timezone
from assessments.models import *
from assessments.queue import enqueue_grading, enqueue_run
NOW = timezone.now()
"""
SUBMIT = """
from assessments.tests.stage import begin, make_stage, save, submit
attempt = begin(make_stage(NOW), NOW)
save(attempt, "text", at=NOW)
submit(attempt, "done", at=NOW)
"""
FOUR_MORE = """
given = {"submission": Submission.objects.get(), "hidden_workloads": 5, "created_at": NOW}
for _ in range(4):
    enqueue_grading(GradingRun.objects.create(**given).pk)
"""
RUN = """
draft = Draft.objects.latest("pk")
given = {"attempt": draft.attempt, "round": 1, "draft": draft, "workload": "public-1"}
enqueue_run(Run.objects.create(created_at=NOW, **given).pk)
"""
INVITE = """
from hiring.messages.to_candidates import invite_by_mail
from hiring.models import Invitation
invitation = Invitation.objects.get()
invite_by_mail(invitation, by=invitation.created_by, now=NOW)
"""
UNFINISHED = "print(*(kind.objects.unfinished().count() for kind in (Run, GradingRun)))"
LAST = "run = Run.objects.latest('created_at'); print(run.result, run.tries, run.losses)"


class Stand:
    """A data folder with a database and a broker, and workers on them."""

    def __init__(self, data: Path) -> None:
        self.data = data
        kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        self.environment = kept | {
            "HEADNODE_DATA": str(data),
            "DJANGO_SETTINGS_MODULE": "headnode.tests.worker.settings",
            "PYTHONPATH": f"{ROOT}/platform:{ROOT}",
            "GRADING_SLOTS": "1",
            "BROKER_PREFIX": f"{data.name}:",
        }

    def do(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout.strip()

    def ask(self, *scripts: str) -> str:
        return self.do("-c", "".join((SETUP, *scripts)))

    def work(self, processes: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "-A", "headnode", "worker"]
        with (self.data / "worker.log").open("ab") as log:
            return subprocess.Popen(
                [*command, "--concurrency", str(processes), "--loglevel", "WARNING"],
                env=self.environment,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def hold(self, kind: str) -> None:
        (self.data / kind).touch()

    def let_go(self, kind: str) -> None:
        (self.data / kind).unlink()

    def begun(self) -> list[str]:
        """What was begun so far, in order, each as its kind and the number of its process."""
        noted = self.data / "begun"
        return noted.read_text().splitlines() if noted.exists() else []

    def kinds(self) -> list[str]:
        return [line.split()[0] for line in self.begun()]

    def wait(self, what: Callable[[], bool], within: float = 90) -> float:
        """Seconds until it was so."""
        since = time.monotonic()
        while not what():
            assert time.monotonic() < since + within, (self.data / "worker.log").read_text()[-3000:]
            time.sleep(0.05)
        return time.monotonic() - since

    def wait_for(self, number: int) -> float:
        """Seconds until so many were begun."""
        return self.wait(lambda: len(self.begun()) >= number)


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Stand:
    """With an answer that was handed in and waits to be graded."""
    stand = Stand(tmp_path_factory.mktemp("worker"))
    lend_to_a_process(stand.data)
    stand.do("manage.py", "migrate", "--verbosity", "0")
    stand.ask(SUBMIT)
    return stand


@pytest.fixture
def worker(stand: Stand, request: pytest.FixtureRequest) -> Iterator[Stand]:
    """One process works, unless a test wants more: no other can take what the order is asked of."""
    process = stand.work(getattr(request, "param", 1))
    yield stand
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.nightly
def test_run_goes_before_gradings_that_were_queued_first(worker: Stand) -> None:
    worker.hold("grading")
    worker.ask(FOUR_MORE)
    worker.wait(lambda: worker.kinds() == ["grading"])
    worker.ask(RUN)
    worker.let_go("grading")
    worker.wait_for(6)
    assert worker.kinds() == ["grading", "run", *["grading"] * 4]
    worker.wait(lambda: worker.ask(UNFINISHED) == "0 0")


@pytest.mark.parametrize("worker", [3], indirect=True)
@pytest.mark.nightly
def test_gradings_that_come_all_at_once_leave_processes_to_runs(worker: Stand) -> None:
    before = len(worker.begun())
    worker.hold("grading")
    worker.ask(FOUR_MORE, RUN)
    worker.wait_for(before + 2)
    time.sleep(2)  # for others to take a place that they may not have
    begun = worker.kinds()[before:]
    worker.let_go("grading")
    assert sorted(begun) == ["grading", "run"]
    worker.wait(lambda: worker.ask(UNFINISHED) == "0 0")


@pytest.mark.nightly
def test_killed_processes_cost_a_run_no_try_and_no_wait(worker: Stand) -> None:
    before = len(worker.begun())
    worker.hold("run")
    worker.ask(RUN)
    for kill in range(KILLS):
        waited = worker.wait_for(before + kill + 1)
        assert kill == 0 or waited < 20, "The run waits for its lease."
        os.kill(int(worker.begun()[-1].split()[1]), signal.SIGKILL)
    worker.wait_for(before + KILLS + 1)
    worker.let_go("run")
    worker.wait(lambda: worker.ask(LAST).startswith("done"))
    assert worker.ask(LAST) == f"done 1 {KILLS}"


@pytest.mark.nightly
def test_message_goes_out_within_seconds_and_before_any_schedule(worker: Stand) -> None:
    worker.ask(INVITE)

    def mails() -> str:
        return "".join(path.read_text() for path in (worker.data / "mail").glob("*.log"))

    worker.wait(lambda: mails().count("Subject: Your work sample for GPU engineer") == 1)
    assert mails().count("To: ada@example.com") == mails().count("Subject: ")


def test_schedule_of_a_site_is_started_again_like_every_part_of_it() -> None:
    """Inside a worker it would not be: then nothing sweeps until the worker ends."""
    commands = {child.name: child.command for child in launcher.site(8000)}
    assert "--beat" not in commands["worker"]
    assert "beat" in commands["schedule"]
