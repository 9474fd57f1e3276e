"""A day of samples for each GPU, alerts below ten percent, the causes that are easy to see."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Evidence, Gpu, Job, Panel, Process, Sample

DAY = 24 * 3600
IDLE_BELOW = 10


class Monitor:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.samples: dict[str, list[Sample]] = {}
        self.open: dict[str, tuple[int, int]] = {}

    def step(self) -> None:
        gpus = self.cluster.gpus()
        for sample in self.cluster.samples():
            self.samples.setdefault(sample.gpu, []).append(sample)
        for gpu in gpus:
            if gpu.name not in self.open and self.is_idle(gpu):
                self.report(gpu)
            elif gpu.name in self.open:
                self.close(gpu)

    def mean(self, gpu: Gpu) -> float:
        since = max(gpu.since, self.cluster.now - DAY)
        kept = [one for one in self.samples.get(gpu.name, []) if one.at > since]
        self.samples[gpu.name] = kept
        return sum(one.util or 0 for one in kept) / len(kept) if kept else 100.0

    def is_idle(self, gpu: Gpu) -> bool:
        now = self.cluster.now
        if now - max(0, gpu.since) < DAY or self.mean(gpu) >= IDLE_BELOW:
            return False
        return not any(window.covers(gpu.name, now) for window in self.cluster.maintenance())

    def report(self, gpu: Gpu) -> None:
        mean = self.mean(gpu)
        alert = self.cluster.alert("idle", [gpu.name], f"{gpu.name}: {mean:.1f} % over 24 h")
        self.open[gpu.name] = (alert, gpu.job)
        job = next((one for one in self.cluster.jobs() if one.id == gpu.job), None)
        process = next((p for p in self.cluster.processes() if p.gpu == gpu.name), None)
        if job is not None:
            self.explain(alert, gpu, job, process)

    def explain(self, alert: int, gpu: Gpu, job: Job, process: Process | None) -> None:
        if process is None:
            facts = [Evidence("process", gpu.name, "none")]
            for line in self.cluster.logs(job.id)[-3:]:
                facts.append(Evidence("log", str(job.id), line))
            self.cluster.finding(alert, "crashed_job", facts)
            return
        facts = [Evidence("process", gpu.name, str(process.pid))]
        if job.state == "completing":
            facts.append(Evidence("job", str(job.id), job.state))
            self.cluster.finding(alert, "zombie_process", facts)
        elif job.kind == "notebook":
            self.cluster.finding(alert, "idle_process", facts)
        else:
            facts.append(Evidence("util", gpu.name, f"{self.mean(gpu):.1f}"))
            self.cluster.finding(alert, "slow_input", facts)

    def close(self, gpu: Gpu) -> None:
        alert, job = self.open[gpu.name]
        if gpu.job != job or self.mean(gpu) >= IDLE_BELOW:
            self.cluster.resolve(alert)
            del self.open[gpu.name]


def dashboard(cluster: Cluster) -> None:
    panels = []
    for gpu in cluster.gpus():
        panels.append(Panel(f"{gpu.name} util", gpu.name, "util", "%", IDLE_BELOW))
        panels.append(Panel(f"{gpu.name} memory", gpu.name, "memory", "MiB", gpu.memory))
        panels.append(Panel(f"{gpu.name} temperature", gpu.name, "temperature", "C", 80))
    cluster.dashboard(panels)


def control(cluster: Cluster) -> None:
    monitor = Monitor(cluster)
    drawn = False
    while cluster.tick():
        try:
            if not drawn:
                dashboard(cluster)
                drawn = True
            monitor.step()
        except ApiError as error:
            cluster.log(f"again in ten minutes: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
