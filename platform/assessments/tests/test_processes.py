"""A worker's processes are forked while its pulse goes on: none begins with half of what it writes."""

from __future__ import annotations

import os
import threading
import time

import pytest

from assessments import outages


def test_fork_waits_for_a_pulse_that_is_being_written(monkeypatch: pytest.MonkeyPatch) -> None:
    writing = threading.Event()

    def write(saying: outages.Saying) -> None:
        writing.set()
        time.sleep(0.3)
        writing.clear()

    monkeypatch.setattr(outages, "PULSE_S", 0.01)
    monkeypatch.setattr(outages.Saying, "now", write)
    end = outages.keep_pulse("worker")
    assert writing.wait(5)
    child = os.fork()
    if child == 0:
        os._exit(int(writing.is_set()))
    _, status = os.waitpid(child, 0)
    end()
    assert os.waitstatus_to_exitcode(status) == 0
