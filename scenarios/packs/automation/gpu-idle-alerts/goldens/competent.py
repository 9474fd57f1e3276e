"""Keeps a day of samples for each GPU, alerts below ten percent, and looks for the usual causes."""

from __future__ import annotations

from collections import defaultdict, deque

import headnode_sdk
from headnode_sdk import (
    ApiError, Cluster, Evidence, Gpu, Job, Panel, Process, Sample, Window,
)  # fmt: skip

DAY = 24 * 3600
IDLE_BELOW = 10
LOST_AFTER = 6


class Monitor:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.samples: dict[str, deque[Sample]] = defaultdict(deque)
        self.sums: dict[str, int] = defaultdict(int)
        self.missing: dict[str, int] = defaultdict(int)
        self.open: dict[tuple[str, str], tuple[int, int]] = {}
        self.shown: list[str] = []
        self.windows: list[Window] = []

    def step(self) -> None:
        gpus = {gpu.name: gpu for gpu in self.cluster.gpus()}
        self.windows = self.cluster.maintenance()
        self.draw(list(gpus.values()))
        self.read(gpus)
        self.close(gpus)
        lost = [g for g in gpus.values() if self.missing[g.name] > LOST_AFTER]
        idle = [g for g in gpus.values() if g not in lost and self.is_idle(g)]
        for gpu in lost:
            if not gpu.parent and ("lost", gpu.name) not in self.open:
                self.report_lost(gpu)
        fresh = [gpu for gpu in idle if ("idle", gpu.name) not in self.open]
        if fresh:
            self.report_idle(fresh)

    def read(self, gpus: dict[str, Gpu]) -> None:
        seen = set()
        for sample in self.cluster.samples():
            if sample.at != self.cluster.now or sample.gpu not in gpus:
                continue
            seen.add(sample.gpu)
            self.samples[sample.gpu].append(sample)
            self.sums[sample.gpu] += sample.util or 0
        nodes = {gpus[name].node for name in seen}
        for name, gpu in gpus.items():
            since = max(gpu.since, self.cluster.now - DAY)
            rows = self.samples[name]
            while rows and rows[0].at <= since:
                self.sums[name] -= rows.popleft().util or 0
            self.missing[name] = 0 if name in seen else self.missing[name] + (gpu.node in nodes)

    def mean(self, name: str) -> float:
        count = len(self.samples[name])
        return self.sums[name] / count if count else 100.0

    def is_idle(self, gpu: Gpu) -> bool:
        now = self.cluster.now
        if not gpu.takes_jobs or now - max(0, gpu.since) < DAY or self.mean(gpu.name) >= IDLE_BELOW:
            return False
        return not any(window.covers(gpu.name, now) for window in self.windows)

    def report_lost(self, gpu: Gpu) -> None:
        number = self.cluster.alert("lost", [gpu.name], f"{gpu.name} is gone", "page")
        self.open["lost", gpu.name] = (number, -1)
        kernel = [line for line in self.cluster.logs(gpu.node) if "Xid" in line]
        self.cluster.finding(
            number, "gpu_lost", [Evidence("log", gpu.node, line) for line in kernel[-1:]]
        )

    def report_idle(self, gpus: list[Gpu]) -> None:
        jobs = {job.id: job for job in self.cluster.jobs()}
        processes = {process.gpu: process for process in self.cluster.processes()}
        for number in {gpu.job for gpu in gpus}:
            mine = [gpu for gpu in gpus if gpu.job == number]
            job = jobs.get(number)
            team = job.team if job is not None and job.team != "research" else "ops"
            names = [gpu.name for gpu in mine]
            alert = self.cluster.alert("idle", names, f"idle: {names}", "ticket", team)
            for name in names:
                self.open["idle", name] = (alert, number)
            if job is not None:
                self.explain(alert, job, names[0], processes.get(names[0]))

    def explain(self, alert: int, job: Job, gpu: str, process: Process | None) -> None:
        lines = self.cluster.logs(job.id)
        if process is None:
            errors = [line for line in lines if "Error" in line]
            facts = [Evidence("log", str(job.id), line) for line in errors[-1:]]
            self.cluster.finding(
                alert, "crashed_job", [*facts, Evidence("process", gpu, "none")]
            )
            return
        held = Evidence("process", gpu, str(process.pid))
        if job.state == "completing":
            state = Evidence("job", str(job.id), job.state)
            self.cluster.finding(alert, "zombie_process", [held, state])
        elif job.kind == "notebook":
            memory = Evidence("memory", gpu, str(process.memory))
            self.cluster.finding(alert, "idle_process", [held, memory])
        else:
            steps = [Evidence("log", str(job.id), line) for line in lines if "data_time" in line]
            self.cluster.finding(alert, "slow_input", [held, *steps[-1:]])

    def close(self, gpus: dict[str, Gpu]) -> None:
        for (rule, name), (alert, job) in list(self.open.items()):
            if rule == "lost":
                over = self.missing[name] == 0
            else:
                over = gpus[name].job != job or self.mean(name) >= IDLE_BELOW
            if over:
                self.cluster.resolve(alert)
                del self.open[rule, name]

    def draw(self, gpus: list[Gpu]) -> None:
        names = [gpu.name for gpu in gpus]
        if names == self.shown:
            return
        panels = []
        for gpu in gpus:
            panels.append(Panel(f"{gpu.name} util", gpu.name, "util", "%", IDLE_BELOW))
            panels.append(Panel(f"{gpu.name} memory", gpu.name, "memory", "MiB", gpu.memory))
            limit = gpu.max_temperature
            panels.append(Panel(f"{gpu.name} temp", gpu.name, "temperature", "C", limit))
        self.cluster.dashboard(panels)
        self.shown = names


def control(cluster: Cluster) -> None:
    monitor = Monitor(cluster)
    while cluster.tick():
        try:
            monitor.step()
        except ApiError as error:
            cluster.log(f"again in ten minutes: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
