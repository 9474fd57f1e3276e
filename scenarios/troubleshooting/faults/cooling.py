"""Causes that begin with heat: one GPU, one node's fan, one rack's cold aisle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE
from scenarios.troubleshooting.condition import Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, during
from scenarios.troubleshooting.physics import (
    COMPUTE,
    clock_for,
    heat_c,
    limit_c,
    load_clock,
    slowdown,
)
from scenarios.troubleshooting.shapes import Since
from scenarios.troubleshooting.traces import Mark, Trace

INLET_RISE = 11.5
"""What a failed cooler adds to the inlets of its rack, C."""


def seconds_at(clock_mhz: int, load_mhz: int) -> float:
    """What the pace of a step loses when its slowest GPU runs at `clock_mhz` (s per step)."""
    return COMPUTE * (slowdown(clock_mhz / load_mhz) - 1)


def _heat_marks(fault: Fault, past: Past, node: str, gpu: int, mhz: int) -> Iterator[Mark]:
    hot, slow = (
        "At its limit, 85 to 89 C; healthy GPUs hold 58 to 68 C.",
        f"Falls to about {mhz} MHz as it warms up.",
    )
    yield fault.mark(past, "DCGM_FI_DEV_GPU_TEMP", hot, node=node, gpu=gpu)
    yield fault.mark(past, "DCGM_FI_DEV_SM_CLOCK", slow, node=node, gpu=gpu)
    falls = "Falls together with the clock: it is heat, not a power limit."
    yield fault.mark(past, "DCGM_FI_DEV_POWER_USAGE", falls, node=node, gpu=gpu)


@dataclass(frozen=True)
class GpuThermalThrottle(
    Fault,
    key="gpu-thermal-throttle",
    number=1,
    group="slow",
    component="compute",
    costs=(0.3, 0.95),
):
    node: str
    gpu: int
    bus_id: str
    rank: int
    clock_mhz: int
    load_mhz: int
    heat_c: float
    limit_c: int
    start_ms: int
    rise_ms: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        node = scene.node(draw)
        gpu = node.gpus[int(draw.between(0, len(node.gpus)))]
        mhz, load = clock_for(scene.plant, seconds), load_clock(scene.plant)
        return cls(
            seconds=seconds_at(mhz, load),
            node=node.name,
            gpu=gpu.index,
            bus_id=gpu.bus_id,
            rank=scene.training.rank(node.name, gpu.index),
            clock_mhz=mhz,
            load_mhz=load,
            heat_c=heat_c(scene.plant, mhz, limit_c(scene.plant) + 1),
            limit_c=limit_c(scene.plant),
            start_ms=scene.calendar.first_step,
            rise_ms=int(draw.between(10, 18) * MINUTE),
        )

    def effects(self) -> tuple[Effect, ...]:
        shape = Since(self.start_ms, self.rise_ms)
        name = f"{self.node}/gpu{self.gpu}"
        return (
            self.effect(name, "clock", self.clock_mhz / self.load_mhz, shape),
            self.effect(name, "heat_c", self.heat_c, shape),
        )

    def places(self) -> tuple[str, ...]:
        return (f"{self.node}/gpu{self.gpu}", self.node)

    def traces(self, past: Past) -> Iterator[Trace]:
        hot = self.start_ms + self.rise_ms
        yield self.trace(
            "sensors.reading",
            hot,
            self.node,
            sensor=f"GPU{self.gpu + 1} Temp",
            value=str(self.limit_c + 1),
            unit="degrees C",
            status="nc",
        )
        yield self.trace(
            "sel.event",
            hot,
            self.node,
            sensor=f"Temperature GPU{self.gpu + 1} Temp",
            event="Upper Non-critical going high",
            direction="Asserted",
            clock="utc",
        )
        yield self.trace(
            "state.command",
            hot,
            self.node,
            command=f"nvidia-smi -q -i {self.gpu} -d PERFORMANCE,TEMPERATURE",
            shows="HW Thermal Slowdown: Active; GPU T.Limit Temp near 0",
        )
        for at in during(past, past.draw(self.key), 55, most=12):
            yield self.trace(
                "syslog.line",
                max(at, hot),
                self.node,
                unit="gpu-health",
                severity="warning",
                text=f"GPU {self.gpu} ({self.bus_id}): clocks event reasons 0x0000000000000048",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        yield from _heat_marks(self, past, self.node, self.gpu, self.clock_mhz)
        least = "The rank that waits least in the collectives: everybody else waits for it."
        yield self.mark(past, "train_comm_seconds", least, rank=self.rank)


@dataclass(frozen=True)
class RackInletHot(
    Fault, key="rack-inlet-hot", number=2, group="slow", component="compute", costs=(0.25, 0.75)
):
    rack: str
    cooler: str
    nodes: tuple[str, ...]
    gpus: int
    clock_mhz: int
    load_mhz: int
    heat_c: float
    start_ms: int
    rise_ms: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        rack = scene.plant.rack(scene.rack(draw))
        mhz, load = clock_for(scene.plant, seconds), load_clock(scene.plant)
        return cls(
            seconds=seconds_at(mhz, load),
            rack=rack.name,
            cooler=rack.cooler,
            nodes=rack.nodes,
            gpus=scene.plant.gpus_per_node,
            clock_mhz=mhz,
            load_mhz=load,
            heat_c=heat_c(scene.plant, mhz, limit_c(scene.plant) - 1 - INLET_RISE),
            start_ms=scene.calendar.first_step - int(draw.between(2, 12) * MINUTE),
            rise_ms=int(draw.between(14, 20) * MINUTE),
        )

    def effects(self) -> tuple[Effect, ...]:
        shape = Since(self.start_ms, self.rise_ms)
        found = []
        for node in self.nodes:
            found.append(self.effect(node, "inlet_c", INLET_RISE, shape))
            found.append(self.effect(node, "fan_boost", 1.35, shape))
            for gpu in range(self.gpus):
                name = f"{node}/gpu{gpu}"
                found.append(self.effect(name, "clock", self.clock_mhz / self.load_mhz, shape))
                found.append(self.effect(name, "heat_c", self.heat_c, shape))
        return tuple(found)

    def places(self) -> tuple[str, ...]:
        return (self.rack, *self.nodes)

    def traces(self, past: Past) -> Iterator[Trace]:
        warm = self.start_ms + self.rise_ms
        yield self.trace(
            "facility.line",
            self.start_ms,
            self.cooler,
            unit="bms",
            severity="warning",
            text=f"{self.cooler} chilled water valve position 18 %, set point 74 %: actuator does not follow",
        )
        yield self.trace(
            "facility.line",
            warm,
            self.cooler,
            unit="bms",
            severity="notice",
            text=f"{self.cooler} supply air 31.8 C, set point 22.0 C; acknowledged, work order opened",
        )
        for node in self.nodes:
            yield self.trace(
                "sensors.reading",
                warm,
                node,
                sensor="Inlet Temp",
                value="34",
                unit="degrees C",
                status="nc",
            )
            yield self.trace(
                "sel.event", warm - MINUTE, node, sensor="Temperature Inlet Temp",
                event="Upper Non-critical going high", direction="Asserted", clock="utc",
            )  # fmt: skip
        yield self.trace(
            "chat.message",
            warm + 2 * HOUR,
            "chat",
            channel="#facilities",
            who="facility desk",
            text=f"{self.cooler}: actuator is on order, we keep it on manual until the part is here.",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        inlet = "Inlet at 32 to 35 C; other racks at 21 to 24 C."
        # The rack's other nodes have work at times only: what they show is the air.
        own = {node.name for node in past.training.nodes}
        for node in self.nodes:
            yield self.mark(past, "ipmi_temperature_celsius", inlet, node=node, name="Inlet Temp")
            if node not in own:
                continue
            slow = f"All GPUs fall to about {self.clock_mhz} MHz."
            yield self.mark(past, "DCGM_FI_DEV_SM_CLOCK", slow, node=node)
            warm = "All GPUs warm up together, to 84 to 87 C."
            yield self.mark(past, "DCGM_FI_DEV_GPU_TEMP", warm, node=node)


@dataclass(frozen=True)
class FanFailure(
    Fault, key="fan-failure", number=3, group="slow", component="compute", costs=(0.25, 0.75)
):
    node: str
    fan: str
    gpus: tuple[int, ...]
    clock_mhz: int
    load_mhz: int
    heat_c: float
    failed_ms: int
    start_ms: int
    rise_ms: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        node = scene.node(draw)
        half = len(node.gpus) // 2
        first = half if draw.chance(0.5) else 0
        mhz, load = clock_for(scene.plant, seconds), load_clock(scene.plant)
        return cls(
            seconds=seconds_at(mhz, load),
            node=node.name,
            fan=node.fans[int(draw.between(0, 5)) + (5 if first else 0)],
            gpus=tuple(range(first, first + half)),
            clock_mhz=mhz,
            load_mhz=load,
            heat_c=heat_c(scene.plant, mhz, limit_c(scene.plant)),
            failed_ms=scene.calendar.job_start - int(draw.between(20, 100) * MINUTE),
            start_ms=scene.calendar.first_step,
            rise_ms=int(draw.between(10, 15) * MINUTE),
        )

    def effects(self) -> tuple[Effect, ...]:
        shape, failed = Since(self.start_ms, self.rise_ms), Since(self.failed_ms)
        found = [
            self.effect(f"{self.node}/{self.fan}", "fan_rpm", 0.0, failed),
            self.effect(self.node, "fan_boost", 1.45, failed),
        ]
        for gpu in self.gpus:
            name = f"{self.node}/gpu{gpu}"
            found.append(self.effect(name, "clock", self.clock_mhz / self.load_mhz, shape))
            found.append(self.effect(name, "heat_c", self.heat_c, shape))
        return tuple(found)

    def places(self) -> tuple[str, ...]:
        return (self.node, f"{self.node}/{self.fan}", *(f"{self.node}/gpu{g}" for g in self.gpus))

    def traces(self, past: Past) -> Iterator[Trace]:
        for after, event in (
            (0, "Lower Critical going low"),
            (4_000, "Lower Non-recoverable going low"),
        ):
            yield self.trace(
                "sel.event",
                self.failed_ms + after,
                self.node,
                sensor=f"Fan {self.fan}",
                event=event,
                direction="Asserted",
                clock="utc",
            )
        yield self.trace(
            "sensors.reading",
            self.failed_ms,
            self.node,
            sensor=f"{self.fan} Tach",
            value="0",
            unit="RPM",
            status="nr",
        )
        hot = self.start_ms + self.rise_ms
        for gpu in self.gpus:
            yield self.trace(
                "state.command",
                hot,
                self.node,
                command=f"nvidia-smi -q -i {gpu} -d PERFORMANCE",
                shows="SW Thermal Slowdown: Active",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        still = "0 RPM; its neighbours run 45 % faster."
        yield self.mark(past, "ipmi_fan_speed_rpm", still, node=self.node, name=f"{self.fan} Tach")
        for gpu in self.gpus:
            yield from _heat_marks(self, past, self.node, gpu, self.clock_mhz)
