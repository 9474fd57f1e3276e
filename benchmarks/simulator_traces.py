"""Traces for measuring the simulator: gangs of powers of two, arrivals by day and night."""

from __future__ import annotations

import math
from pathlib import Path

from scenarios.simulator.streams import Stream
from scenarios.simulator.trace import Workload

SIZES = [(1, 0.42), (2, 0.17), (4, 0.15), (8, 0.15), (16, 0.06), (32, 0.03), (64, 0.02)]
MEDIAN_RUN_S, SPREAD = 1_200, 1.7
OVER_ESTIMATES = [(1, 0.3), (2, 0.3), (5, 0.2), (10, 0.2)]
DAY_S = 86_400


def gang_trace(jobs: int, processors: int, load: float, seed: str = "13") -> Workload:
    """`jobs` jobs whose work arrives at `load` times what `processors` can do; times in seconds."""
    stream, workload = Stream(seed, "jobs"), Workload(processors=processors)
    run_mean = MEDIAN_RUN_S * math.exp(SPREAD**2 / 2)
    gap = sum(size * share for size, share in SIZES) * run_mean / (processors * load)
    now = 0.0
    for number in range(1, jobs + 1):
        busy = 1 + 0.7 * math.sin(2 * math.pi * (now % DAY_S) / DAY_S)
        now += stream.exponential(gap) / busy
        run = max(1, int(stream.lognormal(MEDIAN_RUN_S, SPREAD)))
        estimate = run * stream.pick(OVER_ESTIMATES)
        workload.add(number, int(now), run, estimate, stream.pick(SIZES))
    return workload


def write_swf(workload: Workload, path: Path) -> None:
    """The workload as Standard Workload Format."""
    lines = [f"; MaxProcs: {workload.processors}"]
    columns = (workload.job_id, workload.submit, workload.run, workload.estimate, workload.procs)
    for number, submit, run, estimate, procs in zip(*columns, strict=True):
        head = f"{number} {submit} -1 {run} {procs} -1 -1 {procs} {estimate}"
        lines.append(f"{head} -1 1 1 1 -1 1 -1 -1 -1")
    path.write_text("\n".join(lines) + "\n")
