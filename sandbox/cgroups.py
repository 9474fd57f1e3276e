"""A memory, process and processor budget for one run, on cgroup v1 or v2; knows no sandbox."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Protocol

from sandbox.group_files import (
    children,
    field,
    kill_all,
    own_pids,
    pids_below,
    pressure_s,
    remove,
    unless_gone,
)
from sandbox.limits import Limits

HOUSE = "headnode"
_ASIDE = "runner"
_ATTEMPTS = 5
_PERIOD_US = 100_000
# Two processes of the sandbox itself are in the group beside the program.
_OURS = 2
_V1 = ("memory", "pids", "cpu", "cpuacct")
_V2 = ("memory", "pids", "cpu")


class Group(Protocol):
    """One run's budget and its meters."""

    def bound(self, limits: Limits) -> None: ...

    def add(self, pid: int) -> None: ...

    def cpu_s(self) -> float: ...

    def peak_mb(self) -> float: ...

    def oom_kills(self) -> int:
        """How many processes the kernel killed because the group had reached its own memory limit."""

    def pids(self) -> list[int]: ...

    def pressure_s(self) -> float | None:
        """Seconds in which processes were ready and none had a processor; None without an account."""

    def kill(self) -> None: ...

    def remove(self) -> None: ...


class Tree(Protocol):
    """Where runs' groups are made."""

    version: int

    def create(self, name: str, limits: Limits | None) -> Group:
        """Make a group; without limits it only measures. Raises OSError."""

    def names(self) -> set[str]:
        """Every run's group that exists."""

    def open(self, name: str) -> Group:
        """A group that exists already."""


