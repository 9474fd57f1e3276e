"""What a run could leave on the host, counted from outside."""

from __future__ import annotations

import contextlib
import gc
import os
import time
from collections import Counter
from pathlib import Path

import docker
from docker.errors import DockerException

from sandbox.container import LABEL_STATE

_CGROUPS = Path("/sys/fs/cgroup")


def processes(prefix: str) -> set[int]:
    """Living processes in the groups of runs whose name starts with `prefix`.

    Not by their user: other runners of this host use the same ones. One that has ended is still
    listed in its group of version 2 until somebody has collected it.
    """
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                where = (entry / "cgroup").read_text()
                ended = (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            except OSError:
                continue
            if f"/headnode/{prefix}" in where and not ended:
                found.add(int(entry.name))
    return found


def groups(prefix: str) -> set[str]:
    """Groups of runs whose name starts with `prefix`, in every hierarchy."""
    houses = [_CGROUPS / "headnode", *_CGROUPS.glob("*/headnode")]
    return {
        str(entry)
        for house in houses
        if house.is_dir()
        for entry in house.iterdir()
        if entry.is_dir() and entry.name.startswith(prefix)
    }


def containers(state: str, url: str) -> list[str]:
    """Those of this installation that the engine knows, running or not; none without an engine."""
    try:
        with contextlib.closing(docker.APIClient(url, version="auto", timeout=60)) as api:
            found = api.containers(all=True, filters={"label": f"{LABEL_STATE}={state}"})
    except DockerException:
        return []
    return sorted(one["Id"] for one in found)


def mounts() -> list[str]:
    """What is mounted on the host, but for an engine's own mounts, which come and go."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return sorted(line for line in lines if "docker" not in line and "containerd" not in line)


def descriptors() -> Counter[str]:
    """What this process holds open, by what it leads to: files by path, sockets and pipes by inode."""
    gc.collect()  # what an earlier test's failure still holds is closed whenever Python likes
    held: Counter[str] = Counter()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing's own
            held[os.readlink(f"/proc/self/fd/{name}")] += 1
    return held


def left_open(held: Counter[str], within_s: float = 20.0) -> Counter[str]:
    """What this process holds open and is not of `held`, once others' sweeps have had time to end.

    The backends that the whole session shares sweep once a minute, and hold a folder and a socket
    for a moment; what is not closed stays open for good.
    """
    deadline = time.monotonic() + within_s
    while (left := descriptors() - held) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def children() -> list[int]:
    """Living and dead children of this process, orphans that came to it included."""
    own = str(os.getpid())
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == own:
                found.append(int(entry.name))
    return found


def gone(prefix: str, within_s: float = 20.0) -> bool:
    """Wait until none of these runs' processes is there any more."""
    deadline = time.monotonic() + within_s
    while processes(prefix):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
