"""Names one process for good: its number alone is given to another process sooner or later."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Owner:
    """A process, by number, start time (clock ticks since boot), boot and process namespace."""

    pid: int
    start: int
    boot: str
    namespace: str

    @classmethod
    def current(cls) -> Owner:
        """This process."""
        pid = os.getpid()
        return cls(pid, start_ticks(pid) or 0, _boot(), _namespace())

    @property
    def is_judgeable(self) -> bool:
        """Whether this process can see that one at all: same boot, same process namespace."""
        return (self.boot, self.namespace) == (_boot(), _namespace())

    @property
    def is_alive(self) -> bool:
        """True only when seen alive here; a process of another namespace is never seen."""
        return self.is_judgeable and start_ticks(self.pid) == self.start


def start_ticks(pid: int) -> int | None:
    """Start time in clock ticks since boot, field 22 of proc_pid_stat(5); None when it has gone.

    A zombie has gone: it holds no device and no lock any more.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def kill(pid: int, start: int) -> bool:
    """SIGKILL for exactly this process, never for a later one of the same number.

    False when it had gone already or this user may not kill it.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        descriptor = os.pidfd_open(pid)
        try:
            if start_ticks(pid) == start:
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                return True
        finally:
            os.close(descriptor)
    return False


@cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return os.readlink("/proc/self/ns/pid")
