"""What a run could leave on the host, counted from outside."""

from __future__ import annotations

import contextlib
import gc
import os
import time
from pathlib import Path

import docker
from docker.errors import DockerException

from sandbox.container import LABEL_STATE

_CGROUPS = Path("/sys/fs/cgroup")


def processes(prefix: str) -> set[int]:
    """Processes in the groups of runs whose name starts with `prefix`.

    Not by their user: other runners of this host use the same ones.
    """
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                where = (entry / "cgroup").read_text()
            except OSError:
                continue
            if f"/headnode/{prefix}" in where:
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
        with contextlib.closing(docker.APIClient(url, version="auto", timeout=10)) as api:
            found = api.containers(all=True, filters={"label": f"{LABEL_STATE}={state}"})
    except DockerException:
        return []
    return sorted(one["Id"] for one in found)


def mounts() -> list[str]:
    """What is mounted on the host, but for an engine's own mounts, which come and go."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return sorted(line for line in lines if "docker" not in line and "containerd" not in line)


def descriptor_count() -> int:
    gc.collect()  # what an earlier test's failure still holds is closed whenever Python likes
    return len(_open_numbers())


def _open_numbers() -> list[str]:
    listing = os.open("/proc/self/fd", os.O_RDONLY | os.O_DIRECTORY)
    try:
        names = os.listdir(listing)
    finally:
        os.close(listing)
    return [name for name in names if int(name) != listing]


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


def gone(prefix: str, within_s: float = 5.0) -> bool:
    """Wait until none of these runs' processes is there any more."""
    deadline = time.monotonic() + within_s
    while processes(prefix):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
