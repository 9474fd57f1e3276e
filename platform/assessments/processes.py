"""Who a process is, beyond its number: numbers come back, soon in a container."""

from __future__ import annotations

from pathlib import Path

STATE, STARTED = 0, 19  # fields of /proc/N/stat after the name; see proc(5)
ENDED = {"Z", "X"}


def start_time(process: int) -> str | None:
    """When the process started, in the kernel's ticks; None where it does not run (any more)."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[STATE] in ENDED else fields[STARTED]
