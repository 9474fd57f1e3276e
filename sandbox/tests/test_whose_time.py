"""A program is stopped for its own time alone: not for the host's, nor for its judge's."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from sandbox import Backend, Outcome
from sandbox.conversation import Conversation
from sandbox.tests.episode import Steps, run

CALLS = "import headnode_sdk\nfor n in range({}): headnode_sdk.call('step', job=n, node=0)\n"
# On one processor, so that one processor's neighbours are enough to starve it.
PINNED = "import os, time\nos.sched_setaffinity(0, {0})\n"
SPINNERS = 24


class SlowJudge(Steps):
    """Takes a while for each answer: of processor time, or asleep."""

    def __init__(self, length: int, spins: bool, cost_s: float = 0.05) -> None:
        super().__init__(length)
        self._cost_s = cost_s
        self._clock = time.thread_time if spins else time.monotonic
        self._spins = spins

    def call(self, method: str, params: dict[str, object]) -> object:
        until = self._clock() + self._cost_s
        while (left := until - self._clock()) > 0:
            if not self._spins:
                time.sleep(left)
        return super().call(method, params)


@contextmanager
def busy() -> Iterator[None]:
    """One processor shared with many, each in a session of its own, which the kernel weighs alone."""
    spin = [sys.executable, "-S", "-c", "import os\nos.sched_setaffinity(0, {0})\nwhile True: pass"]
    with ExitStack() as stack:
        for _ in range(SPINNERS):
            one = subprocess.Popen(spin, start_new_session=True)
            stack.callback(one.wait)
            stack.callback(one.kill)
        yield


def test_what_our_answers_take_does_not_count(backend: Backend) -> None:
    session = SlowJudge(40, spins=False)
    outcome = run(backend, CALLS.format(40), session, wall_s=1.0)
    assert outcome.status == "ok", outcome
    assert outcome.waited_s > 1.9
    assert outcome.own_s < 1.0


@pytest.mark.nightly
def test_programs_whose_judges_share_a_process_do_not_pay_for_each_other(
    namespace: Backend,
) -> None:
    """Python lets one of them go on at a time: each would wait some seconds for its answers."""

    def play(_: int) -> Outcome:
        return run(
            namespace, CALLS.format(100), SlowJudge(100, spins=True, cost_s=0.01), wall_s=0.8
        )

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(play, range(6)))
    assert [outcome.status for outcome in outcomes] == ["ok"] * 6, outcomes


@pytest.mark.by_day(ids=["namespace"])
def test_starved_program_is_not_stopped_for_its_host(backend: Backend) -> None:
    work = (
        "until = time.process_time() + 0.4\nwhile time.process_time() < until: pass\nprint('done')"
    )
    with busy():
        outcome = run(backend, PINNED + work, wall_s=1.0)
    assert outcome.status == "ok", outcome
    assert outcome.stdout == "done\n"
    assert outcome.waited_s > 1.0


@pytest.mark.nightly
def test_sleeper_is_stopped_for_its_own_time_on_a_busy_host(backend: Backend) -> None:
    with busy():
        outcome = run(backend, PINNED + "time.sleep(60)", wall_s=2.0)
    assert outcome.status == "timeout", outcome
    assert "time limit of 2 s" in outcome.detail


def test_threads_that_wait_for_each_other_stay_within_the_limits(namespace: Backend) -> None:
    """Many that are ready at once wait long in sum, and yet nobody but their program keeps them."""
    herd = (
        "import threading, time\n"
        "def wake():\n"
        "  while True: time.sleep(0.02); sum(range(300))\n"
        "for _ in range(30): threading.Thread(target=wake).start()\n"
    )
    began = time.monotonic()
    outcome = run(namespace, PINNED + herd, wall_s=2.0, cpu_s=8.0)
    assert outcome.status in ("timeout", "cpu_limit"), outcome
    assert time.monotonic() - began < 60


def test_host_that_is_too_busy_is_ours(namespace: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.conversation._TOO_BUSY", 1.0)
    monkeypatch.setattr("sandbox.conversation._TOO_BUSY_S", 0.2)
    outcome = run(namespace, CALLS.format(40), SlowJudge(40, spins=False), wall_s=1.0)
    assert outcome.status == "sandbox_error", outcome
    assert "too busy" in outcome.detail
    assert "not its fault" in outcome.detail


def test_costly_calls_are_the_programs_own(
    namespace: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.conversation._JUDGED", 0.5)
    outcome = run(namespace, CALLS.format(40), SlowJudge(40, spins=True), wall_s=1.0)
    assert outcome.status == "timeout", outcome
    assert "0.5 s of processor time to answer" in outcome.detail


def test_what_a_program_said_last_is_heard_however_late_we_are(
    namespace: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks without waiting and leaves; the judge gets to its questions long after that."""
    program = (
        "import headnode_sdk, json, struct\n"
        "for n in range(30):\n"
        "  body = json.dumps({'id': n, 'm': 'step', 'p': {'job': n, 'node': 0}}).encode()\n"
        "  headnode_sdk._sock.sendall(struct.pack('>I', len(body)) + body)\n"
    )
    late = Conversation._on_exit

    def leave(self: Conversation, mask: int) -> None:
        late(self, mask)
        time.sleep(3.0)

    monkeypatch.setattr(Conversation, "_on_exit", leave)
    monkeypatch.setattr("sandbox.conversation._CHUNK", 100)
    session = Steps(30)
    assert run(namespace, program, session).status == "ok"
    assert session.taken == 30
