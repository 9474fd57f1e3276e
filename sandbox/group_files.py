"""Reads, ends and removes one control group's folder, of either version; sets no bound."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

# How long the kernel may take, on a busy host, to end what was killed.
_PATIENCE_S = 10.0


def children(folder: Path) -> Iterator[str]:
    return (entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))


def field(file: Path, name: str) -> int:
    for line in file.read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def pids_below(folder: Path) -> list[int]:
    """Those of the folder and of the folders a container runtime made in it."""
    found: list[int] = []
    with unless_gone():
        found += own_pids(folder)
        for child in children(folder):
            found += pids_below(folder / child)
    return found


@contextlib.contextmanager
def unless_gone() -> Iterator[None]:
    """Another sweep, or a container runtime, may remove a group while we look at it; a file of it
    that is open already then has no device."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENODEV):
            raise


def own_pids(folder: Path) -> list[int]:
    """A process of another pid namespace reads as 0, and that would name ourselves."""
    return [int(pid) for pid in (folder / "cgroup.procs").read_text().split() if pid != "0"]


def kill_all(pids: Callable[[], list[int]]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while (alive := pids()) and time.monotonic() < deadline:
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.002)


def remove(folder: Path) -> None:
    """The kernel refuses for a moment after the last process has gone."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        try:
            for child in children(folder):
                remove(folder / child)
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)


def pressure_s(group: Path) -> float | None:
    """Source: Documentation/accounting/psi.rst; kernels before 5.13 have no such line for processors."""
    try:
        for line in (group / "cpu.pressure").read_text().splitlines():
            if line.startswith("full "):
                return int(line.rpartition("total=")[2]) / 1e6
    except OSError:
        return None
    return None
