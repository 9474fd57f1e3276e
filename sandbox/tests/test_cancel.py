"""A run that is cancelled ends at once, whatever is going on in it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sandbox import Backend, Limits, Outcome, Spec, handover
from sandbox.runner import state_key
from sandbox.tests import traces
from sandbox.tests.episode import SDK, Steps

AT_ONCE_S = 1.0
ASKS = b"import headnode_sdk\nheadnode_sdk.call('ping')\n"
FLOODS = ASKS + b"import os\nwhile True: os.write(1, b'y' * 65536)"
CALLS = b"import headnode_sdk\nwhile True: headnode_sdk.call('ping')"


class Announcing(Steps):
    """Says when the program has got to its first question; may be stuck in it until it is freed."""

    def __init__(self, stuck: bool = False) -> None:
        super().__init__()
        self.asked, self.freed = threading.Event(), threading.Event()
        self._stuck = stuck

    def call(self, method: str, params: dict[str, object]) -> object:
        self.asked.set()
        if self._stuck:
            self.freed.wait(60)
        return super().call(method, params)


def cancelled(
    backend: Backend, program: bytes, session: Announcing, begun: threading.Event
) -> tuple[Outcome, float]:
    """What a run came to that was cancelled once it had begun so far, and how long after that."""
    cancel = threading.Event()
    spec = Spec({"controller.py": program}, sdk=SDK, limits=Limits(output_kb=1 << 20))
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(backend.run, spec, session, cancel)
        assert begun.wait(30)
        cancel.set()
        began = time.monotonic()
        return going.result(30), time.monotonic() - began


@pytest.mark.parametrize("program", [ASKS + b"import time; time.sleep(60)", FLOODS, CALLS])
def test_running_program_is_cancelled(program: bytes, backend: Backend, shared_state: Path) -> None:
    session = Announcing()
    outcome, took_s = cancelled(backend, program, session, session.asked)
    assert outcome.status == "cancelled", outcome
    assert took_s < AT_ONCE_S
    assert traces.gone(state_key(shared_state))


def test_run_is_cancelled_while_we_are_stuck_in_an_answer(
    backend: Backend, shared_state: Path
) -> None:
    session = Announcing(stuck=True)
    outcome, took_s = cancelled(backend, CALLS, session, session.asked)
    session.freed.set()
    assert outcome.status == "cancelled", outcome
    assert took_s < AT_ONCE_S
    assert traces.gone(state_key(shared_state))


def test_run_is_cancelled_while_it_starts(
    backend: Backend, shared_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starting, go_on = threading.Event(), threading.Event()
    hello: Callable[..., Any] = handover.hello

    def late(*arguments: Any) -> Any:
        starting.set()
        go_on.wait(60)
        return hello(*arguments)

    monkeypatch.setattr(handover, "hello", late)
    session = Announcing()
    outcome, took_s = cancelled(backend, CALLS, session, starting)
    go_on.set()
    assert outcome.status == "cancelled", outcome
    assert took_s < AT_ONCE_S
    assert traces.gone(state_key(shared_state))
    assert not session.asked.is_set()


def test_fault_of_ours_is_not_taken_for_a_cancellation(
    namespace: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any) -> Any:
        raise LookupError("a fault in our own code")

    monkeypatch.setattr(handover, "program", broken)
    spec = Spec({"controller.py": ASKS}, sdk=SDK)
    with pytest.raises(LookupError):
        namespace.run(spec, Announcing(), threading.Event())


def test_what_was_printed_is_there_however_long_the_end_takes(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.episode._PART_S", 0.0)
    session = Announcing()
    program = b"import time\nprint('begun', flush=True)\ntime.sleep(2)\n" + ASKS + b"time.sleep(60)"
    outcome, _ = cancelled(backend, program, session, session.asked)
    assert (outcome.status, outcome.stdout) == ("cancelled", "begun\n")
