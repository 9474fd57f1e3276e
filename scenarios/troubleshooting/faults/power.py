"""Causes that begin with power or clocks that somebody set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE, SECOND
from scenarios.troubleshooting.condition import Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, during
from scenarios.troubleshooting.faults.cooling import seconds_at
from scenarios.troubleshooting.physics import (
    CLOCKED,
    COMPUTE,
    clock_at_limit,
    clock_for,
    load_clock,
)
from scenarios.troubleshooting.shapes import Since
from scenarios.troubleshooting.traces import Mark, Trace


@dataclass(frozen=True)
class PowerCapLeft(
    Fault, key="power-cap-left", number=4, group="slow", component="compute", costs=(0.25, 0.9)
):
    nodes: tuple[str, ...]
    gpus: int
    limit_w: int
    default_w: int
    clock_mhz: int
    load_mhz: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        plant, load = scene.plant, load_clock(scene.plant)
        limits = [plant.top_w * part // 100 // 5 * 5 for part in range(54, 86)]
        best = min(limits, key=lambda w: abs(seconds_at(clock_at_limit(plant, w), load) - seconds))
        return cls(
            seconds=seconds_at(clock_at_limit(plant, best), load),
            nodes=tuple(n.name for n in scene.nodes(draw, 1 + int(draw.between(0, 2)))),
            gpus=plant.gpus_per_node,
            limit_w=best,
            default_w=plant.top_w,
            clock_mhz=clock_at_limit(plant, best),
            load_mhz=load,
        )

    def effects(self) -> tuple[Effect, ...]:
        return tuple(
            self.effect(f"{node}/gpu{gpu}", "power_limit_w", float(self.limit_w))
            for node in self.nodes
            for gpu in range(self.gpus)
        )

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 2 * HOUR
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="r.lindqvist",
            status="closed",
            title="Feed test B: lower draw during the test",
            text=(
                "For the feed test the GPUs of the nodes on the tested branch were limited for two "
                f"hours ({', '.join(self.nodes)}). Test passed. The boot unit puts limits back."
            ),
        )
        for node in self.nodes:
            yield self.trace(
                "config.setting",
                at,
                node,
                path="/etc/default/gpu-power",
                key="GPU_POWER_LIMIT_W",
                before=str(self.default_w),
                after=str(self.limit_w),
            )
            for gpu in past.plant.node(node).gpus:
                yield self.trace(
                    "syslog.line",
                    at + 9 * MINUTE,
                    node,
                    unit="gpu-power.service",
                    severity="info",
                    text=f"Power limit for GPU {gpu.bus_id} was set to {self.limit_w}.00 W from "
                    f"{self.default_w}.00 W.",
                )
            yield self.trace(
                "state.command", past.first_ms, node, command="nvidia-smi -q -d POWER,PERFORMANCE",
                shows=f"Current Power Limit: {self.limit_w}.00 W; SW Power Cap: Active",
            )  # fmt: skip

    def marks(self, past: Past) -> Iterator[Mark]:
        flat = f"Flat at {self.limit_w} W on all GPUs of the node."
        slow = f"About {self.clock_mhz} MHz from the first step on."
        cool = "Cooler than elsewhere: it is not heat."
        for node in self.nodes:
            yield self.mark(past, "DCGM_FI_DEV_POWER_USAGE", flat, node=node)
            yield self.mark(past, "DCGM_FI_DEV_SM_CLOCK", slow, node=node)
            yield self.mark(past, "DCGM_FI_DEV_GPU_TEMP", cool, node=node)


@dataclass(frozen=True)
class PowerBrake(
    Fault, key="power-brake", number=5, group="slow", component="compute", costs=(0.3, 0.9)
):
    node: str
    supplies: tuple[str, str]
    gpus: int
    brake_mhz: int
    load_mhz: int
    share: float
    failed_ms: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        node, load = scene.node(draw), load_clock(scene.plant)
        mhz = int(load * draw.between(0.30, 0.42)) // 15 * 15
        first = int(draw.between(0, 3))
        return cls(
            seconds=seconds,
            node=node.name,
            supplies=(node.power_supplies[first], node.power_supplies[first + 3]),
            gpus=len(node.gpus),
            brake_mhz=mhz,
            load_mhz=load,
            share=round(seconds / (COMPUTE + seconds) / (1 - mhz / load), 3),
            failed_ms=scene.calendar.job_start - int(draw.between(3, 9) * MINUTE),
        )

    def facts(self) -> dict[str, object]:
        return super().facts() | {"percent": round(100 * self.share)}

    def effects(self) -> tuple[Effect, ...]:
        even = CLOCKED / (1 + self.seconds / COMPUTE - (1 - CLOCKED))
        failed = Since(self.failed_ms)
        found = [self.effect(self.node, "supplies_lost", 2.0, failed)]
        for gpu in range(self.gpus):
            name = f"{self.node}/gpu{gpu}"
            found.append(self.effect(name, "clock", even, failed))
            found.append(self.effect(name, "braked", self.share, failed))
        return tuple(found)

    def places(self) -> tuple[str, ...]:
        return (self.node, *(f"{self.node}/{supply}" for supply in self.supplies))

    def traces(self, past: Past) -> Iterator[Trace]:
        for number, supply in enumerate(self.supplies):
            yield self.trace(
                "sel.event",
                self.failed_ms + number * 7 * SECOND,
                self.node,
                sensor=f"Power Supply {supply}",
                event="Failure detected",
                direction="Asserted",
                clock="utc",
            )
            yield self.trace(
                "sensors.reading",
                self.failed_ms,
                self.node,
                sensor=f"{supply} Input Power",
                value="0",
                unit="Watts",
                status="cr",
            )
        yield self.trace(
            "state.command",
            past.first_ms,
            self.node,
            command="nvidia-smi -q -d PERFORMANCE",
            shows="HW Power Brake Slowdown: Active in every second or third query, on all GPUs at once",
        )
        for at in during(past, past.draw(self.key), 45, most=16):
            yield self.trace(
                "syslog.line",
                at,
                self.node,
                unit="gpu-health",
                severity="warning",
                text=f"GPUs 0-{self.gpus - 1}: clocks event reasons 0x0000000000000088",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        spells = f"Samples flicker between {self.load_mhz} and {self.brake_mhz} MHz, on all GPUs at once."
        yield self.mark(past, "DCGM_FI_DEV_SM_CLOCK", spells, node=self.node)
        falls = "Falls with the clock, on all GPUs at the same moment."
        yield self.mark(past, "DCGM_FI_DEV_POWER_USAGE", falls, node=self.node)
        for supply in self.supplies:
            dead = "Input power 0 W since shortly before the job."
            yield self.mark(
                past, "ipmi_power_watts", dead, node=self.node, name=f"{supply} Input Power"
            )


@dataclass(frozen=True)
class ClocksPinned(
    Fault,
    key="clocks-pinned",
    number=0,
    group="slow",
    component="compute",
    costs=(0.25, 0.85),
    levels=("mid", "senior"),
):
    node: str
    gpus: int
    clock_mhz: int
    load_mhz: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        mhz, load = clock_for(scene.plant, seconds), load_clock(scene.plant)
        node = scene.node(draw)
        return cls(seconds_at(mhz, load), node.name, len(node.gpus), mhz, load)

    def effects(self) -> tuple[Effect, ...]:
        part = self.clock_mhz / self.load_mhz
        return tuple(
            self.effect(f"{self.node}/gpu{gpu}", "clock", part) for gpu in range(self.gpus)
        )

    def places(self) -> tuple[str, ...]:
        return (self.node,)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 5 * HOUR
        yield self.trace(
            "chat.message",
            at,
            "chat",
            channel="#gpu-bench",
            who="sgupta",
            text=f"Roofline figures are in, took {self.node} with fixed clocks so that runs compare. "
            "The node is back in the pool.",
        )
        yield self.trace(
            "syslog.line",
            at - 40 * MINUTE,
            self.node,
            unit="sudo",
            severity="notice",
            text="sgupta : TTY=pts/2 ; PWD=/home/sgupta ; USER=root ; "
            f"COMMAND=/usr/bin/nvidia-smi -lgc {self.clock_mhz}",
        )
        yield self.trace(
            "state.command",
            past.first_ms,
            self.node,
            command="nvidia-smi -q -d CLOCK,PERFORMANCE",
            shows=f"SM {self.clock_mhz} MHz on every GPU under load; no slowdown reason Active",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        exact = f"Exactly {self.clock_mhz} MHz under load, without any spread."
        yield self.mark(past, "DCGM_FI_DEV_SM_CLOCK", exact, node=self.node)
        cool = "Below the fleet's: neither heat nor power holds it back."
        yield self.mark(past, "DCGM_FI_DEV_GPU_TEMP", cool, node=self.node)
