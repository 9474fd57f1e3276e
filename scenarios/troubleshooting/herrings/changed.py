"""Herrings that somebody changed between the two runs: each could be the cause, and a reading clears it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import MINUTE, SECOND
from scenarios.troubleshooting.faults.base import Fault, Past, Scene
from scenarios.troubleshooting.herrings.base import Herring, one_of, stricken_nodes
from scenarios.troubleshooting.traces import Trace

SYSCTL = "/etc/sysctl.d/90-hpc.conf"
SLURM = "/etc/slurm/slurm.conf"
OPENSM = "/etc/opensm/opensm.conf"
FSTAB = "/etc/fstab"
SCRIPT = "train.sbatch"
CMDLINE = "/etc/kernel/cmdline"
FIRMWARE = "/etc/firmware-inventory"
"""The last two have a line for each node, as pdsh shows them."""


@dataclass(frozen=True)
class Changed(Herring, key="", tie="time"):
    """One line of one file: `before` at the run to compare with, `after` in the slow one."""

    path: ClassVar[str]
    before: ClassVar[str]
    after: ClassVar[str]

    def __init_subclass__(
        cls,
        *,
        key: str,
        tie: str = "time",
        excludes: tuple[str, ...] = (),
        path: str = "",
        before: str = "",
        after: str = "",
    ) -> None:
        super().__init_subclass__(key=key, tie=tie, excludes=excludes)
        cls.path, cls.before, cls.after = path, before, after

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        first = scene.calendar.first_step
        if cls.tie == "place":
            nodes = stricken_nodes(scene, faults)
            at = scene.calendar.maintenance + int(draw.between(20, 200)) * MINUTE
            return cls(one_of(draw, nodes), at) if nodes else None
        at = first - int(draw.between(9, 28) * MINUTE)
        return cls(scene.training.nodes[0].name, at // SECOND * SECOND)

    def traces(self, past: Past) -> Iterator[Trace]:
        told = {name: text.format(host=self.host) for name, text in _tickets()[self.key].items()}
        fields = {"id": "", "status": "closed", **told}
        yield self.trace("ticket.change", self.at_ms, "tickets", **fields)


@cache
def _tickets() -> dict[str, dict[str, str]]:
    path = Path(__file__).with_name("changes.toml")
    found: dict[str, dict[str, str]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


class DirtyPages(
    Changed,
    key="dirty-pages",
    path=SYSCTL,
    before="vm.dirty_ratio = 20",
    after="vm.dirty_ratio = 40",
):
    """More written data may wait in memory."""


class FreeReserve(
    Changed,
    key="free-reserve",
    path=SYSCTL,
    before="vm.min_free_kbytes = 1048576",
    after="vm.min_free_kbytes = 4194304",
    excludes=("host-memory-leak",),
):
    """The kernel keeps more memory free."""


class SocketBuffers(
    Changed,
    key="socket-buffers",
    path=SYSCTL,
    before="net.ipv4.tcp_rmem = 4096 131072 16777216",
    after="net.ipv4.tcp_rmem = 4096 87380 6291456",
    excludes=("mtu-mismatch", "nfs-slots-full"),
):
    """Smaller receive buffers of TCP."""


class BusyPoll(
    Changed,
    key="busy-poll",
    path=SYSCTL,
    before="net.core.busy_poll = 0",
    after="net.core.busy_poll = 50",
):
    """Sockets are polled for a moment before a process sleeps."""


class TimerMigration(
    Changed,
    key="timer-migration",
    path=SYSCTL,
    before="kernel.timer_migration = 1",
    after="kernel.timer_migration = 0",
):
    """Timers stay on the core that set them."""


class AccountingSampling(
    Changed,
    key="accounting-sampling",
    path=SLURM,
    before="JobAcctGatherType=jobacct_gather/cgroup",
    after="JobAcctGatherType=jobacct_gather/linux",
    excludes=("cgroup-cpu-limit",),
):
    """Slurm samples processes in another way."""


class SlurmdTimeout(
    Changed,
    key="slurmd-timeout",
    path=SLURM,
    before="SlurmdTimeout=300",
    after="SlurmdTimeout=900",
):
    """The controller waits longer for a node's daemon."""


class SweepInterval(
    Changed,
    key="sweep-interval",
    path=OPENSM,
    before="sweep_interval 10",
    after="sweep_interval 30",
    excludes=("spine-down",),
):
    """The subnet manager looks round less often."""


class VerbsTimeout(
    Changed,
    key="verbs-timeout",
    path=SCRIPT,
    before="export NCCL_IB_TIMEOUT=20",
    after="export NCCL_IB_TIMEOUT=22",
    excludes=("ib-link-flapping",),
):
    """A lost packet is waited for longer."""


class QueuePairs(
    Changed,
    key="queue-pairs",
    path=SCRIPT,
    before="export NCCL_IB_QPS_PER_CONNECTION=1",
    after="export NCCL_IB_QPS_PER_CONNECTION=4",
):
    """More queue pairs for each connection."""


class RingBuffer(
    Changed,
    key="ring-buffer",
    path=SCRIPT,
    before="export NCCL_BUFFSIZE=4194304",
    after="export NCCL_BUFFSIZE=8388608",
):
    """Larger buffers of the collectives."""


class BlasThreads(
    Changed,
    key="blas-threads",
    path=SCRIPT,
    before="export MKL_NUM_THREADS=4",
    after="export MKL_NUM_THREADS=8",
    excludes=("srun-lost-cpus", "cgroup-cpu-limit", "governor-powersave", "wrong-socket"),
):
    """More threads of a library that the trainer hardly calls."""


class LocalDiscard(
    Changed,
    key="local-discard",
    path=FSTAB,
    before="/dev/md0 /local xfs defaults,noatime 0 0",
    after="/dev/md0 /local xfs defaults,noatime,discard 0 0",
):
    """The local scratch tells its drives what is free."""


class LockupWatchdog(
    Changed, key="lockup-watchdog", tie="place", path=CMDLINE, before="", after="nmi_watchdog=0"
):
    """One node starts without the lockup detector."""


class IdleStates(
    Changed,
    key="idle-states",
    tie="place",
    path=CMDLINE,
    before="",
    after="intel_idle.max_cstate=1",
    excludes=("governor-powersave",),
):
    """One node's cores may sleep less deeply."""


class AuditOff(Changed, key="audit-off", tie="place", path=CMDLINE, before="", after="audit=0"):
    """One node keeps no audit trail."""


class BmcFirmware(
    Changed,
    key="bmc-firmware",
    tie="place",
    path=FIRMWARE,
    before="bmc 01.02.37",
    after="bmc 01.03.06",
    excludes=("fan-failure", "power-brake"),
):
    """One node's management controller is newer than the others'."""


class DriveFirmware(
    Changed,
    key="drive-firmware",
    tie="place",
    path=FIRMWARE,
    before="nvme GDC7302Q",
    after="nvme GDC7402Q",
):
    """One node's local drives have newer firmware."""


CHANGED: tuple[type[Changed], ...] = (
    DirtyPages,
    FreeReserve,
    SocketBuffers,
    BusyPoll,
    TimerMigration,
    AccountingSampling,
    SlurmdTimeout,
    SweepInterval,
    VerbsTimeout,
    QueuePairs,
    RingBuffer,
    BlasThreads,
    LocalDiscard,
    LockupWatchdog,
    IdleStates,
    AuditOff,
    BmcFirmware,
    DriveFirmware,
)
