"""Causes on a link itself: an InfiniBand cable, or NVLink within a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE, SECOND
from scenarios.troubleshooting.condition import Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, during
from scenarios.troubleshooting.physics import LOCAL
from scenarios.troubleshooting.shapes import Bursts
from scenarios.troubleshooting.traces import Mark, Trace


@dataclass(frozen=True)
class LinkFlapping(
    Fault,
    key="ib-link-flapping",
    number=10,
    group="flap",
    component="communication",
    costs=(0.25, 0.95),
):
    node: str
    device: str
    netdev: str
    bus_id: str
    leaf: str
    leaf_port: int
    cable: str
    rank: int
    steady_s: float
    stall_s: float
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        node = scene.node(draw)
        hca = node.hcas[int(draw.between(0, len(node.hcas)))]
        share = draw.between(0.4, 0.55)
        steady = 0.6 * seconds
        rest, burst = 2.4 + 2.0 - 0.4 * seconds, 0.4 * seconds
        # Steps are longer in a burst: a part of the steps needs a larger part of the time.
        stall = burst * rest / (share * rest - (1 - share) * burst)
        return cls(
            seconds=seconds,
            node=node.name,
            device=hca.device,
            netdev=hca.netdev,
            bus_id=hca.bus_id,
            leaf=hca.leaf,
            leaf_port=hca.leaf_port,
            cable=next(c.serial for c in scene.plant.cables if c.a == hca.name),
            rank=scene.training.rank(node.name, hca.index),
            steady_s=round(steady, 3),
            stall_s=round(stall, 3),
            spans=_bursts(scene, share, draw),
        )

    def effects(self) -> tuple[Effect, ...]:
        name, shape = f"{self.node}/{self.device}", Bursts(self.spans)
        return (
            self.effect(name, "stall_s", self.steady_s),
            self.effect(name, "stall_s", self.stall_s, shape),
            self.effect(name, "symbol_errors", 700.0),
            self.effect(name, "symbol_errors", 5200.0, shape),
        )

    def places(self) -> tuple[str, ...]:
        return (f"{self.node}/{self.device}", f"{self.leaf}/{self.leaf_port}", self.node)

    def traces(self, past: Past) -> Iterator[Trace]:
        for start, end in self.spans:
            if start > past.end_ms:
                break
            down = start + 40 * SECOND
            yield from self._flap(down, min(down + 9 * SECOND, end))
        for start, _ in self.spans[::3]:
            if start < past.end_ms:
                yield self.trace(
                    "nccl.line",
                    start + 41 * SECOND,
                    self.node,
                    rank=self.rank,
                    severity="WARN",
                    text=f"NET/IB : {self.device}:1 Got non-fatal async event: port error(10)",
                )
        yield self.trace(
            "state.command",
            past.end_ms,
            self.leaf,
            command="ibqueryerrors",
            shows=f"port {self.leaf_port}: SymbolErrorCounter and LinkDownedCounter grow; cable {self.cable}",
        )

    def _flap(self, down: int, up: int) -> Iterator[Trace]:
        link = f"mlx5_core {self.bus_id} {self.netdev}"
        yield self.trace("dmesg.line", down, self.node, text=f"{link}: Link down")
        yield self.trace("dmesg.line", up, self.node, text=f"{link}: Link up")
        yield self.trace(
            "syslog.line",
            down + 200,
            self.node,
            unit="systemd-networkd",
            severity="info",
            text=f"{self.netdev}: Lost carrier",
        )
        yield self.trace(
            "fabric.line",
            down + 900,
            self.leaf,
            unit="opensm",
            severity="warning",
            text=f"{self.leaf} port {self.leaf_port} (peer {self.node} {self.device}): Active -> Down",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        grows = "Grows by thousands an hour, in bursts; every other port stays at zero."
        leaf, port = self.leaf, self.leaf_port
        yield self.mark(past, "ib_switch_port_symbol_errors_total", grows, switch=leaf, port=port)
        downs = "One more in each burst."
        yield self.mark(past, "ib_switch_port_link_downed_total", downs, switch=leaf, port=port)
        dips = "Falls to nothing for seconds in each burst while the other rails wait."
        metric = "node_infiniband_port_data_transmitted_bytes_total"
        yield self.mark(past, metric, dips, node=self.node, device=self.device)


def _bursts(scene: Scene, share: float, draw: Stream) -> tuple[tuple[int, int], ...]:
    """Bursts of 6 to 12 minutes that fill a part `share` of the time until well past the end."""
    at, spans = float(scene.calendar.first_step), []
    while at < scene.end_guess + 3 * HOUR:
        length = draw.between(6.0, 12.0) * MINUTE
        start = at + length * (1 / share - 1) * draw.between(0.3, 0.7)
        spans.append((int(start), int(start + length)))
        at += length / share
    return tuple(spans)


@dataclass(frozen=True)
class NvlinkDegraded(
    Fault,
    key="nvlink-degraded",
    number=7,
    group="nvlink",
    component="communication",
    costs=(0.3, 0.8),
):
    node: str
    gpu: int
    bus_id: str
    links: int
    down: tuple[int, ...]

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        node, links = scene.node(draw), scene.plant.nvlinks
        gpu = node.gpus[int(draw.between(0, len(node.gpus)))]
        count = min(range(2, links), key=lambda n: abs(LOCAL * (links / (links - n) - 1) - seconds))
        first = int(draw.between(0, links - count + 1))
        return cls(
            seconds=LOCAL * (links / (links - count) - 1),
            node=node.name,
            gpu=gpu.index,
            bus_id=gpu.bus_id,
            links=links,
            down=tuple(range(first, first + count)),
        )

    def effects(self) -> tuple[Effect, ...]:
        return (self.effect(f"{self.node}/gpu{self.gpu}", "nvlink_down", float(len(self.down))),)

    def places(self) -> tuple[str, ...]:
        return (f"{self.node}/gpu{self.gpu}", self.node)

    def facts(self) -> dict[str, object]:
        return super().facts() | {"count": len(self.down), "left": self.links - len(self.down)}

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.job_start - past.draw(self.key).between(1, 20) * HOUR
        for number, link in enumerate(self.down):
            yield self.trace(
                "dmesg.xid",
                int(at) + number * 900,
                self.node,
                gpu=self.gpu,
                bus_id=self.bus_id,
                xid=74,
                pid="'<unknown>'",
                process="<unknown>",
                text=f"NVLink: fatal error detected on link {link}(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
            )
        yield self.trace(
            "syslog.line",
            int(at) + 20 * SECOND,
            self.node,
            unit="nvidia-fabricmanager",
            severity="err",
            text=f"detected NVLink non-recoverable error on GPU {self.gpu}, {len(self.down)} links not trained",
        )
        yield self.trace(
            "state.command",
            past.first_ms,
            self.node,
            command=f"nvidia-smi nvlink -s -i {self.gpu}",
            shows=f"links {self.down[0]} to {self.down[-1]}: <inactive>",
        )
        for number, when in enumerate(during(past, past.draw("nvlink-health"), 120, most=5)):
            yield self.trace(
                "syslog.line",
                when,
                self.node,
                unit="gpu-health",
                severity="warning",
                text=f"GPU {self.gpu}: {self.links - len(self.down)} of {self.links} NVLinks active "
                f"(check {number + 1})",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        low = "Lower than on the other GPUs of the node while they wait for this one."
        metric = "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"
        yield self.mark(past, metric, low, node=self.node, gpu=self.gpu)
        xid = "Holds 74 since before the job."
        yield self.mark(past, "DCGM_FI_DEV_XID_ERRORS", xid, node=self.node, gpu=self.gpu)
