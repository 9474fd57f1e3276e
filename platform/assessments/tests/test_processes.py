"""A worker's processes are forked while its pulse goes on: none begins with half of what it writes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from django.conf import settings

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


STAND_BEHIND = """
import os
from pathlib import Path
from assessments.processes import stand_behind
stand_behind(5)
own = Path("/proc/self/autogroup")
said = own.read_text() if own.exists() else ""
print(os.nice(0), (said or "none").split()[-1])
"""


@pytest.mark.parametrize("of_its_own", [True, False])
def test_only_a_process_with_a_session_of_its_own_puts_its_session_behind(of_its_own: bool) -> None:
    own = Path("/proc/self/autogroup")
    # Empty for whoever belongs to the session that the kernel began with.
    said = own.read_text() if own.exists() else ""
    ours = (said or "none").split()[-1]
    done = subprocess.run(
        [sys.executable, "-c", STAND_BEHIND],
        start_new_session=of_its_own,
        env={"PYTHONPATH": f"{settings.ROOT}/platform:{settings.ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    behind = "5" if of_its_own and own.exists() else ours
    assert done.stdout.split() == [str(os.nice(0) + 5), behind]
