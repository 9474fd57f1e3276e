"""Turns the facts of a run into its outcome; believes nothing the program printed."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

from sandbox.capture import Output
from sandbox.contract import Outcome, Status
from sandbox.conversation import Ended, cpu_sentence, memory_sentence
from sandbox.handover import OUT_OF_MEMORY
from sandbox.limits import Limits
from sandbox.probe import Report

_FRAME = re.compile(r'^ +File "(?P<file>[^"\n]{1,200})", line (?P<line>\d{1,9})', re.MULTILINE)
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:: .*)?$")
_LONGEST = 300
_SIGNALLED = 128


@dataclass(frozen=True)
class Facts:
    """All seen from outside. `exit_code` follows the shell: 128 + signal for a death by signal.

    Times in seconds, memory in MiB; `stopped` is why we ended the run, if we did.
    """

    stopped: Ended | None
    exit_code: int | None
    oom_kills: int
    complete: bool
    calls: int
    wall_s: float
    own_s: float
    waited_s: float
    cpu_s: float
    peak_mb: float

    def outcome(self, limits: Limits, output: Output, report: Report, image: str) -> Outcome:
        """One status for machines, one sentence for people, and the figures."""
        stderr = output.err.text()
        status, detail = self._judge(limits, stderr)
        return Outcome(
            status=status,
            detail=detail,
            backend=report.backend,
            exit_code=None if self.stopped else self.exit_code,
            stdout=output.out.text(),
            stderr=stderr,
            stdout_truncated=output.out.truncated,
            wall_s=round(self.wall_s, 4),
            cpu_s=round(self.cpu_s, 4),
            own_s=round(self.own_s, 4),
            waited_s=round(self.waited_s, 4),
            max_rss_mb=round(self.peak_mb, 2),
            layers=report.working,
            reduced=report.marks,
            calls=self.calls,
            image=image,
        )

    def _judge(self, limits: Limits, stderr: str) -> tuple[Status, str]:
        if self.stopped is not None:
            return self.stopped.status, self.stopped.detail
        code = self.exit_code
        if code is None:
            return "sandbox_error", "The sandbox lost sight of the program; not your fault."
        if code > _SIGNALLED and (name := _signal_name(code - _SIGNALLED)):
            return self._signalled(name, limits)
        if code == OUT_OF_MEMORY and self.oom_kills:
            return "oom", memory_sentence(limits)
        if code:
            return "candidate_error", _explain(code, stderr)
        if not self.complete:
            return "incomplete", "Your program ended by itself before the episode was over."
        return "ok", "Your program ran to its end."

    def _signalled(self, name: str, limits: Limits) -> tuple[Status, str]:
        if name == "SIGKILL" and self.oom_kills:
            return "oom", memory_sentence(limits)
        # The kernel's own bound kills where we were too late to see the limit passed.
        if name == "SIGXCPU" or (name == "SIGKILL" and self.cpu_s >= limits.cpu_s):
            return "cpu_limit", cpu_sentence(limits)
        if name == "SIGKILL":
            # It cannot do that to itself (kills.py), and no limit has.
            return (
                "sandbox_error",
                "Your program was killed from outside the sandbox; not its fault.",
            )
        return "crashed", f"Your program was ended by the signal {name}."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _explain(code: int, stderr: str) -> str:
    """Words for the page, from the last lines of stderr; never a fact that counts."""
    lines = stderr.rstrip().splitlines()
    if code != 1 or not lines or not _RAISED.match(lines[-1]):
        return f"Your program ended with exit code {code}."
    where = list(_FRAME.finditer(stderr))
    place = f" ({where[-1]['file']}, line {where[-1]['line']})" if where else ""
    return f"Your program stopped with {lines[-1][:_LONGEST].rstrip('.')}{place}."
