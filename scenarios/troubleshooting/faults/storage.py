"""Causes in Lustre: a target in rebuild, another job's writes, frames that are too large for one hop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE, SECOND
from scenarios.troubleshooting.condition import LUSTRE, Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, during
from scenarios.troubleshooting.jobs import Neighbour
from scenarios.troubleshooting.physics import LUSTRE as SECONDS_OF_LUSTRE
from scenarios.troubleshooting.shapes import Fading, Since
from scenarios.troubleshooting.traces import Mark, Trace

HEALTHY_AWAIT_MS = 4.0
"""Read await of a healthy flash target under this load (handbook 2.2: 1 to 8 ms)."""


@dataclass(frozen=True)
class OstRebuild(
    Fault, key="ost-rebuild", number=17, group="lustre", component="data", costs=(0.3, 1.0)
):
    ost: str
    oss: str
    device: str
    disk: str
    times: float
    dataset: str
    start_ms: int
    end_ms: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        flash = scene.plant.storage.flash()
        ost = draw.pick([(ost, 1.0) for ost in flash])
        # One batch reads from all flash targets alike, so one in so many of its reads meets this one.
        times = 1 + seconds / SECONDS_OF_LUSTRE * len(flash)
        start = scene.calendar.job_start - int(draw.between(35, 110) * MINUTE)
        return cls(
            seconds=seconds,
            ost=ost.name,
            oss=ost.oss,
            device=ost.device,
            disk=f"nvme{int(draw.between(1, 11))}n1",
            times=round(times, 2),
            dataset=scene.training.dataset,
            start_ms=start // SECOND * SECOND,
            end_ms=(scene.end_guess + int(draw.between(2, 6) * HOUR)) // SECOND * SECOND,
        )

    def effects(self) -> tuple[Effect, ...]:
        shape = Fading(self.start_ms, self.end_ms, 1.03, 0.97)
        return (
            self.effect(LUSTRE, "latency", 1 + self.seconds / SECONDS_OF_LUSTRE, shape),
            self.effect(self.ost, "await", self.times, shape),
            self.effect(self.ost, "rebuilding", 1.0, Fading(self.start_ms, self.end_ms, 1.0, 1.0)),
        )

    def places(self) -> tuple[str, ...]:
        return (self.ost, self.oss)

    def facts(self) -> dict[str, object]:
        return super().facts() | {"await_ms": round(self.times * HEALTHY_AWAIT_MS)}

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "dmesg.line",
            self.start_ms - 9 * SECOND,
            self.oss,
            text=f"blk_update_request: I/O error, dev {self.disk}, sector 3907029168 op 0x0:(READ)",
        )
        yield self.trace(
            "dmesg.line",
            self.start_ms - 4 * SECOND,
            self.oss,
            text=f"md/raid:{self.device}: Disk failure on {self.disk}, disabling device.",
        )
        yield self.trace(
            "dmesg.line", self.start_ms, self.oss, text=f"md: recovery of RAID array {self.device}"
        )
        whole = self.end_ms - self.start_ms
        for part in (0.05, 0.12, 0.2, 0.28, 0.37, 0.45, 0.54, 0.62, 0.71, 0.8, 0.88, 0.96):
            left = int(whole * (1 - part) / MINUTE)
            yield self.trace(
                "syslog.line",
                self.start_ms + int(whole * part),
                self.oss,
                unit="mdstat",
                severity="info",
                text=f"{self.device} : active raid6 [10/9] recovery = {100 * part:.1f}% finish={left}.0min",
            )
        yield self.trace(
            "state.command",
            past.first_ms,
            past.plant.login,
            command=f"lfs getstripe {self.dataset}",
            shows="stripe_count 1 on every shard; about one shard in twenty lies on this target",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        slow = (
            f"About {self.times * HEALTHY_AWAIT_MS:.0f} ms on this target, 2 to 8 ms on all others."
        )
        yield self.mark(past, "lustre_ost_read_await_seconds", slow, ost=self.ost)
        failed = "1 from the failure of the disk on."
        yield self.mark(
            past, "node_md_disks", failed, node=self.oss, device=self.device, state="failed"
        )
        yield self.mark(
            past, "train_data_wait_seconds", "High on all ranks, with stalls on single batches."
        )


@dataclass(frozen=True)
class StorageNeighbour(
    Fault, key="storage-neighbour", number=12, group="lustre", component="data", costs=(0.3, 1.0)
):
    nodes: tuple[str, ...]
    user: str
    fsname: str
    gbytes: float
    start_ms: int
    end_ms: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        start = scene.calendar.first_step + int(draw.between(6, 25) * MINUTE)
        nodes = tuple(node.name for node in scene.spares(draw, 2))
        return cls(
            seconds=seconds,
            nodes=nodes,
            gbytes=19.0 * len(nodes),
            user=draw.pick([("clemaire", 1.0), ("sgupta", 1.0)]),
            fsname=scene.plant.storage.fsname,
            start_ms=start // SECOND * SECOND,
            end_ms=(scene.end_guess + int(draw.between(1.5, 2.3) * HOUR)) // SECOND * SECOND,
        )

    def neighbours(self) -> tuple[Neighbour, ...]:
        return (
            Neighbour(
                self.key,
                "fold-relax-dump",
                self.user,
                "bio",
                self.nodes,
                self.start_ms,
                self.end_ms,
            ),
        )

    def effects(self) -> tuple[Effect, ...]:
        shape = Since(self.start_ms, MINUTE)
        return (
            self.effect(LUSTRE, "latency", 1 + self.seconds / SECONDS_OF_LUSTRE, shape),
            self.effect(LUSTRE, "foreign_gbytes", self.gbytes, shape),
        )

    def places(self) -> tuple[str, ...]:
        return (LUSTRE, *self.nodes)

    def traces(self, past: Past) -> Iterator[Trace]:
        job = past.neighbours(self.key)[0]
        yield self.trace(
            "state.command",
            self.start_ms,
            past.plant.storage.oss[0],
            command="lctl get_param obdfilter.*.job_stats",
            shows=f"job_id {job.id} leads write_bytes on every target, {past.slow.id} leads read_bytes",
        )
        yield self.trace(
            "slurmctld.line",
            self.start_ms,
            past.plant.controller,
            text=f"sched: Allocate JobId={job.id} NodeList={','.join(self.nodes)} #CPUs={job.cpus} "
            "Partition=train",
        )
        yield self.trace(
            "chat.message",
            self.start_ms - 3 * HOUR,
            "chat",
            channel="#bio",
            who=self.user,
            text="For the paper we need every frame, so tonight's run writes all trajectories to "
            f"/lustre/{self.fsname} instead of every hundredth.",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        writes = f"Jumps to about {self.gbytes:.0f} GB/s when the other job starts."
        yield self.mark(past, "lustre_ost_write_bytes_total", writes)
        slow = "Rises on all flash targets alike, not on one."
        yield self.mark(past, "lustre_ost_read_await_seconds", slow, pool="flash")


@dataclass(frozen=True)
class FramesTooLarge(
    Fault, key="mtu-mismatch", number=22, group="lustre", component="data", costs=(0.25, 0.85)
):
    switch: str
    vlan: int
    ports: str
    retrans: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        switch = draw.pick([(name, 1.0) for name in scene.plant.storage_switches])
        first = int(draw.between(1, 9))
        ports = f"swp{first}-{first + 3}"
        return cls(seconds, switch, scene.plant.storage.vlan, ports, int(120 + 260 * seconds))

    def effects(self) -> tuple[Effect, ...]:
        return (
            self.effect(LUSTRE, "latency", 1 + self.seconds / SECONDS_OF_LUSTRE),
            self.effect(LUSTRE, "retrans", float(self.retrans)),
        )

    def places(self) -> tuple[str, ...]:
        return (self.switch, LUSTRE)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 2 * HOUR
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="l.moreau",
            status="closed",
            title=f"{self.switch}: replace failed line card",
            text=(
                f"Line card replaced, ports {self.ports} configured from the template, links up, bond "
                "complete on all servers, ping fine."
            ),
        )
        yield self.trace(
            "config.setting",
            at,
            self.switch,
            path="/etc/network/interfaces",
            key=f"{self.ports} mtu",
            before="9216",
            after="1500",
        )
        yield self.trace(
            "state.command",
            past.first_ms,
            past.plant.login,
            command=f"ping -M do -s 8972 -c 3 {past.plant.storage.oss_ips[0]}",
            shows="100% packet loss on about half of the attempts; -s 1472 always passes",
        )
        for when in during(past, past.draw(self.key), 60, most=12):
            node = past.training.nodes[when // SECOND % len(past.training.nodes)]
            ost = past.plant.storage.flash()[when // SECOND % 20].name
            yield self.trace(
                "syslog.line", when, node.name, unit="kernel", severity="warning",
                text=f"Lustre: {ost}-osc: Request sent has timed out "
                "for slow reply",
            )  # fmt: skip

    def marks(self, past: Past) -> Iterator[Mark]:
        again = f"About {self.retrans} segments a second are sent again; in the run to compare with, none."
        for node in past.training.nodes:
            yield self.mark(past, "node_netstat_Tcp_RetransSegs", again, node=node.name)
        drops = "Grows on these ports: frames larger than the port takes."
        yield self.mark(past, "switch_port_oversize_frames_total", drops, switch=self.switch)
