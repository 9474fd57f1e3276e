"""How long the history of one incident takes to write and to read, how large it is, how much memory it needs.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.troubleshooting_history

Builds the senior level's 72 hours of 20 nodes with 8 H100 in a process of its own, five seeds, and reads what a
dashboard reads. Beside it: the same GPU samples as float64 through numpy's own compressed file. Bars of the
exercise: 5 s of one core, 300 MB, 60 MB for all materials. Writes benchmarks/troubleshooting_history.json.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.commit import commit
from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.calendar import HOUR
from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.exposition import openmetrics, scrapes
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.signals.history import write_baseline, write_history
from scenarios.troubleshooting.truth import make_incident

SEEDS = range(5)
LEVEL = "senior"


def timed(action: Callable[[], object]) -> float:
    """Seconds of processor time."""
    began = time.process_time()
    action()
    return time.process_time() - began


def build(seed: int, folder: str) -> dict[str, float]:
    """One build: CPU seconds, peak memory of the process (MB), bytes (MB)."""
    truth = time.process_time()
    incident = make_incident(DEFAULT, LEVELS[LEVEL], seed)
    truth = time.process_time() - truth
    path = Path(folder) / f"{seed}.hnc"
    return {
        "truth_cpu_s": truth,
        "history_cpu_s": timed(lambda: write_history(incident, path)),
        "baseline_cpu_s": timed(lambda: write_baseline(incident, path.with_suffix(".baseline"))),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "history_mb": path.stat().st_size / 1e6,
        "baseline_mb": path.with_suffix(".baseline").stat().st_size / 1e6,
    }


def read(path: Path) -> dict[str, float]:
    """What a dashboard asks for, CPU seconds each."""
    columns = Columns.open(path)
    start, end = columns.start_ms, columns.end_ms
    every = columns.find("DCGM_FI_DEV_POWER_USAGE")
    middle = (start + end) // 2
    node = {"node": every[0].host}
    names = ["DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_SM_CLOCK"]
    return {
        "open": timed(lambda: Columns.open(path)),
        "heat_map_160_gpus_72_h": timed(lambda: columns.envelope(every, start, end, 600)),
        "one_gpu_72_h": timed(lambda: columns.envelope(every[:1], start, end, 600)),
        "zoom_one_node_1_h": timed(
            lambda: columns.window(columns.find(names[0], node), middle, middle + HOUR)
        ),
        "scrape_of_all_exporters": timed(lambda: list(scrapes(columns, middle))),
        "openmetrics_2_metrics_1_h": timed(
            lambda: sum(map(len, openmetrics(columns, names, middle, middle + HOUR)))
        ),
    }


def beside(path: Path, folder: Path) -> dict[str, float]:
    """One metric of all GPUs as numpy stores it: CPU seconds and MB, and the same metric's part of our file."""
    columns = Columns.open(path)
    name = "DCGM_FI_DEV_POWER_USAGE"
    values = columns.window(columns.find(name), columns.start_ms, columns.end_ms)[1]
    other = folder / "power.npz"
    seconds = timed(lambda: np.savez_compressed(other, values))
    return {
        "numpy_cpu_s": seconds,
        "numpy_mb": other.stat().st_size / 1e6,
        "own_mb": columns.size_of(name) / 1e6,
        "samples_m": values.size / 1e6,
    }


def main() -> None:
    fresh = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        builds = []
        for seed in SEEDS:
            with fresh.Pool(1) as alone:
                builds.append(alone.apply(build, (seed, folder)))
        path = Path(folder) / f"{SEEDS[0]}.hnc"
        columns = Columns.open(path)
        series = sum(len(found) for found in columns.series.values())
        samples = sum(
            len(found) * len(columns.times(columns.metrics[name], columns.start_ms, columns.end_ms))
            for name, found in columns.series.items()
        )
        figures = {
            "commit": commit(),
            "what": f"{LEVEL}: 72 h, 160 GPUs at 15 s, {series:,} series, {samples:,} samples",
            "build_worst": {name: round(max(b[name] for b in builds), 3) for name in builds[0]},
            "build_median": {
                name: round(statistics.median(b[name] for b in builds), 3) for name in builds[0]
            },
            "read_cpu_s": {name: round(value, 4) for name, value in read(path).items()},
            "beside": {n: round(value, 3) for n, value in beside(path, Path(folder)).items()},
        }
    text = json.dumps(figures, indent=1)
    Path(__file__).with_suffix(".json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
