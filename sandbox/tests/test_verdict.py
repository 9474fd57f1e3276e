"""What a death by signal is called, where the figures say more than the signal's name."""

from __future__ import annotations

import pytest

from sandbox.capture import Output
from sandbox.limits import Limits
from sandbox.probe import Report
from sandbox.verdict import Facts

KILLED = 128 + 9


@pytest.mark.parametrize(
    ("cpu_s", "oom_kills", "status"),
    [(0.0, 0, "sandbox_error"), (Limits().cpu_s, 0, "cpu_limit"), (Limits().cpu_s, 1, "oom")],
)
def test_a_kill_is_named_by_what_was_used_up(cpu_s: float, oom_kills: int, status: str) -> None:
    """On a busy host the kernel's bound on processor time may come before ours."""
    facts = Facts(
        stopped=None,
        exit_code=KILLED,
        oom_kills=oom_kills,
        complete=False,
        calls=0,
        wall_s=1.0,
        own_s=1.0,
        waited_s=0.0,
        cpu_s=cpu_s,
        peak_mb=1.0,
    )
    found = facts.outcome(Limits(), Output(1024), Report("namespace"), "")
    assert found.status == status
