"""Causes on servers that everybody shares: NFS homes, the metadata server, name service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE, SECOND
from scenarios.troubleshooting.condition import JOB, MDS, NFS, Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, during
from scenarios.troubleshooting.physics import METADATA
from scenarios.troubleshooting.physics import NFS as SECONDS_OF_NFS
from scenarios.troubleshooting.shapes import Since
from scenarios.troubleshooting.traces import Mark, Trace


@dataclass(frozen=True)
class NfsSlotsFull(
    Fault, key="nfs-slots-full", number=18, group="nfs", component="data", costs=(0.25, 0.8)
):
    exe_ms: int
    server: str
    mount: str
    index: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        storage, user = scene.plant.storage, scene.training.user
        exe = round(6 * (1 + seconds / SECONDS_OF_NFS) * draw.between(12, 20))
        return cls(seconds, exe, storage.nfs_server, storage.home, f"{storage.home}/{user}/index")

    def effects(self) -> tuple[Effect, ...]:
        return (
            self.effect(NFS, "latency", 1 + self.seconds / SECONDS_OF_NFS),
            self.effect(NFS, "backlog", 210.0),
            self.effect(NFS, "retrans", 3.0),
        )

    def places(self) -> tuple[str, ...]:
        return (NFS, self.server)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 30 * MINUTE
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="r.lindqvist",
            status="closed",
            title=f"{self.server}: new storage head, mounts renewed",
            text=(
                f"{self.server} moved to the new head with the same address. fstab of all nodes written anew "
                "from the vendor's recommendation. Old options are in the ticket's attachment."
            ),
        )
        yield self.trace(
            "config.setting",
            at,
            "nodes",
            path="/etc/fstab",
            key=f"{self.mount} options",
            before="nfs4,rsize=1048576,wsize=1048576,nconnect=16,noatime",
            after="nfs4,rsize=65536,wsize=65536",
        )
        yield self.trace(
            "state.command",
            past.first_ms,
            past.plant.login,
            command="grep index_dir config.yaml",
            shows=f"data.index_dir: {self.index}, in this run and in the run to compare with",
        )
        yield self.trace(
            "state.command", past.first_ms, past.training.nodes[0].name, command=f"nfsiostat 5 2 {self.mount}",
            shows=f"avg RTT 6 ms, avg exe {self.exe_ms} ms, rpc bklog 210",
        )  # fmt: skip
        for when in during(past, past.draw(self.key), 90, most=8):
            name = past.training.nodes[when // SECOND % len(past.training.nodes)].name
            late, text = when + 11 * SECOND, f"nfs: server {past.plant.storage.nfs_server}"
            yield self.trace("dmesg.line", when, name, text=f"{text} not responding, still trying")
            yield self.trace("dmesg.line", late, name, text=f"{text} OK")

    def marks(self, past: Past) -> Iterator[Mark]:
        exe = (
            f"About {self.exe_ms} ms while the server answers in 6 ms: requests wait in the client."
        )
        metric = "node_mountstats_nfs_operations_request_time_seconds_total"
        storage = past.plant.storage
        export = f"{storage.nfs_server}:{storage.nfs_export}"
        for node in past.training.nodes:
            yield self.mark(past, metric, exe, node=node.name, export=export)


@dataclass(frozen=True)
class MetadataStorm(
    Fault, key="metadata-storm", number=19, group="mds", component="data", costs=(0.25, 0.8)
):
    mds: str
    user: str
    path: str
    ops: int
    start_ms: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        storage = scene.plant.storage
        user = draw.pick([("lrossi", 1.0), ("hsorensen", 1.0), ("dpatel", 1.0)])
        start = scene.calendar.first_step + int(draw.between(3, 20) * MINUTE)
        path = f"{storage.mount}/projects/vision/frames"
        ops = int(18_000 + 60_000 * seconds)
        return cls(seconds, storage.mds, user, path, ops, start // SECOND * SECOND)

    def effects(self) -> tuple[Effect, ...]:
        shape = Since(self.start_ms, 2 * MINUTE)
        return (
            self.effect(MDS, "latency", 1 + self.seconds / METADATA, shape),
            self.effect(MDS, "ops", float(self.ops), shape),
        )

    def places(self) -> tuple[str, ...]:
        return (MDS, self.mds)

    def traces(self, past: Past) -> Iterator[Trace]:
        login = past.plant.login
        yield self.trace(
            "syslog.line",
            self.start_ms,
            login,
            unit="CRON",
            severity="info",
            text=f"({self.user}) CMD (/home/{self.user}/bin/dedup-frames.sh --loop {self.path})",
        )
        yield self.trace(
            "state.command",
            self.start_ms + 5 * MINUTE,
            login,
            command="ps -eo user,etime,args --sort=-pcpu",
            shows=f"{self.user}: 24 times `find {self.path} -type f -printf ...`",
        )
        yield self.trace(
            "state.command",
            self.start_ms + 5 * MINUTE,
            self.mds,
            command="lctl get_param mdt.*.job_stats",
            shows=f"job_id find.{self.user}@{login} leads getattr and open, about {self.ops} a second",
        )
        for at in during(past, past.draw(self.key), 70, most=10):
            yield self.trace(
                "syslog.line",
                max(at, self.start_ms + 6 * MINUTE),
                self.mds,
                unit="kernel",
                severity="warning",
                text="Lustre: mdt00_012: service thread pid 23112 was inactive for 40.016 seconds. "
                "The thread might be hung, or it might only be slow",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        rate = f"Jumps to about {self.ops} a second and stays there; the targets' own load does not change."
        yield self.mark(past, "lustre_mdt_ops_total", rate, op="getattr")
        yield self.mark(past, "train_data_wait_seconds", "Rises at the same minute on all ranks.")


@dataclass(frozen=True)
class NameServiceSlow(
    Fault, key="name-service-slow", number=27, group="respawn", component="data", costs=(0.2, 0.6)
):
    server: str
    every: int
    stall_s: float

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        # A resolver gives up on a dead server after 5 s, so standstills come in fives and tens.
        stall = 10.0 if seconds < 0.4 else 15.0
        every = round(stall / seconds)
        return cls(stall / every, "10.20.0.53", every, stall)

    def effects(self) -> tuple[Effect, ...]:
        return (
            self.effect(JOB, "respawn_every", float(self.every)),
            self.effect(JOB, "respawn_s", self.stall_s),
        )

    def places(self) -> tuple[str, ...]:
        return (self.server,)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 3 * HOUR
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="m.ferrari",
            status="closed",
            title=f"Retire name server {self.server}",
            text=(
                f"{self.server} switched off as planned. Its two successors have answered for weeks; "
                "clients were moved with the spring image."
            ),
        )
        for node in past.training.nodes:
            yield self.trace(
                "state.command",
                past.first_ms,
                node.name,
                command="cat /etc/resolv.conf",
                shows=f"nameserver {self.server} stands first, without options timeout or rotate",
            )
        steps = range(0, len(past.run.starts) - 1, self.every)
        for step in list(steps)[:: max(len(steps) // 30, 1)]:
            place = step // self.every % len(past.training.nodes)
            name = past.training.nodes[place].name
            when = int(past.run.starts[step])
            yield self.trace(
                "train.line",
                when,
                name,
                rank=0,
                severity="WARNING",
                text=f"data: workers started anew for the next shards in {self.stall_s:.1f}s "
                "(getaddrinfo retried)",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        comb = f"A spike of {self.stall_s:.0f} s every {self.every} steps on all ranks, nothing between."
        yield self.mark(past, "train_data_wait_seconds", comb)
