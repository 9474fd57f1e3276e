"""A small column file with what is hard for a query: gaps, resets, a label that changes, several intervals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from scenarios.troubleshooting.columns import Block, Columns, Metric, Owner, write_columns

START = 1_791_200_000_000 // 60_000 * 60_000
END = START + 2 * 3_600_000
MINUTE = 60_000
METRICS = (
    Metric("gpu_temp", "gauge", "Temperature.", "dcgm-exporter", 15, 0.5),
    Metric("gpu_energy", "counter", "Energy.", "dcgm-exporter", 15, 64.0),
    Metric("node_load1", "gauge", "Load.", "node_exporter", 30, 0.01),
    Metric("node_sent_bytes_total", "counter", "Bytes.", "node_exporter", 30, 1024.0),
    Metric("lookup_seconds_bucket", "counter", "Lookups.", "node_exporter", 30),
    Metric("link_downed_total", "counter", "Losses.", "ib_exporter", 60),
)
JOBS = (
    Owner(START - MINUTE, START + 20 * MINUTE + 7_000, "101"),
    Owner(START + 41 * MINUTE, START + 80 * MINUTE, "102"),
    Owner(START + 80 * MINUTE, END + MINUTE, "103"),
)


def small_file(path: Path) -> Columns:
    """Write the file and open it."""
    write_columns(path, START, END, METRICS, _blocks())
    return Columns.open(path)


def _blocks() -> Iterator[Block]:
    rng, counted = np.random.default_rng(5), np.random.default_rng(6)
    for number in range(3):
        host = f"gpu-n00{number + 1}"
        gpus = tuple((("gpu", str(g)), ("Hostname", host)) for g in range(4))
        temp = 90 + rng.integers(-6, 7, (4, 480)).cumsum(axis=1) // 4
        gaps = ((100, 130), (300, 301)) if number == 1 else ()
        yield Block("gpu_temp", host, gpus, temp, gaps, (JOBS,) * 4 if number == 0 else ())
        yield Block("gpu_energy", host, gpus, rng.integers(90, 140, (4, 480)).cumsum(axis=1), gaps)
        instance = ("instance", f"{host}:9100")
        yield Block("node_load1", host, ((instance,),), rng.integers(0, 9_000, (1, 240)))
        ports = tuple((instance, ("device", f"mlx5_{port}")) for port in range(2))
        sent = rng.integers(0, 5_000_000, (2, 240)).cumsum(axis=1)
        if number == 2:
            sent[1, 90:] -= sent[1, 90]  # the counter began anew
        yield Block("node_sent_bytes_total", host, ports, sent, ((60, 80),) if number == 1 else ())
        within = tuple((instance, ("le", le)) for le in ("0.005", "0.05", "0.5", "+Inf"))
        lookups = counted.integers(0, 9, (4, 240)).cumsum(axis=1).cumsum(axis=0)
        yield Block("lookup_seconds_bucket", host, within, lookups, ((150, 160),) if number else ())
        downs = (rng.random((2, 120)) < 0.04).cumsum(axis=1)
        yield Block("link_downed_total", host, ports, downs)
