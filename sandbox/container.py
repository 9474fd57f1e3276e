"""What is asked of the Docker engine for one run, as data; asks nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

from sandbox import bubblewrap, seccomp
from sandbox.hardware import NO_HARDWARE, Hardware
from sandbox.limits import Limits
from sandbox.roots.declarations import HOSTNAME

SOCKET_DIR = "/run"
SOCKET = f"{SOCKET_DIR}/s"
LABEL_STATE = "headnode.state"
LABEL_RUN = "headnode.run"
_USER = f"{bubblewrap.INSIDE_UID}:{bubblewrap.INSIDE_UID}"
# docker-init is in the group beside the program.
_OURS = 1
_SHM_INODES = 256
# The engine's own list, which ours replaces, with all of /sys in place of a part of it.
_MASKED = (
    *("/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats"),
    *("/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys"),
)


@dataclass(frozen=True)
class Request:
    """One run's container. `parent` is a group of our own, whose meters outlive the container.

    `boot`, `sdk` and `socket_dir` are folders of this run alone. `init` is the path inside of a copy of
    docker-init, or None for the engine's, which is one file to all containers. A runtime with its
    own kernel (gVisor) starts the program without: Debian's build of it stops with a fault of its
    own on the way from one to the other.
    """

    name: str
    state: str
    image: str
    boot: Path
    bootstrap: str
    sdk: Path
    socket_dir: Path
    limits: Limits
    parent: str | None
    runtime: str | None
    own_kernel: bool = False
    init: str | None = None
    terminal: bool = False
    cluster: bool = False
    hostname: str = HOSTNAME
    hardware: Hardware = NO_HARDWARE


def _network_of_a_cluster(hostname: str) -> dict[str, Any]:
    """Daemons find each other by the name that the engine leaves out of its hosts file, and may listen to no
    lower ports than in the other sandbox."""
    return {
        "extra_hosts": {hostname: "127.0.0.1"},
        "sysctls": {"net.ipv4.ip_unprivileged_port_start": "1024"},
    }


def host_config(wanted: Request) -> dict[str, Any]:
    """Keyword arguments of docker's create_host_config. Never the engine's own socket, no network,
    nothing writable but two bounded tmpfs folders."""
    limits = wanted.limits
    memory = limits.memory_mb << 20
    return {
        "network_mode": "none",
        **(_network_of_a_cluster(wanted.hostname) if wanted.cluster else {}),
        "read_only": True,
        "tmpfs": _work_folders(limits),
        "mounts": _mounts(wanted),
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": int(limits.cpus * 1e9),
        "pids_limit": limits.pids + _OURS,
        "cap_drop": ["ALL"],
        "security_opt": [
            "no-new-privileges:true",
            f"seccomp={seccomp.oci(wanted.hardware.is_gpu, wanted.terminal, wanted.cluster)}",
        ],
        "ulimits": _ulimits(limits),
        "ipc_mode": "private",
        "init": not wanted.own_kernel and wanted.init is None,
        "log_config": LogConfig(type="none"),
        "oom_score_adj": 500,
        "cgroup_parent": wanted.parent,
        "runtime": wanted.runtime,
        "device_requests": [DeviceRequest(**one) for one in wanted.hardware.requests] or None,
    }


def masked_paths(terminal: bool = False) -> list[str]:
    """What programs do not get to see; the SDK has no word for it. With a terminal of its own a program
    takes the machine for the scenario's, so it sees nothing of the real one."""
    files, folders = bubblewrap.hidden()
    more, deeper = bubblewrap.machine() if terminal else ([], [])
    return list(dict.fromkeys([*_MASKED, *files, *folders, *more, *deeper]))


def container_config(wanted: Request) -> dict[str, Any]:
    """Keyword arguments of docker's create_container, but for host_config."""
    first = [] if wanted.init is None else [wanted.init, "--"]
    return {
        "image": wanted.image,
        "command": [*first, *bubblewrap.interpreter(wanted.bootstrap, SOCKET)],
        "name": wanted.name,
        "hostname": wanted.hostname,
        "user": _USER,
        "working_dir": "/box",
        "environment": {**bubblewrap.ENVIRONMENT, **wanted.hardware.variables},
        "labels": {LABEL_STATE: wanted.state, LABEL_RUN: wanted.name},
    }


def _work_folders(limits: Limits) -> dict[str, str]:
    """Half of the room each: together they must not exceed the limit. Programs may be started
    from them, as in the namespace sandbox; the engine would forbid it by itself."""
    size, inodes = (limits.work_mb << 20) // 2, limits.inodes // 2
    owner = bubblewrap.INSIDE_UID
    common = f"nosuid,nodev,exec,mode=700,uid={owner},gid={owner}"
    return {
        "/box": f"{common},size={size},nr_inodes={inodes}",
        "/tmp": f"{common},size={size},nr_inodes={inodes}",  # noqa: S108 - the sandbox's own
        "/dev/shm": f"{common},size={bubblewrap.SHM_BYTES},nr_inodes={_SHM_INODES}",  # noqa: S108
    }


def _mounts(wanted: Request) -> list[Mount]:
    shown = {
        bubblewrap.INSIDE_BOOT: wanted.boot,
        bubblewrap.INSIDE_SDK: wanted.sdk,
        SOCKET_DIR: wanted.socket_dir,
    }
    extra = [(inside, here) for here, inside in wanted.hardware.shown.items()]
    return [
        Mount(target=target, source=str(source), type="bind", read_only=True)
        for target, source in (*shown.items(), *extra)
    ]


def _ulimits(limits: Limits) -> list[Ulimit]:
    bounds = {
        "fsize": limits.file_mb << 20,
        "nofile": limits.open_files,
        "cpu": limits.process_cpu_s,
        "stack": 8 << 20,
        "core": 0,
        "memlock": 0,
        "msgqueue": 0,
    }
    return [Ulimit(name=name, soft=value, hard=value) for name, value in bounds.items()]
