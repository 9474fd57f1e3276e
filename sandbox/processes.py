"""Watches, kills and reaps a sandbox's two processes by number, without ever mistaking them."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# Process 1 goes after all others of its namespace, which takes a busy host its time.
_PATIENCE_S = 10.0


class Pair:
    """bubblewrap outside the namespace, a child of ours, and its process 1 inside.

    `cpu_s` (seconds) and `peak_mb` (MiB) are for hosts without a group to meter the run.
    """

    def __init__(self, outer: int) -> None:
        self.outer = outer
        self.outer_fd = os.pidfd_open(outer)
        self.inner: int | None = None
        self.exit_code: int | None = None
        self._reaped_s = 0.0
        self._sampled_s = 0.0
        self.peak_mb = 0.0
        self._inner_fd: int | None = None

    def attach(self, inner: int) -> bool:
        """Learn process 1's number. False when it has gone before it could be held on to."""
        try:
            self._inner_fd = os.pidfd_open(inner)
        except ProcessLookupError:
            return False
        self.inner = inner
        return True

    def kill_inside(self) -> None:
        """The kernel takes the whole namespace with its process 1."""
        if self._inner_fd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._inner_fd, signal.SIGKILL)

    def kill(self) -> None:
        self.kill_inside()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.outer_fd, signal.SIGKILL)

    def reap(self) -> None:
        """Collect both; a second time does nothing.

        When the outer one goes first, the inner one is handed to this process, a subreaper.
        """
        if self.exit_code is None:
            _pid, status, used = os.wait4(self.outer, 0)
            self._note(used)
            code = os.waitstatus_to_exitcode(status)
            self.exit_code = 128 - code if code < 0 else code
            if self.inner is not None:
                self._reap_inner(self.inner)

    def _reap_inner(self, inner: int) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            try:
                pid, _status, used = os.wait4(inner, os.WNOHANG)
            except ChildProcessError:
                if not Path(f"/proc/{inner}").exists():
                    return
            else:
                if pid:
                    self._note(used)
                    return
            time.sleep(0.001)

    def _note(self, used: resource.struct_rusage) -> None:
        """Not its peak memory: the kernel counts in what this process held when it forked."""
        self._reaped_s += used.ru_utime + used.ru_stime

    @property
    def cpu_s(self) -> float:
        """Children that were killed count only as far as they had been sampled."""
        return max(self._reaped_s, self._sampled_s)

    def sample(self) -> float:
        """Processor seconds of the living tree below process 1; notes its peak memory too."""
        if self.inner is None:
            return 0.0
        cpu_s, peak_mb = sample_tree(self.inner)
        self._sampled_s = max(self._sampled_s, cpu_s)
        self.peak_mb = max(self.peak_mb, peak_mb)
        return cpu_s

    def pids(self) -> list[int]:
        """Process 1 and all below it."""
        return [] if self.inner is None else tree(self.inner)

    def held_mb(self, bound_mb: float) -> float:
        """Memory of the whole run now, in MiB; see the function of this name."""
        return 0.0 if self.inner is None else held_mb(self.inner, bound_mb)

    def close(self) -> None:
        os.close(self.outer_fd)
        if self._inner_fd is not None:
            os.close(self._inner_fd)


def sample_tree(root: int) -> tuple[float, float]:
    """Processor seconds of a process and all below it, and the largest one's peak in MiB."""
    cpu_s, peak_mb = 0.0, 0.0
    for pid in tree(root):
        with contextlib.suppress(OSError, ValueError, IndexError):
            cpu_s += _cpu_s(pid)
            peak_mb = max(peak_mb, _size_mb(pid, "status", "VmHWM:"))
    return cpu_s, peak_mb


def held_mb(root: int, bound_mb: float) -> float:
    """Memory in MiB that a process and all below it hold now, with what they share counted once
    as soon as that matters: finding out costs time, so it is done only above the bound."""
    pids = tree(root)
    total = _total_mb(pids, "status", "VmRSS:")
    return total if total <= bound_mb else _total_mb(pids, "smaps_rollup", "Pss:")


def _total_mb(pids: list[int], file: str, field: str) -> float:
    total = 0.0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += _size_mb(pid, file, field)
    return total


def tree(root: int) -> list[int]:
    """A process and all below it."""
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        found.append(pid)
        with contextlib.suppress(OSError, ValueError):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
            queue += map(int, children.split())
    return found


def _cpu_s(pid: int) -> float:
    """Own and reaped children's time: fields 14 to 17 of proc_pid_stat(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(value) for value in fields[11:15]) / _TICKS


def _size_mb(pid: int, file: str, field: str) -> float:
    for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0
