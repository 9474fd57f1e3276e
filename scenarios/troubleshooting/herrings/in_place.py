"""Herrings on the same machine as a real cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE
from scenarios.troubleshooting.condition import Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene
from scenarios.troubleshooting.herrings.base import Herring, one_of, stricken_hosts, stricken_nodes
from scenarios.troubleshooting.jobs import Neighbour
from scenarios.troubleshooting.traces import Mark, Trace


@dataclass(frozen=True)
class FewCorrectable(Herring, key="few-correctable-ecc", tie="place"):
    gpu: int
    count: int

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        nodes = stricken_nodes(scene, faults)
        if not nodes:
            return None
        gpu = int(draw.between(0, scene.plant.gpus_per_node))
        return cls(one_of(draw, nodes), scene.calendar.window_start, gpu, int(draw.between(3, 8)))

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            self.at_ms,
            self.host,
            command=f"nvidia-smi -q -i {self.gpu} -d ECC",
            shows=f"Aggregate: DRAM Correctable {self.count}, everything else 0",
        )


@dataclass(frozen=True)
class RowSettled(Herring, key="row-remapped-settled", tie="place"):
    gpu: int

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        nodes = stricken_nodes(scene, faults)
        if not nodes:
            return None
        return cls(
            one_of(draw, nodes),
            scene.calendar.window_start - int(draw.between(30, 80)) * DAY,
            int(draw.between(0, scene.plant.gpus_per_node)),
        )

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            past.first_ms,
            self.host,
            command=f"nvidia-smi -q -i {self.gpu} -d ROW_REMAPPER",
            shows="Remapped Rows: Uncorrectable Error 1, Pending No, Remapping Failure Occurred No",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        one = "1 in the whole window, unchanged."
        metric = "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"
        yield self.mark(past, metric, one, node=self.host, gpu=self.gpu)


@dataclass(frozen=True)
class OldXid(Herring, key="old-user-xid", tie="place", excludes=("nvlink-degraded",)):
    gpu: int
    bus_id: str
    xid: int
    user: str

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        nodes = stricken_nodes(scene, faults)
        if not nodes:
            return None
        node = scene.plant.node(one_of(draw, nodes))
        gpu = node.gpus[int(draw.between(0, len(node.gpus)))]
        calendar = scene.calendar
        span = calendar.job_start - calendar.window_start
        at = calendar.window_start + int(span * draw.between(0.1, 0.6))
        xid = draw.pick([(31, 0.6), (13, 0.4)])
        user = one_of(draw, ("hsorensen", "dpatel", "lrossi"))
        return cls(node.name, at // 1000 * 1000, gpu.index, gpu.bus_id, xid, user)

    def neighbours(self) -> tuple[Neighbour, ...]:
        """The notebook that the error ended."""
        start, end = self.at_ms - 50 * MINUTE, self.at_ms + 2_000
        own, only = (self.host,), (self.gpu,)
        return (
            Neighbour(self.key, "jupyter", self.user, "vision", own, start, end, "FAILED", only),
        )

    def traces(self, past: Past) -> Iterator[Trace]:
        text = {
            31: "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f1c_a2000000. "
            "Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
            13: "Graphics SM Warp Exception on (GPC 2, TPC 4, SM 1): Out Of Range Address",
        }[self.xid]
        pid = int(past.draw(self.key).between(4_000, 90_000))
        for after, xid, line in (
            (0, self.xid, text),
            (120, 43, "Ch 00000010, engmask 00000101"),
        ):
            yield self.trace(
                "dmesg.xid",
                self.at_ms + after,
                self.host,
                gpu=self.gpu,
                bus_id=self.bus_id,
                xid=xid,
                pid=str(pid),
                process="python3",
                text=line,
            )


@dataclass(frozen=True)
class UnsetClock(Herring, key="sel-clock-unset", tie="place", excludes=("power-brake",)):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        fans = [fault.places() for fault in faults if fault.key == "fan-failure"]
        spared = {place.split("/")[0] for places in fans for place in places}
        hosts = [host for host in stricken_hosts(scene, faults) if host not in spared]
        return cls(one_of(draw, hosts), scene.calendar.window_start - 200 * DAY) if hosts else None

    def traces(self, past: Past) -> Iterator[Trace]:
        for number, (sensor, event) in enumerate(
            (
                ("Power Supply PSU2", "Power Supply AC lost"),
                ("Fan FAN4", "Lower Critical going low"),
            )
        ):
            for after, direction in ((0, "Asserted"), (9 * MINUTE, "Deasserted")):
                yield self.trace(
                    "sel.event",
                    self.at_ms + number * 3 * MINUTE + after,
                    self.host,
                    sensor=sensor,
                    event=event,
                    direction=direction,
                    clock="unset",
                )


@dataclass(frozen=True)
class HighLoad(
    Herring,
    key="load-average",
    tie="place",
    excludes=("srun-lost-cpus", "cgroup-cpu-limit", "wrong-socket", "governor-powersave"),
):
    load: float

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        nodes = stricken_nodes(scene, faults)
        if not nodes:
            return None
        return cls(one_of(draw, nodes), scene.calendar.first_step, round(draw.between(84, 97), 2))

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            self.at_ms + 2 * HOUR,
            self.host,
            command="uptime",
            shows=f"load average: {self.load}, {self.load - 1.3:.2f}, {self.load - 2.1:.2f} on 224 threads",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        alike = "About as high on every node of the job, and in the run to compare with."
        yield self.mark(past, "node_load1", alike, node=self.host)


@dataclass(frozen=True)
class SwapUsed(Herring, key="swap-used", tie="place", excludes=("host-memory-leak",)):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        hosts = stricken_hosts(scene, faults)
        return cls(one_of(draw, hosts), scene.calendar.window_start) if hosts else None

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            past.first_ms + HOUR,
            self.host,
            command="free -m",
            shows="Swap: total 65535, used 142; si and so of vmstat are 0",
        )


@dataclass(frozen=True)
class LimitTouched(
    Herring,
    key="limit-touched",
    tie="place",
    excludes=("power-cap-left", "power-brake", "clocks-pinned"),
):
    gpu: int
    watts: int

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        nodes = stricken_nodes(scene, faults)
        if not nodes:
            return None
        gpu = int(draw.between(0, scene.plant.gpus_per_node))
        return cls(one_of(draw, nodes), scene.calendar.first_step, gpu, scene.plant.top_w)

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            self.at_ms + HOUR,
            self.host,
            command="nvidia-smi --query-gpu=index,clocks_event_reasons.active,power.draw --format=csv",
            shows=f"GPU {self.gpu}: draw {self.watts - 6}.31 W of {self.watts} W in one query of ten",
        )


@dataclass(frozen=True)
class ManagementMtu(Herring, key="management-mtu", tie="place", excludes=("mtu-mismatch",)):
    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        hosts = stricken_hosts(scene, faults)
        return cls(one_of(draw, hosts), scene.calendar.window_start) if hosts else None

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            past.first_ms,
            self.host,
            command="ip -o link",
            shows="eno1 mtu 1500; bond0 mtu 9000, bond0.210 mtu 9000",
        )


@dataclass(frozen=True)
class OldSymbols(Herring, key="old-symbol-errors", tie="place", excludes=("ib-link-flapping",)):
    switch: str
    port: int
    count: int

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        places = {place for fault in faults for place in fault.places()}
        leaves = [leaf.name for leaf in scene.plant.leaves if leaf.name in places]
        nodes = stricken_nodes(scene, faults)
        if leaves:
            leaf = one_of(draw, leaves)
            hca = next(h for n in scene.training.nodes for h in n.hcas if h.leaf == leaf)
        elif nodes:
            hca = scene.plant.node(one_of(draw, nodes)).hcas[1]
        else:
            return None
        at = scene.calendar.window_start - 60 * DAY
        return cls(hca.leaf, at, hca.leaf, hca.leaf_port, int(draw.between(60, 400)))

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "state.command",
            past.first_ms,
            self.host,
            command="ibqueryerrors",
            shows=f"port {self.port}: SymbolErrorCounter {self.count}, the same at every query",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        still = f"{self.count} in the whole window: nothing is added."
        metric = "ib_switch_port_symbol_errors_total"
        yield self.mark(past, metric, still, switch=self.switch, port=self.port)


@dataclass(frozen=True)
class ClockAhead(Herring, key="clock-ahead", tie="place"):
    offset_ms: int

    @classmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        nodes = stricken_nodes(scene, faults)
        if not nodes:
            return None
        return cls(one_of(draw, nodes), scene.calendar.window_start, int(draw.between(1500, 4200)))

    def effects(self) -> tuple[Effect, ...]:
        return (self.effect(self.host, "clock_offset_s", self.offset_ms / 1000),)

    def traces(self, past: Past) -> Iterator[Trace]:
        for hours in (1, 5, 9):
            yield self.trace(
                "syslog.line",
                past.first_ms + hours * HOUR,
                self.host,
                unit="chronyd",
                severity="warning",
                text="Can't synchronise: no selectable sources",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        never = "0 in the whole window, long before the run."
        yield self.mark(past, "node_timex_sync_status", never, node=self.host)
