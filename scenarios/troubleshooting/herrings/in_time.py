"""Herrings that happen when the slow run starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import MINUTE, SECOND
from scenarios.troubleshooting.condition import Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene
from scenarios.troubleshooting.herrings.base import Herring, one_of
from scenarios.troubleshooting.shapes import Bursts
from scenarios.troubleshooting.traces import Mark, Trace


def _near_start(scene: Scene, draw: Stream, low: float, high: float) -> int:
    """An instant from `low` to `high` minutes after the first step."""
    return (scene.calendar.first_step + int(draw.between(low, high) * MINUTE)) // SECOND * SECOND


@dataclass(frozen=True)
class LoginPatch(Herring, key="login-node-patch", tie="time"):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        return cls(scene.plant.login, _near_start(scene, draw, -25, -6))

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "ticket.change",
            self.at_ms,
            "tickets",
            id="",
            who="m.ferrari",
            status="closed",
            title="Security update of OpenSSL and sshd on the login nodes",
            text=(
                f"{self.host} and its twin updated and services restarted. Sessions were kept. "
                "Compute nodes are not part of this change."
            ),
        )
        yield self.trace(
            "syslog.line",
            self.at_ms,
            self.host,
            unit="systemd",
            severity="info",
            text="Reloading OpenBSD Secure Shell server...",
        )


@dataclass(frozen=True)
class ScrapeGap(Herring, key="scrape-gap", tie="time"):
    nodes: tuple[str, ...]
    minutes: int

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        first = int(draw.between(0, max(len(scene.plant.nodes) - 6, 1)))
        names = tuple(node.name for node in scene.plant.nodes[first : first + 6])
        return cls("monitor01", _near_start(scene, draw, 3, 20), names, int(draw.between(6, 11)))

    def effects(self) -> tuple[Effect, ...]:
        shape = Bursts(((self.at_ms, self.at_ms + self.minutes * MINUTE),))
        return tuple(self.effect(node, "unscraped", 1.0, shape) for node in self.nodes)

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "syslog.line",
            self.at_ms,
            self.host,
            unit="prometheus",
            severity="warning",
            text='level=warn component="scrape manager" msg="context deadline exceeded" '
            f"targets={len(self.nodes)}",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        end = self.at_ms + self.minutes * MINUTE
        for node in self.nodes:
            yield Mark(
                "up", {"node": node}, self.at_ms, end, "No samples; the job's own log has no gap."
            )


@dataclass(frozen=True)
class BackfillLimit(Herring, key="backfill-limit", tie="time"):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        return cls(scene.plant.controller, _near_start(scene, draw, -8, 5))

    def traces(self, past: Past) -> Iterator[Trace]:
        for number in range(9):
            yield self.trace(
                "slurmctld.line",
                self.at_ms + number * 3 * MINUTE,
                self.host,
                text="sched/backfill: _attempt_backfill: bf_max_job_test: limit of 100 reached",
            )


@dataclass(frozen=True)
class PluginMissing(Herring, key="nccl-plugin-missing", tie="time"):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        return cls(scene.training.nodes[0].name, scene.calendar.first_step - 75 * SECOND)

    def traces(self, past: Past) -> Iterator[Trace]:
        for number, node in enumerate(past.training.nodes):
            yield self.trace(
                "nccl.line",
                self.at_ms + number * 40,
                node.name,
                rank=past.training.rank(node.name, 0),
                severity="INFO",
                text="NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
            )


@dataclass(frozen=True)
class FanElsewhere(Herring, key="fan-elsewhere", tie="time", excludes=("fan-failure",)):
    fan: str

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        own = {node.name for node in scene.training.nodes}
        node = draw.pick([(n, 1.0) for n in scene.plant.nodes if n.name not in own])
        return cls(node.name, _near_start(scene, draw, -20, 20), one_of(draw, node.fans))

    def traces(self, past: Past) -> Iterator[Trace]:
        for after, event, direction in (
            (0, "Lower Critical going low", "Asserted"),
            (14 * MINUTE, "Lower Critical going low", "Deasserted"),
        ):
            yield self.trace(
                "sel.event",
                self.at_ms + after,
                self.host,
                sensor=f"Fan {self.fan}",
                event=event,
                direction=direction,
                clock="utc",
            )
        yield self.trace(
            "chat.message",
            self.at_ms + 15 * MINUTE,
            "chat",
            channel="#facilities",
            who="d.okoye",
            text=f"Swapped {self.fan} in {self.host} while it runs, alarm is gone.",
        )


@dataclass(frozen=True)
class HostPortWait(
    Herring,
    key="host-port-wait",
    tie="time",
    excludes=("spine-down", "fabric-neighbour", "acs-enabled", "pcie-downtrained"),
):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        return cls(scene.training.nodes[0].hcas[0].leaf, scene.calendar.first_step)

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            self.at_ms + 30 * MINUTE,
            self.host,
            command="perfquery -x",
            shows="PortXmitWait of the host ports grows a little, on all of them alike",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        small = "Grows from the start of the job on, alike on all host ports and as in other jobs."
        yield self.mark(past, "ib_switch_port_xmit_wait_total", small, switch=self.host)


@dataclass(frozen=True)
class PageCacheFull(Herring, key="page-cache-full", tie="time", excludes=("host-memory-leak",)):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        return cls(one_of(draw, [n.name for n in scene.training.nodes]), scene.calendar.first_step)

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            self.at_ms + 60 * MINUTE,
            self.host,
            command="free -g",
            shows="free 11, buff/cache 1731, available 1734",
        )
        yield self.trace(
            "chat.message",
            self.at_ms + 70 * MINUTE,
            "chat",
            channel="#pretraining",
            who=past.training.user,
            text=f"{self.host} has 11 GB of 2 TB free?! Is something eating the memory?",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        falls = "Falls within an hour of the start while MemAvailable stays: it is cache."
        yield self.mark(past, "node_memory_MemFree_bytes", falls, node=self.host)


@dataclass(frozen=True)
class CertificateRenewed(Herring, key="registry-certificate", tie="time"):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self:
        return cls("registry01", _near_start(scene, draw, -28, -10))

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "ticket.change",
            self.at_ms,
            "tickets",
            id="",
            who="p.achebe",
            status="closed",
            title="Image registry: certificate renewed",
            text=(
                "The certificate of the image registry would have run out in "
                f"{int(past.draw(self.key).between(3, 12))} days. Renewed; pulls of the last hour were "
                "tried again by themselves."
            ),
        )
        yield self.trace(
            "syslog.line",
            past.calendar.job_start + 25 * SECOND,
            past.training.nodes[0].name,
            unit="enroot",
            severity="warning",
            text="retrying registry01: TLS handshake timeout (attempt 1 of 3)",
        )