class GroupV1:
    """The same name in each controller's own hierarchy."""

    def __init__(self, folders: dict[str, Path], strays: list[Path], unified: Path | None) -> None:
        """`unified`, in the hierarchy of version 2 beside these, keeps the account of pressure."""
        self._at, self._strays, self._unified = folders, strays, unified

    def bound(self, limits: Limits) -> None:
        memory, cpu = self._at["memory"], self._at["cpu"]
        _bound_memory(memory, limits.memory_mb << 20)
        (self._at["pids"] / "pids.max").write_text(str(limits.pids + _OURS))
        (cpu / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (cpu / "cpu.cfs_quota_us").write_text(str(int(_PERIOD_US * limits.cpus)))

    def add(self, pid: int) -> None:
        for folder in self.folders():
            (folder / "cgroup.procs").write_text(str(pid))

    def pids(self) -> list[int]:
        return pids_below(self._at["pids"])

    def pressure_s(self) -> float | None:
        return None if self._unified is None else pressure_s(self._unified)

    def cpu_s(self) -> float:
        return int((self._at["cpuacct"] / "cpuacct.usage").read_text()) / 1e9

    def peak_mb(self) -> float:
        return int((self._at["memory"] / "memory.max_usage_in_bytes").read_text()) / (1 << 20)

    def oom_kills(self) -> int:
        """The kernel counts here what it killed for the host's sake too: then the limit was not reached."""
        memory = self._at["memory"]
        most, limit = (
            int((memory / name).read_text())
            for name in ("memory.max_usage_in_bytes", "memory.limit_in_bytes")
        )
        # The kernel charges by some pages at once, and stops short of the last ones.
        reached = most >= limit - (1 << 20)
        return field(memory / "memory.oom_control", "oom_kill") if reached else 0

    def kill(self) -> None:
        kill_all(self.pids)

    def remove(self) -> None:
        for folder in (*self.folders(), *self._strays):
            remove(folder)

    def folders(self) -> set[Path]:
        return {*self._at.values(), *([] if self._unified is None else [self._unified])}


class TreeV1:
    """Needs root: the right to make folders in the four hierarchies."""

    version = 1

    def __init__(
        self, mounts: dict[str, Path], others: set[Path], unified: Path | None = None
    ) -> None:
        """`others` are hierarchies we do not use; a container runtime makes folders there. `unified` is
        that of version 2, where it is mounted beside these."""
        self._house = {name: mount / HOUSE for name, mount in mounts.items()}
        self._others = others
        self._unified = None if unified is None else _accountant(unified / HOUSE)
        for folder in self._house.values():
            _own_house(folder)
        _weigh(self._house["cpu"] / "cpu.shares", 1024)

    def create(self, name: str, limits: Limits | None) -> Group:
        group = self.open(name)
        try:
            for folder in group.folders():
                folder.mkdir(exist_ok=True)
            if limits is not None:
                group.bound(limits)
        except OSError:
            group.remove()
            raise
        return group

    def names(self) -> set[str]:
        return {found for folder in self._house.values() for found in children(folder)}

    def open(self, name: str) -> GroupV1:
        folders = {controller: at / name for controller, at in self._house.items()}
        unified = None if self._unified is None else self._unified / name
        return GroupV1(folders, [mount / HOUSE / name for mount in self._others], unified)


class GroupV2:
    """One folder with all controllers."""

    def __init__(self, folder: Path) -> None:
        self._at = folder
        self._seen = 0

    def bound(self, limits: Limits) -> None:
        (self._at / "memory.max").write_text(str(limits.memory_mb << 20))
        # Neither is on every kernel. A program whose helper ran out of memory may still go on.
        for name in ("memory.swap.max", "memory.oom.group"):
            if (self._at / name).exists():
                (self._at / name).write_text("0")
        (self._at / "pids.max").write_text(str(limits.pids + _OURS))
        (self._at / "cpu.max").write_text(f"{int(_PERIOD_US * limits.cpus)} {_PERIOD_US}")

    def add(self, pid: int) -> None:
        (self._at / "cgroup.procs").write_text(str(pid))

    def cpu_s(self) -> float:
        self._note_memory()
        return field(self._at / "cpu.stat", "usage_usec") / 1e6

    def peak_mb(self) -> float:
        self._note_memory()
        return self._seen / (1 << 20)

    def _note_memory(self) -> None:
        """Before kernel 5.19 there is no peak to read, and at the end nothing is left to see."""
        for name in ("memory.peak", "memory.current"):
            if (self._at / name).exists():
                self._seen = max(self._seen, int((self._at / name).read_text()))
                return

    def oom_kills(self) -> int:
        """What the kernel killed for the host's sake is a kill here without an `oom`."""
        events = self._at / "memory.events"
        return field(events, "oom_kill") if field(events, "oom") else 0

    def pids(self) -> list[int]:
        return pids_below(self._at)

    def pressure_s(self) -> float | None:
        return pressure_s(self._at)

    def kill(self) -> None:
        switch = self._at / "cgroup.kill"
        with unless_gone():
            if switch.exists():
                switch.write_text("1")
        kill_all(self.pids)

    def remove(self) -> None:
        remove(self._at)


class TreeV2:
    """Root at the top of the hierarchy, or an ordinary user in a delegated subtree."""

    version = 2

    def __init__(self, base: Path) -> None:
        """Raises OSError when the subtree cannot be used."""
        offered = set((base / "cgroup.controllers").read_text().split())
        if not offered.issuperset(_V2):
            raise PermissionError(f"{base} lacks the controllers {' '.join(_V2)}")
        self._house = base / HOUSE
        _own_house(self._house)
        _enable(base)
        _enable(self._house)
        _weigh(self._house / "cpu.weight", 100)

    def create(self, name: str, limits: Limits | None) -> Group:
        group = self.open(name)
        group._at.mkdir(exist_ok=True)
        if limits is not None:
            try:
                group.bound(limits)
            except OSError:
                group.remove()
                raise
        return group

    def names(self) -> set[str]:
        return set(children(self._house))

    def open(self, name: str) -> GroupV2:
        return GroupV2(self._house / name)


def find_tree(proc: Path = Path("/proc/self")) -> Tree:
    """The host's usable hierarchy. Raises OSError with the reason when there is none."""
    v1, others, v2 = _mounts(proc)
    if v1.keys() >= set(_V1):
        return TreeV1(v1, others if v2 is None else others | {v2}, v2)
    if v2 is None:
        raise FileNotFoundError("no cgroup hierarchy with memory, pids and cpu is mounted")
    return TreeV2(_subtree(v2, proc))


def sweep(tree: Tree | None, is_dead: Callable[[str], bool]) -> list[str]:
    """End and remove the groups of runs whose runner has gone; one line for each."""
    if tree is None:
        return []
    dead = sorted(filter(is_dead, tree.names()))
    for name in dead:
        group = tree.open(name)
        group.kill()
        group.remove()
    return [f"group {name}" for name in dead]


def _mounts(proc: Path) -> tuple[dict[str, Path], set[Path], Path | None]:
    v1: dict[str, Path] = {}
    others: set[Path] = set()
    v2: Path | None = None
    for line in (proc / "mounts").read_text().splitlines():
        _device, mount, kind, options, *_rest = line.split()
        if kind == "cgroup":
            others.add(Path(mount))
            v1 |= {name: Path(mount) for name in options.split(",") if name in _V1}
        elif kind == "cgroup2":
            v2 = Path(mount)
    return v1, others - set(v1.values()), v2


def _delegated(mount: Path, proc: Path) -> Path:
    """The subtree a service manager gave this process, also when it has stepped aside in it."""
    for line in (proc / "cgroup").read_text().splitlines():
        if line.startswith("0::"):
            own = PurePosixPath(line[3:].lstrip("/"))
            if ".." in own.parts:
                raise PermissionError("this process is outside the cgroup hierarchy it can see")
            return mount / (own.parent if own.name == _ASIDE else own)
    return mount


def _subtree(mount: Path, proc: Path) -> Path:
    """What a service manager delegated to us; without one root may use the whole tree."""
    if os.geteuid() != 0:
        return _delegated(mount, proc)
    with contextlib.suppress(PermissionError):
        own = _delegated(mount, proc)
        if _is_marked(own):
            return own
    return mount


def _is_marked(folder: Path) -> bool:
    """Source: systemd's "Control Group APIs and Delegation": it says so in an attribute since version 251."""
    with contextlib.suppress(OSError):
        return os.getxattr(folder, "user.delegate") == b"1"
    return False


def _enable(folder: Path) -> None:
    """Let children have controllers, which a group with processes of its own may not."""
    wanted = " ".join(f"+{name}" for name in _V2)
    for attempt in range(_ATTEMPTS):
        _step_aside(folder)
        try:
            (folder / "cgroup.subtree_control").write_text(wanted)
        except OSError as error:
            # Somebody may have forked meanwhile.
            if error.errno != errno.EBUSY or attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def _step_aside(base: Path) -> None:
    """Move the group's own processes, and no run's below it, into a leaf beside the runs."""
    # Only the true root has no type, and it may have both.
    if not (base / "cgroup.type").exists():
        return
    for pid in own_pids(base):
        aside = base / _ASIDE
        aside.mkdir(exist_ok=True)
        try:
            (aside / "cgroup.procs").write_text(str(pid))
        except ProcessLookupError:
            continue


def _bound_memory(at: Path, size: int) -> None:
    """Memory alone may never be above memory with swap, so the order depends on the way."""
    files = [at / "memory.limit_in_bytes", at / "memory.memsw.limit_in_bytes"]
    if files[1].exists() and int(files[1].read_text()) < size:
        files.reverse()
    for file in files:
        if file.exists():
            file.write_text(str(size))


def _accountant(house: Path) -> Path | None:
    """The house there, where the kernel keeps an account of pressure for each group."""
    try:
        _own_house(house)
    except OSError:
        return None
    return house if (house / "cpu.pressure").exists() else None


def _own_house(folder: Path) -> None:
    """It may be there already, made by another user: then it is no use to us."""
    folder.mkdir(exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{folder} belongs to another user")


def _weigh(file: Path, one: int) -> None:
    """All runs together count against the host's other work like a process on each processor, and
    not like a single process, which is what a group is worth when nobody says so."""
    with contextlib.suppress(OSError):
        if file.exists():
            file.write_text(str(one * (os.cpu_count() or 1)))
