"""Who a process is, beyond its number: numbers come back, soon in a container. And which ones go first."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

STATE, STARTED = 0, 19
"""Places in /proc/N/stat after the name: proc(5) numbers state 3 and starttime 22, the name is the second."""
ENDED = {"Z", "X"}
"""States of a process that is no more: a zombie that nobody has waited for yet, and dead."""

FORKS = threading.Lock()
"""Held by a thread while it has SQLite open beside others that may fork.

SQLite keeps its locks in the process's memory: a process that is forked while a thread writes has the
write lock in its copy for good, and finds the database locked for as long as it lives.
"""
os.register_at_fork(
    before=FORKS.acquire, after_in_parent=FORKS.release, after_in_child=FORKS.release
)


def start_time(process: int) -> str | None:
    """When the process started, in the kernel's ticks; None where it does not run (any more)."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[STATE] in ENDED else fields[STARTED]


def stand_behind(niceness: int) -> None:
    """Let others go first: this process within its session, and a session that it leads among all of them.

    A desktop's or a plain server's kernel weighs sessions against each other (sched(7), autogroup): there a
    process's own niceness says nothing to a web server, which has a session of its own.
    """
    os.nice(niceness)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # another kernel, or one that was built without
            Path("/proc/self/autogroup").write_text(str(niceness))
