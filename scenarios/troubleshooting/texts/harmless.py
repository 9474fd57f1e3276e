"""Settings that somebody changed between the two runs and that cost nothing: each variant has some of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from scenarios.simulator.streams import Stream

FEWEST, MOST = 3, 6


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a file, as it last was known to be good and as it may have become."""

    file: str
    before: str
    after: tuple[str, ...]


SYSCTL, CHRONY, SLURM, PINS, OPENSM = "sysctl", "chrony", "slurm.conf", "requirements", "opensm"
CHANGES = (
    Change(SYSCTL, "net.core.somaxconn = 1024", ("4096", "8192")),
    Change(SYSCTL, "net.core.netdev_max_backlog = 30000", ("50000", "250000")),
    Change(SYSCTL, "vm.max_map_count = 262144", ("524288", "1048576")),
    Change(SYSCTL, "fs.inotify.max_user_watches = 65536", ("524288",)),
    Change(SYSCTL, "kernel.pid_max = 4194304", ("4190208",)),
    Change(SYSCTL, "kernel.panic = 10", ("30", "60")),
    Change(SYSCTL, "net.ipv4.tcp_fin_timeout = 60", ("30", "20")),
    Change(CHRONY, "maxpoll 6", ("7", "8")),
    Change(CHRONY, "logchange 0.5", ("0.1",)),
    Change(CHRONY, "minsources 1", ("2",)),
    Change(SLURM, "MessageTimeout=30", ("60",)),
    Change(SLURM, "HealthCheckInterval=300", ("600",)),
    Change(SLURM, "MinJobAge=600", ("300", "900")),
    Change(SLURM, "KillWait=30", ("60",)),
    Change(SLURM, "SlurmctldDebug=info", ("verbose",)),
    Change(SLURM, "JobAcctGatherFrequency=30", ("60",)),
    Change(PINS, "tqdm==4.66.4", ("4.66.5",)),
    Change(PINS, "psutil==6.0.0", ("6.0.1", "6.1.0")),
    Change(PINS, "tensorboard==2.17.1", ("2.18.0",)),
    Change(PINS, "pyyaml==6.0.2", ("6.0.3",)),
    Change(PINS, "omegaconf==2.3.0", ("2.3.1",)),
    Change(OPENSM, "sm_priority 14", ("15",)),
    Change(OPENSM, "log_flags 0x03", ("0x07",)),
)


@lru_cache(maxsize=64)
def changed(seed: str) -> dict[str, str]:
    """Line as it was -> line as it is, of the variant's own harmless changes."""
    draw = Stream(seed, "harmless changes")
    left, found = list(CHANGES), {}
    for _ in range(int(draw.between(FEWEST, MOST + 1))):
        change = draw.pick([(one, 1.0) for one in left])
        left.remove(change)
        value = draw.pick([(one, 1.0) for one in change.after])
        found[change.before] = _with(change.before, value)
    return found


def lines(seed: str, file: str) -> list[tuple[str, str]]:
    """(before, now) of every line of a file that may change, in its order."""
    moved = changed(seed)
    return [(one.before, moved.get(one.before, one.before)) for one in CHANGES if one.file == file]


def _with(line: str, value: str) -> str:
    """The line with another value behind its sign."""
    for sign in (" = ", "==", "=", " "):
        name, found, _ = line.partition(sign)
        if found:
            return f"{name}{sign}{value}"
    raise ValueError(f"{line!r} has no value.")
