"""Causes that make computing itself slow without an alarm: a weak node, a changed setting, the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE
from scenarios.troubleshooting.condition import JOB, Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene
from scenarios.troubleshooting.physics import COMPUTE
from scenarios.troubleshooting.traces import Mark, Trace


@dataclass(frozen=True)
class SilentSlowNode(
    Fault, key="silent-slow-node", number=24, group="slow", component="compute", costs=(0.25, 0.74)
):
    node: str
    gpus: int
    ranks: tuple[int, int]
    percent: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        node = scene.node(draw)
        first = scene.training.rank(node.name, 0)
        percent = round(100 * seconds / COMPUTE)
        ranks = (first, first + len(node.gpus) - 1)
        return cls(COMPUTE * percent / 100, node.name, len(node.gpus), ranks, percent)

    def facts(self) -> dict[str, object]:
        return super().facts() | {"span": f"{self.ranks[0]} to {self.ranks[1]}"}

    def effects(self) -> tuple[Effect, ...]:
        times = 1 + self.percent / 100
        return tuple(
            self.effect(f"{self.node}/gpu{g}", "sluggish", times) for g in range(self.gpus)
        )

    def places(self) -> tuple[str, ...]:
        return (self.node,)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 3 * HOUR
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="d.okoye",
            status="closed",
            title=f"{self.node}: main board swapped",
            text=(
                f"Vendor swapped the main board of {self.node} after a failed self-test. Node boots, "
                "all GPUs and links are seen, short diagnostics (level 1) pass. Back in the pool."
            ),
        )
        yield self.trace(
            "state.command",
            past.first_ms,
            self.node,
            command="dcgmi diag -r 1",
            shows="Pass in every row; no slowdown reason, no Xid, no error counter moves",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        first, last = self.ranks
        longer = (
            f"Compute {self.percent} % longer than on every other rank, from the first step on."
        )
        yield self.mark(past, "train_compute_seconds", longer, rank=f"{first}-{last}")
        calm = "Clocks as elsewhere: nothing on the GPU explains it."
        yield self.mark(past, "DCGM_FI_DEV_SM_CLOCK", calm, node=self.node)
        active = "Lower than elsewhere at the same clock."
        yield self.mark(past, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", active, node=self.node)


@dataclass(frozen=True)
class RecomputeTurnedOn(
    Fault,
    key="recompute-turned-on",
    number=0,
    group="slow",
    component="compute",
    costs=(0.3, 0.62),
    levels=("mid", "senior"),
):
    path: str
    user: str
    percent: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        percent = round(100 * seconds / COMPUTE)
        training = scene.training
        path = training.script.replace("train.sbatch", "config.yaml")
        return cls(COMPUTE * percent / 100, path, training.user, percent)

    def effects(self) -> tuple[Effect, ...]:
        return (
            self.effect(JOB, "work", 1 + self.percent / 100),
            self.effect(JOB, "gpu_memory", 0.58),
        )

    def places(self) -> tuple[str, ...]:
        return (JOB,)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.job_start - 5 * HOUR
        yield self.trace(
            "config.setting",
            at,
            past.plant.login,
            path=self.path,
            key="activation_checkpointing",
            before="none",
            after="full",
        )
        yield self.trace(
            "chat.message",
            at - 20 * MINUTE,
            "chat",
            channel="#pretraining",
            who=self.user,
            text="Ran out of memory in the long-context test last night, switched to the safe preset "
            "until I find out why.",
        )
        yield self.trace(
            "train.line",
            past.first_ms - 50_000,
            past.training.nodes[0].name,
            rank=0,
            severity="INFO",
            text="activation checkpointing: full (recompute in backward for all layers)",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        longer = f"About {self.percent} % longer on all ranks alike; the spread between ranks is as before."
        yield self.mark(past, "train_compute_seconds", longer)
        less = "Used memory is far lower than in the run to compare with."
        yield self.mark(past, "DCGM_FI_DEV_FB_USED", less)


@dataclass(frozen=True)
class GovernorPowersave(
    Fault, key="governor-powersave", number=16, group="host", component="compute", costs=(0.2, 0.42)
):
    nodes: tuple[str, ...]
    fleet: tuple[str, ...]
    mhz: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        names = tuple(node.name for node in scene.training.nodes)
        fleet = tuple(node.name for node in scene.plant.nodes)
        return cls(seconds, names, fleet, int(draw.between(8, 16)) * 100)

    def effects(self) -> tuple[Effect, ...]:
        host = [self.effect(node, "host_s", self.seconds) for node in self.nodes]
        return (*host, *(self.effect(node, "core_mhz", float(self.mhz)) for node in self.fleet))

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + HOUR
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="r.lindqvist",
            status="closed",
            title="New node image with September fixes",
            text=(
                "All compute nodes reinstalled with the new image (security fixes, newer tuned). "
                "Nodes boot and register; burn-in of GPUs passed on two of them."
            ),
        )
        for node in self.fleet:
            yield self.trace(
                "config.setting",
                at,
                node,
                path="/etc/tuned/active_profile",
                key="profile",
                before="throughput-performance",
                after="balanced",
            )
        for node in self.nodes:
            yield self.trace(
                "state.command",
                past.first_ms,
                node,
                command="cpupower frequency-info",
                shows=f'The governor "powersave" may decide; current CPU frequency: {self.mhz / 1000:.2f} GHz',
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        low = f"{self.mhz} MHz under load; healthy nodes run at 3500 MHz."
        saw = "Saw-tooth between 60 and 100 %: the GPU waits for kernels to be launched."
        for node in self.nodes:
            yield self.mark(past, "node_cpu_scaling_frequency_hertz", low, node=node)
            yield self.mark(past, "DCGM_FI_DEV_GPU_UTIL", saw, node=node)


@dataclass(frozen=True)
class WrongSocket(
    Fault, key="wrong-socket", number=13, group="host", component="compute", costs=(0.25, 0.6)
):
    nodes: tuple[str, ...]
    percent: int
    first_gpu: int
    last_gpu: int
    script: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        gpus = scene.plant.gpus_per_node
        names = tuple(node.name for node in scene.training.nodes)
        far = int(draw.between(44, 62))
        return cls(seconds, names, far, gpus // 2, gpus - 1, scene.training.script)

    def effects(self) -> tuple[Effect, ...]:
        host = [self.effect(node, "host_s", self.seconds) for node in self.nodes]
        return (
            *host,
            *(self.effect(node, "far_memory", self.percent / 100) for node in self.nodes),
        )

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.job_start - 26 * HOUR
        yield self.trace(
            "config.setting",
            at,
            past.plant.login,
            path=self.script,
            key="srun options",
            before="--cpu-bind=verbose,cores --mem-bind=local",
            after="--cpu-bind=none",
        )
        for node in self.nodes[:2]:
            yield self.trace(
                "state.command",
                past.first_ms,
                node,
                command="grep Cpus_allowed_list /proc/PID/status",
                shows=f"ranks of GPUs {self.first_gpu}-{self.last_gpu} run on 0-55,112-167, the other socket",
            )
            yield self.trace(
                "state.command",
                past.first_ms,
                node,
                command="numastat -p PID",
                shows=f"about {self.percent} % of pages on the other node",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        far = f"Accesses to the other socket are {self.percent} % of all; in health about 3 %."
        lop = "All load on the first socket's cores, the second nearly idle."
        for node in self.nodes:
            yield self.mark(past, "node_memory_numa_other_node_total", far, node=node)
            yield self.mark(past, "node_cpu_seconds_total", lop, node=node)
