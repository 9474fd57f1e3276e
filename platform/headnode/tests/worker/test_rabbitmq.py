"""RabbitMQ as the broker: what waits passes through it, and neither its death nor a worker's loses anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from headnode.tests.worker.rabbit import Rabbit
from headnode.tests.worker.test_worker import ROOT, RUN, SETUP, SUBMIT, Stand

pytestmark = pytest.mark.nightly
AT_ONCE_S = 5.0
"""What a candidate waits at most for an answer while the broker is away: its row is what counts."""
VARIANT = """
from assessments.models.prepared import PreparedVariant
from assessments.prepared.drawing import prepare
from hiring.models import Invitation
prepare(Invitation.objects.get(), now=NOW)
"""
ONE_MORE = """
given = {"submission": Submission.objects.get(), "hidden_workloads": 5, "created_at": NOW}
enqueue_grading(GradingRun.objects.create(**given).pk)
"""
ASK = """
from assessments.models.prepared import PreparedVariant
print(*(kind.objects.unfinished().count() for kind in (Run, GradingRun, PreparedVariant)))
"""
RESULTS = """
from assessments.models.prepared import PreparedVariant
kinds = (Run, GradingRun, PreparedVariant)
print(*sorted({row.result for kind in kinds for row in kind.objects.all()}))
"""
TICK = """
from celery import current_app
current_app.send_task("assessments.tasks.sweep", retry=False)
"""
FRONT = """
import sys
for line in sys.stdin:
    draft = Draft.objects.latest("pk")
    given = {"attempt": draft.attempt, "round": 1, "draft": draft, "workload": "public-1"}
    enqueue_run(Run.objects.create(created_at=timezone.now(), **given).pk)
    print("kept", flush=True)
"""
"""A web process that lives through it all: for each line it writes a row and tells the workers."""


@pytest.fixture(scope="module")
def rabbit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rabbit]:
    rabbit = Rabbit(tmp_path_factory.mktemp("rabbit"))
    try:
        rabbit.start()
        yield rabbit
    finally:
        rabbit.end()


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory, rabbit: Rabbit) -> Stand:
    """With an answer that was handed in, whose grading waits in the broker."""
    stand = Stand(tmp_path_factory.mktemp("worker"))
    stand.environment["BROKER_URL"] = rabbit.url
    stand.do("manage.py", "migrate", "--verbosity", "0")
    stand.ask(SUBMIT)
    return stand


@pytest.fixture
def worker(stand: Stand) -> Iterator[subprocess.Popen[bytes]]:
    process = stand.work(2)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def settled(stand: Stand, within: float = 600) -> None:
    stand.wait(lambda: stand.ask(ASK) == "0 0 0", within)
    assert stand.ask(RESULTS) == "done"


def test_a_run_a_grading_and_a_variant_pass_through_it(
    stand: Stand, worker: subprocess.Popen[bytes]
) -> None:
    stand.ask(RUN, VARIANT)
    settled(stand)
    assert set(stand.kinds()) == {"run", "grading"}


def test_a_worker_that_is_killed_in_the_midst_loses_nothing(
    stand: Stand, worker: subprocess.Popen[bytes]
) -> None:
    """All of it at once, as a host that dies: another takes up what it had."""
    before = len(stand.begun())
    for kind in ("run", "grading"):
        stand.hold(kind)
    stand.ask(RUN, ONE_MORE)
    stand.wait_for(before + 2)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    for kind in ("run", "grading"):
        stand.let_go(kind)
    other = stand.work(2)
    try:
        stand.wait_for(before + 4)
        settled(stand)
    finally:
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()


def test_workers_join_and_leave_under_load(stand: Stand, worker: subprocess.Popen[bytes]) -> None:
    """One joins, the first leaves as `systemctl stop` asks it, one dies, one more joins: each row ends once."""
    stand.hold("grading")
    stand.ask(ONE_MORE * 12, RUN * 4)
    stand.wait_for(len(stand.begun()) + 1)
    others = [stand.work(2)]
    try:
        time.sleep(3)
        stand.let_go("grading")
        worker.terminate()
        others.append(stand.work(2))
        stand.wait(lambda: worker.poll() is not None, within=300)
        os.killpg(others[0].pid, signal.SIGKILL)
        settled(stand)
        assert stand.ask("print(max(row.tries for row in GradingRun.objects.all()))") == "1"
    finally:
        for other in others:
            if other.poll() is None:
                os.killpg(other.pid, signal.SIGKILL)
            other.wait()


def test_a_broker_that_dies_and_comes_back_empty_loses_nothing(
    stand: Stand, worker: subprocess.Popen[bytes], rabbit: Rabbit
) -> None:
    """Worker and web process live through it; what was written meanwhile is found by the next sweep."""
    front = subprocess.Popen(
        [sys.executable, "-c", SETUP + FRONT],
        env=stand.environment,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert front.stdin is not None
    assert front.stdout is not None

    def another_run() -> float:
        since = time.monotonic()
        front.stdin.write("\n")  # type: ignore[union-attr]
        front.stdin.flush()  # type: ignore[union-attr]
        assert front.stdout.readline() == "kept\n"  # type: ignore[union-attr]
        return time.monotonic() - since

    begun = len(stand.begun())
    try:
        another_run()
        stand.wait_for(begun + 1)
        rabbit.kill()
        assert [one for one in (another_run(), another_run()) if one > AT_ONCE_S] == []
        rabbit.empty()
        rabbit.start()
        stand.ask(TICK)  # the schedule sends it every ten seconds
        stand.wait_for(begun + 3)
        another_run()  # and this process finds the broker again by itself, at the latest the second time
        another_run()
        stand.wait_for(begun + 4)
        stand.ask(TICK)
        settled(stand)
    finally:
        front.kill()
        front.wait()
