"""The command line that builds a namespace sandbox; starts nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.hardware import NO_HARDWARE, Hardware
from sandbox.limits import Limits
from sandbox.roots.declarations import HOSTNAME, Declaration

INSIDE_BOOT = "/opt/sbx"
INSIDE_SDK = "/opt/headnode"
INSIDE_UID = 64000
SHM_BYTES = 8 << 20
# A fixed hash seed: the same program has to make the same decisions in a regrade.
ENVIRONMENT = {
    "PATH": "/usr/bin",
    "LANG": "C.UTF-8",
    "HOME": "/box",
    "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "2",
}
# What the kernel tells of the whole host, but for its load, processors and memory, which libraries ask
# for: others' locks and counters that outlast a run.
_HIDDEN = (
    *("locks", "buddyinfo", "diskstats", "interrupts", "softirqs", "vmstat", "zoneinfo"),
    *("cgroups", "key-users", "fs", "pressure", "sys/fs", "sys/kernel/pty"),
)
# What a shell and its tools cannot do without; of all else a root with a terminal shows nothing, for there
# /proc stands for a machine of the scenario's, and the real one's must not be taken for it.
_TOOLS_NEED = frozenset({"self", "thread-self", "mounts", "net"})
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_FENCES = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
    *("--unshare-cgroup", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv"),
    *("--uid", str(INSIDE_UID), "--gid", str(INSIDE_UID)),
    *("--cap-drop", "ALL"),
)


# For prlimit(1): from outside, a process without CAP_SYS_RESOURCE cannot set them. What depends on
# the job the bootstrap takes on, before the job arrives (handover.py).
RLIMITS = (f"--stack={8 << 20}", "--core=0", "--memlock=0", "--msgqueue=0")


@dataclass(frozen=True)
class Places:
    """Host folders that the sandbox shows. `work` is the run's own tmpfs, or None for bubblewrap's
    (which cannot limit inodes); `devices` the run's own view of /dev, or None for the host's files."""

    root: Path
    boot: Path
    sdk: Path
    work: Path | None
    devices: Path | None = None


@dataclass(frozen=True)
class Descriptors:
    """Inherited by number; bubblewrap closes all but the channel before the program starts."""

    channel: int
    filter: int
    info: int
    block: int

    def all(self) -> tuple[int, ...]:
        return (self.channel, self.filter, self.info, self.block)


def interpreter(bootstrap: str, *arguments: str) -> list[str]:
    """Start Python without `site`, the user's folders and byte-code writing."""
    flags = ["-P", "-s", "-S", "-B", "-X", "utf8"]
    return ["/usr/bin/python3", *flags, bootstrap, *arguments]


def command(
    bwrap: str,
    places: Places,
    fds: Descriptors,
    limits: Limits,
    program: list[str],
    hardware: Hardware = NO_HARDWARE,
    root: Declaration | None = None,
) -> list[str]:
    """bubblewrap's argv. /proc and /dev are read-only: pid_max and oom_score_adj live there."""
    over = _over_proc(places.devices, root is not None and root.terminal)
    hostname = HOSTNAME if root is None else root.hostname
    shown = [
        *("--ro-bind", str(places.root), "/"),
        *("--proc", "/proc", *over, "--remount-ro", "/proc", "--dev", "/dev"),
        *_binds("--dev-bind", _own_devices(places.devices)),
        *_binds("--dev-bind", hardware.nodes),
        *("--remount-ro", "/dev"),
        *(("--tmpfs", "/run") if hardware.shown else ()),
        *_binds("--ro-bind", hardware.shown),
        *(("--remount-ro", "/run") if hardware.shown else ()),
        *("--ro-bind", str(places.boot), INSIDE_BOOT, "--ro-bind", str(places.sdk), INSIDE_SDK),
        *_work_mounts(places.work, limits),
        *("--chdir", "/box"),
    ]
    variables = {**ENVIRONMENT, **hardware.variables, "HEADNODE_CHANNEL_FD": str(fds.channel)}
    settings = [word for item in variables.items() for word in ("--setenv", *item)]
    numbers = [
        *("--seccomp", str(fds.filter), "--info-fd", str(fds.info)),
        *("--block-fd", str(fds.block)),
    ]
    return [bwrap, *_FENCES, "--hostname", hostname, *shown, *settings, *numbers, "--", *program]


def _binds(how: str, paths: Mapping[str, str]) -> list[str]:
    return [word for here, inside in paths.items() for word in (how, here, inside)]


def hidden() -> tuple[list[str], list[str]]:
    """Files and folders of /proc that no program gets to see, of those that this kernel has."""
    there = [path for name in _HIDDEN if os.path.exists(path := f"/proc/{name}")]
    return [path for path in there if not os.path.isdir(path)], list(filter(os.path.isdir, there))


def machine() -> tuple[list[str], list[str]]:
    """Files and folders of /proc that tell of the real machine, beside those that are always hidden."""
    names = (name for name in sorted(os.listdir("/proc")) if not name.isdigit())
    told = [f"/proc/{name}" for name in names if name not in (*_TOOLS_NEED, *_HIDDEN)]
    plain = [path for path in told if not os.path.islink(path) and os.stat(path).st_mode & 0o004]
    return [path for path in plain if not os.path.isdir(path)], list(filter(os.path.isdir, plain))


def _over_proc(devices: Path | None, terminal: bool) -> list[str]:
    files, folders = hidden()
    if terminal:
        more, deeper = machine()
        # The first process is bubblewrap's own, with the host's folders on its command line.
        files, folders = [*files, *more], [*folders, *deeper, "/proc/1"]
    nothing = str((devices or Path("/dev")) / "null")
    return [
        *(word for path in files for word in ("--dev-bind", nothing, path)),
        *(word for path in folders for word in ("--tmpfs", path, "--remount-ro", path)),
    ]


def _own_devices(devices: Path | None) -> dict[str, str]:
    """In place of those that bubblewrap takes from the host, whose locks all runs would share."""
    if devices is None:
        return {}
    return {str(devices / name): f"/dev/{name}" for name in _DEVICES}


def _work_mounts(work: Path | None, limits: Limits) -> list[str]:
    """Without /dev/shm there are no semaphores between processes (multiprocessing)."""
    inside = {"box": "/box", "tmp": "/tmp", "shm": "/dev/shm"}  # noqa: S108 - the sandbox's own
    if work is not None:
        return _binds("--bind", {str(work / name): place for name, place in inside.items()})
    sizes = {
        "box": (limits.work_mb << 20) // 2,
        "tmp": (limits.work_mb << 20) // 2,
        "shm": SHM_BYTES,
    }
    return [
        word for name in inside for word in ("--size", str(sizes[name]), "--tmpfs", inside[name])
    ]
