"""Lustre's servers, the disks behind them and the Ethernet switches before them, once a minute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenarios.troubleshooting.calendar import CELL
from scenarios.troubleshooting.columns import Block, Labels, Metric
from scenarios.troubleshooting.condition import JOB, LUSTRE, MDS
from scenarios.troubleshooting.faults.loader import CheckpointOnDisks
from scenarios.troubleshooting.faults.storage import (
    HEALTHY_AWAIT_MS,
    FramesTooLarge,
    StorageNeighbour,
)
from scenarios.troubleshooting.physics import LUSTRE as SECONDS_OF_LUSTRE
from scenarios.troubleshooting.plant import Ost
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.stage import Stage
from scenarios.troubleshooting.signals.timeline import Part, step_rate

EXPORTER, DISKS, SWITCHES = "lustre_exporter", "node_exporter", "switch_exporter"
EVERY = 60
CELLS = EVERY * 1_000 // CELL
READ_STEP, SAVE = 0.9e9, 540e9
"""Bytes that all ranks read in a step, and that one checkpoint writes (32 B parameters; handbook 2.5)."""
PORTS = 24
DISKS_OF = {"flash": 10, "capacity": 10}


def _metric(
    name: str, kind: str, about: str, quantum: float = 1.0, exporter: str = EXPORTER
) -> Metric:
    return Metric(name, kind, about, exporter, EVERY, quantum)


METRICS = (
    _metric("lustre_ost_read_bytes_total", "counter", "Bytes read from the target.", 2.0**20),
    _metric("lustre_ost_write_bytes_total", "counter", "Bytes written to the target.", 2.0**20),
    _metric(
        "lustre_ost_read_await_seconds",
        "gauge",
        "Mean time of a read on the target's device.",
        0.0001,
    ),
    _metric("lustre_mdt_ops_total", "counter", "Operations of the metadata target."),
    _metric("node_md_disks", "gauge", "Number of active/failed/spare disks of device.", 1.0, DISKS),
    _metric(
        "switch_port_oversize_frames_total",
        "counter",
        "Frames the port refused as too large.",
        1.0,
        SWITCHES,
    ),
    _metric(
        "switch_port_rx_bytes_total",
        "counter",
        "Bytes that the port has received.",
        2.0**26,
        SWITCHES,
    ),
)
_OPS = (
    ("close", 700.0),
    ("getattr", 1_900.0),
    ("getxattr", 240.0),
    ("open", 720.0),
    ("setattr", 60.0),
)


def storage_blocks(stage: Stage) -> Iterator[Block]:
    reads, writes = _traffic(stage)
    for server in stage.plant.storage.oss:
        osts = [ost for ost in stage.plant.storage.osts if ost.oss == server]
        yield from _server(stage, server, osts, reads, writes)
    yield _metadata(stage)
    yield from _switches(stage, reads + sum(writes.values()))


def _traffic(stage: Stage) -> tuple[Array, dict[str, Array]]:
    """Bytes a second that are read from the flash pool, and written to each pool."""
    line, run = stage.timeline, stage.run
    shake = stage.noise.slow("storage", 2, stage.cells, 80)
    pace = np.zeros(stage.cells)
    pace[line.first : line.last] = step_rate(line)
    saving = np.zeros(stage.cells)
    saving[line.first : line.last] = Part(run.step_s - run.save, run.save).share(line)
    burst = saving * SAVE / stage.condition.constant(JOB, "save_stall_s")
    reads = 2.4e9 * (1 + 0.25 * shake[0]) + pace * READ_STEP
    usual = 1.3e9 * (1 + 0.3 * shake[1]) + stage.over(LUSTRE, "foreign_gbytes") * 1e9
    # The neighbour and everybody else write to the flash pool; checkpoints where their directory says.
    disks = stage.told(CheckpointOnDisks) is not None
    writes = {
        "flash": usual + (0 if disks else burst),
        "capacity": 0.25e9 * (1 + 0.2 * shake[0]) + (burst if disks else 0),
    }
    return _minutes(reads), {pool: _minutes(w) for pool, w in writes.items()}


def _minutes(values: Array) -> Array:
    found: Array = values.reshape(-1, CELLS).mean(axis=1)
    return found


def _grown(stage: Stage, rates: Array, cause: str, first: float) -> Array:
    unit = np.array([stage.noise.unit(f"{cause} {row}") for row in range(len(rates))])
    total: Array = first * (0.4 + unit[:, None]) + np.cumsum(np.maximum(rates, 0), axis=1) * EVERY
    return total


def _block(
    stage: Stage, name: str, host: str, labels: list[dict[str, str]], values: Array
) -> Block:
    quantum = next(metric.quantum for metric in METRICS if metric.name == name)
    named: tuple[Labels, ...] = tuple(tuple(one.items()) for one in labels)
    return Block(name, host, named, np.rint(values / quantum).astype(np.int64))


def _server(
    stage: Stage, server: str, osts: list[Ost], reads: Array, writes: dict[str, Array]
) -> Iterator[Block]:
    pools = {p: sum(o.pool == p for o in stage.plant.storage.osts) for p in ("flash", "capacity")}
    shake = stage.noise.bell(f"ost {server}", len(osts), len(reads))
    labels = [{"instance": f"{server}:9169", "ost": o.name, "pool": o.pool} for o in osts]
    read = np.array([reads / pools["flash"] if o.pool == "flash" else reads * 0.004 for o in osts])
    wrote = np.array([writes[o.pool] / pools[o.pool] for o in osts])
    rates = {"read": read * (1 + 0.08 * shake), "write": wrote * (1 - 0.06 * shake)}
    for way, rate in rates.items():
        grown = _grown(stage, rate, f"{server} {way}", 3e14)
        yield _block(stage, f"lustre_ost_{way}_bytes_total", server, labels, grown)
    waits = np.array([_await(stage, ost) for ost in osts]) * (1 + 0.07 * shake)
    yield _block(stage, "lustre_ost_read_await_seconds", server, labels, np.maximum(waits, 0.0005))
    named, counts = [], []
    for ost in osts:
        broken = (stage.over(ost.name, "rebuilding")[::CELLS] > 0) | (ost.name in stage.exchanged)
        whole = DISKS_OF[ost.pool]
        for state in ("active", "failed", "spare"):
            named.append({"instance": f"{server}:9100", "device": ost.device, "state": state})
            bad = {"active": whole - broken, "failed": 1 * broken, "spare": 1 - broken}[state]
            counts.append(bad * np.ones(len(reads)))
    yield _block(stage, "node_md_disks", server, named, np.array(counts))


def _await(stage: Stage, ost: Ost) -> Array:
    """Seconds of a read: long on a target in rebuild, longer on all flash targets while another job writes.

    Frames that are lost on the way to the clients show on no target.
    """
    if ost.pool == "capacity":
        return np.full(stage.cells // CELLS, 0.006)
    times = stage.over(ost.name, "await")[::CELLS]
    writer = stage.told(StorageNeighbour)
    if writer is not None:
        part = stage.over(LUSTRE, "foreign_gbytes")[::CELLS] / writer.gbytes
        times = times * (1 + writer.seconds / SECONDS_OF_LUSTRE * part)
    seconds: Array = times * HEALTHY_AWAIT_MS / 1_000
    return seconds


def _metadata(stage: Stage) -> Block:
    shake = stage.noise.slow("mdt", len(_OPS), stage.cells // CELLS, 30)
    others = stage.over(MDS, "ops")[::CELLS]
    rates, labels = [], []
    for row, (name, usual) in enumerate(_OPS):
        part = {"getattr": 1.0, "open": 0.03, "close": 0.03}.get(name, 0.0)
        rates.append(usual * (1 + 0.15 * shake[row]) + others * part)
        target = f"{stage.plant.storage.fsname}-MDT0000"
        labels.append({"instance": f"{stage.plant.storage.mds}:9169", "mdt": target, "op": name})
    grown = _grown(stage, np.array(rates), "mdt", 6e9)
    return _block(stage, "lustre_mdt_ops_total", stage.plant.storage.mds, labels, grown)


def _switches(stage: Stage, moved: Array) -> Iterator[Block]:
    """Storage's two Ethernet switches: traffic over all ports, and frames that a port refused."""
    frames = stage.told(FramesTooLarge)
    named = [f"swp{number}" for number in range(1, PORTS + 1)]
    for switch in stage.plant.storage_switches:
        labels = [{"switch": switch, "port": port} for port in named]
        shake = stage.noise.bell(f"eth {switch}", PORTS, len(moved))
        grown = _grown(stage, moved / PORTS / 2 * (1 + 0.05 * shake), switch, 5e14)
        yield _block(stage, "switch_port_rx_bytes_total", switch, labels, grown)
        refused = np.zeros((PORTS, len(moved)))
        if frames is not None and frames.switch == switch:
            first, last = (int(n) for n in frames.ports.removeprefix("swp").split("-"))
            pace = stage.over(LUSTRE, "retrans")[::CELLS] * (0.3 + 0.7 * _runs(stage))
            refused[first - 1 : last] = pace * (1 + 0.1 * shake[first - 1 : last])
        total = np.cumsum(refused, axis=1) * EVERY
        yield _block(stage, "switch_port_oversize_frames_total", switch, labels, total)


def _runs(stage: Stage) -> Array:
    at = stage.times(EVERY)
    found: Array = ((at >= stage.run.first_ms) & (at < stage.run.end_ms)).astype(np.float64)
    return found
