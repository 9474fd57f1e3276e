"""The GPUs of the host that is asked: how each stands, and what it does."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.core import Metric

from headnode.metrics.stored import gauge
from sandbox.gpu import report, survey

STATES = ("free", "leased", "occupied", "orphaned", "out")
READINGS = (
    ("temperature_c", "headnode_gpu_temperature_celsius", "Its temperature."),
    ("utilisation", "headnode_gpu_utilisation_percent", "How busy it is."),
    ("memory_used_mb", "headnode_gpu_memory_used_mebibytes", "Memory that is taken."),
)


def figures(state_dir: Path) -> Iterator[Metric]:
    """Leases and health of this host's cards; nothing where it has none."""
    if not survey().units:
        return
    host, units = socket.gethostname(), report.examine(state_dir)["units"]
    standing: dict[tuple[str, ...], float] = {
        (host, unit["uuid"], state): float(unit["state"] == state)
        for unit in units
        for state in STATES
    }
    about = "1 for the state that a card is in; out: taken out of service."
    yield gauge("headnode_gpu_state", about, standing, "host", "gpu", "state")
    for key, name, about in READINGS:
        values: dict[tuple[str, ...], float] = {
            (host, unit["uuid"]): float(unit["now"][key])
            for unit in units
            if unit["now"].get(key) is not None
        }
        yield gauge(name, about, values, "host", "gpu")
