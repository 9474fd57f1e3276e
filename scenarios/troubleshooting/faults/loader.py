"""Causes in how the job feeds itself: CPU for the loader's workers, memory, checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, SECOND
from scenarios.troubleshooting.condition import JOB, Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, during
from scenarios.troubleshooting.physics import SAVE_EVERY, SAVE_STALL, WORKERS
from scenarios.troubleshooting.traces import Mark, Trace


@dataclass(frozen=True)
class RanksLostCpus(
    Fault, key="srun-lost-cpus", number=14, group="workers", component="data", costs=(0.45, 1.0)
):
    nodes: tuple[str, ...]
    script: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        return cls(seconds, tuple(n.name for n in scene.training.nodes), scene.training.script)

    def effects(self) -> tuple[Effect, ...]:
        found = []
        for node in self.nodes:
            found.append(self.effect(node, "workers", 1 + self.seconds / WORKERS))
            found.append(self.effect(node, "rank_cpus", 2.0))
        return tuple(found)

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + HOUR
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="m.ferrari",
            status="closed",
            title="Slurm 21.08 to 22.05",
            text=(
                "Controller, database and all nodes updated. Test jobs run on every partition. Release "
                "notes are linked for users who want to read them."
            ),
        )
        for number, node in enumerate(past.training.nodes):
            yield self.trace(
                "train.line",
                past.first_ms - 40_000 + number * 150,
                node.name,
                rank=past.training.rank(node.name, 0),
                severity="WARNING",
                text="UserWarning: This DataLoader will create 8 worker processes in total. Our suggested max "
                "number of worker in current system is 2, which is smaller than what this DataLoader is "
                "going to create.",
            )
        yield self.trace(
            "state.command",
            past.first_ms,
            past.plant.login,
            command=f"scontrol show step {past.slow.id}.0",
            shows=f"Tasks={past.training.ranks} CPUs={2 * past.training.ranks}: one core for each rank",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        for node in self.nodes:
            low = (
                "Far below the run to compare with, though the loader is what everybody waits for."
            )
            yield self.mark(past, "node_cpu_seconds_total", low, node=node)
        flat = "High on all ranks from the first step on, storage quiet."
        yield self.mark(past, "train_data_wait_seconds", flat)


@dataclass(frozen=True)
class CgroupLimit(
    Fault, key="cgroup-cpu-limit", number=15, group="workers", component="data", costs=(0.3, 0.9)
):
    nodes: tuple[str, ...]
    percent: int
    script: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        percent = round(100 * (1 - 1 / (1 + seconds / WORKERS)))
        names = tuple(node.name for node in scene.training.nodes)
        exact = WORKERS * (1 / (1 - percent / 100) - 1)
        return cls(exact, names, percent, scene.training.script)

    def effects(self) -> tuple[Effect, ...]:
        found = []
        for node in self.nodes:
            found.append(self.effect(node, "workers", 1 / (1 - self.percent / 100)))
            found.append(self.effect(node, "throttled", self.percent / 100))
        return tuple(found)

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.job_start - 2 * DAY
        yield self.trace(
            "config.setting",
            at,
            past.plant.login,
            path=self.script,
            key="container options",
            before="--container-image=train:26.08",
            after="--container-image=train:26.09 --cpu-quota=16",
        )
        for node in past.training.nodes:
            yield self.trace(
                "state.command",
                past.first_ms,
                node.name,
                command="cat /sys/fs/cgroup/system.slice/slurmstepd.scope/job/cpu.stat",
                shows=f"nr_throttled / nr_periods = {self.percent} %; cpu.max 1600000 100000",
            )
        yield self.trace(
            "chat.message",
            at - 2 * HOUR,
            "chat",
            channel="#pretraining",
            who=past.training.user,
            text="Took the launch line from the evaluation template, it sets the container up properly.",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        throttled = f"{self.percent} % of periods throttled on every node of the job."
        for node in self.nodes:
            yield self.mark(past, "container_cpu_cfs_throttled_periods_total", throttled, node=node)
        flat = "High on all ranks from the first step on, storage quiet."
        yield self.mark(past, "train_data_wait_seconds", flat)


@dataclass(frozen=True)
class HostMemoryLeak(
    Fault,
    key="host-memory-leak",
    number=25,
    group="leak",
    component="data",
    costs=(0.25, 0.6),
    levels=("mid", "senior"),
):
    nodes: tuple[str, ...]
    gib: int
    before: str
    after: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        names = tuple(node.name for node in scene.training.nodes)
        return cls(seconds, names, int(draw.between(1450, 1700)), "2.3.1", "2.4.0")

    def effects(self) -> tuple[Effect, ...]:
        return (
            self.effect(JOB, "leak_s", 2 * self.seconds),
            self.effect(JOB, "leak_gib", float(self.gib)),
        )

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def facts(self) -> dict[str, object]:
        return super().facts() | {
            "last_s": f"{2 * self.seconds:.2f}",
            "mean_s": f"{self.seconds:.2f}",
        }

    def traces(self, past: Past) -> Iterator[Trace]:
        yield self.trace(
            "config.setting",
            past.calendar.job_start - 30 * HOUR,
            past.plant.login,
            path=past.training.script.replace("train.sbatch", "requirements.txt"),
            key="webshards",
            before=self.before,
            after=self.after,
        )
        middle, end = past.run.starts[8000], past.end_ms
        for number, node in enumerate(past.training.nodes):
            at = int(middle + (end - middle) * (number + 1) / (len(past.training.nodes) + 1))
            yield self.trace(
                "syslog.line",
                at,
                node.name,
                unit="earlyoom",
                severity="warning",
                text="mem avail: below 10 %, swap free: 61.20 %; largest process: pt_data_worker",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        falls = f"Falls evenly by about {self.gib} GiB over the run and is back when the job ends."
        psi = "Rises slowly through the run."
        for node in self.nodes:
            yield self.mark(past, "node_memory_MemAvailable_bytes", falls, node=node)
            yield self.mark(past, "node_pressure_memory_waiting_seconds_total", psi, node=node)
        drift = "As in the run to compare with at first, then a little more with every hour."
        yield self.mark(past, "train_data_wait_seconds", drift)


@dataclass(frozen=True)
class CheckpointTooOften(
    Fault,
    key="checkpoint-too-often",
    number=20,
    group="checkpoint",
    component="checkpoint",
    costs=(0.3, 1.0),
):
    path: str
    user: str
    before: int
    every: int
    stall_s: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        options = (40, 45, 50, 60, 75, 80, 90, 100, 110, 125)
        base = SAVE_STALL / SAVE_EVERY
        every = min(options, key=lambda n: abs(SAVE_STALL / n - base - seconds))
        path = scene.training.script.replace("train.sbatch", "config.yaml")
        return cls(
            SAVE_STALL / every - base, path, scene.training.user, SAVE_EVERY, every, int(SAVE_STALL)
        )

    def effects(self) -> tuple[Effect, ...]:
        return (self.effect(JOB, "save_every", float(self.every)),)

    def places(self) -> tuple[str, ...]:
        return (JOB,)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.job_start - 20 * HOUR
        yield self.trace(
            "config.setting",
            at,
            past.plant.login,
            path=self.path,
            key="checkpoint.every_steps",
            before=str(self.before),
            after=str(self.every),
        )
        yield self.trace(
            "chat.message",
            at - HOUR,
            "chat",
            channel="#pretraining",
            who=self.user,
            text="After last week's node failure I lost twenty minutes of steps. Not again, I have made it "
            "save more often.",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        comb = f"A standstill of {self.stall_s} s every {self.every} steps, on all ranks at once."
        yield self.mark(past, "train_checkpoint_seconds", comb)
        bursts = "Write bursts with the same period."
        yield self.mark(past, "lustre_ost_write_bytes_total", bursts, pool="flash")
        dips = "Falls to idle power on all GPUs of the job with the same period."
        yield self.mark(past, "DCGM_FI_DEV_POWER_USAGE", dips)


@dataclass(frozen=True)
class CheckpointOnDisks(
    Fault,
    key="checkpoint-on-capacity-pool",
    number=20,
    group="checkpoint",
    component="checkpoint",
    costs=(0.25, 0.7),
):
    directory: str
    stall_s: int
    normal_s: int
    every: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        stall = round(SAVE_STALL + seconds * SAVE_EVERY)
        exact = (stall - SAVE_STALL) / SAVE_EVERY
        return cls(exact, scene.training.checkpoints, stall, int(SAVE_STALL), SAVE_EVERY)

    def effects(self) -> tuple[Effect, ...]:
        return (self.effect(JOB, "save_stall_s", float(self.stall_s)),)

    def places(self) -> tuple[str, ...]:
        return (JOB, "capacity pool")

    def traces(self, past: Past) -> Iterator[Trace]:
        end = past.baseline.end_ms or past.calendar.baseline_start
        at = max(past.calendar.maintenance + 26 * HOUR, end + 4 * DAY)
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="p.achebe",
            status="closed",
            title="Flash pool above 80 %: move cold directories",
            text=(
                "Directories that nobody wrote to for four days now create new files in the capacity pool "
                "(lfs setstripe). List attached. Existing files stay where they are."
            ),
        )
        yield self.trace(
            "config.setting",
            at,
            past.plant.login,
            path=f"lfs getstripe -d {self.directory}",
            key="pool",
            before="flash",
            after="capacity",
        )
        last = past.run.starts
        for step in range(SAVE_EVERY - 1, len(last) - 1, 4 * SAVE_EVERY):
            yield self.trace(
                "train.line",
                int(last[step + 1]) - SECOND,
                past.training.nodes[0].name,
                rank=0,
                severity="INFO",
                text=f"checkpoint step={step + 1} saved to {self.directory} in {self.stall_s}.0s",
            )
        for when in during(past, past.draw(self.key), 200, most=4):
            yield self.trace(
                "state.command", when, past.plant.login, command="lfs df -h --pool capacity",
                shows="the newest checkpoints lie on the capacity pool's targets",
            )  # fmt: skip

    def marks(self, past: Past) -> Iterator[Mark]:
        long = (
            f"{self.stall_s} s at each checkpoint instead of {self.normal_s} s, as often as before."
        )
        yield self.mark(past, "train_checkpoint_seconds", long)
        writes = "Bursts of writes here, none on the flash pool, at each checkpoint."
        yield self.mark(past, "lustre_ost_write_bytes_total", writes, pool="capacity")
