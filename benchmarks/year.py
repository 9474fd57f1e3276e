"""A year of two clusters with their whole world: 100,000 jobs on 100 nodes, policy easy.

    PYTHONPATH=platform:. .venv/bin/python benchmarks/year.py

CPU seconds of the simulation (the workload is generated before), everything in the world on: node
pools that come late or not at all, autoscaler, spot with notice, checkpoints, node and GPU failures,
maintenance, data movement by price, a controller behind unreliable calls, cost and energy. Beside it the
plain engine on the same jobs, and the same year with the autoscaler scanning at every beat, which must
come to the same. Writes benchmarks/year.json.
"""

from __future__ import annotations

import json
import platform
import resource
import time
from pathlib import Path

from benchmarks.commit import commit
from scenarios.simulator.controllers import Desk, Moment
from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Nodes
from scenarios.simulator.outputs import rows
from scenarios.simulator.policies import open_policy
from scenarios.simulator.report import summary, total
from scenarios.simulator.trace import Workload
from scenarios.simulator.world.calls import CallFailed, CallFaults, DirectCalls, UnreliableCalls
from scenarios.simulator.world.clusters import Broker, Cluster, Dataset, PriceBook, Routes
from scenarios.simulator.world.generator import generate, habits
from scenarios.simulator.world.setting import (
    AutoscalerSetting,
    CheckpointSetting,
    FailureSetting,
    PoolSetting,
    Setting,
    Window,
)
from scenarios.simulator.world.shape import DAY_S, Shape
from scenarios.simulator.world.world import World

HERE = Path(__file__).parent
BAR_S = 5.0
TIMES = 3
HOUR_S = 3_600

SHAPE = Shape(
    jobs=100_000,
    length_s=365 * DAY_S,
    tenants=habits(12, (1, 2, 4, 8, 16, 32), 4_800),
    run_sigma=1.6,
    longest_s=4 * DAY_S,
    day_swing=0.5,
    weekend=0.4,
    burst_share=0.1,
    burst_mean=8,
    exact=0.1,
)

FAULTS = FailureSetting(node_hours=2_000, gpu_hours=20_000)
CHECKPOINT = CheckpointSetting(every_s=1_800, save_s=30, recovery_s=180)

OWNED = Setting(
    gpus_per_node=8,
    pools=(PoolSetting("owned", nodes=60, price=14.0),),
    failures=FAULTS,
    checkpoint=CHECKPOINT,
    windows=(Window("owned", 20 * DAY_S, 6 * HOUR_S, 30 * DAY_S),),
)
RENTED = Setting(
    gpus_per_node=8,
    pools=(
        PoolSetting("firm", most=20, price=32.0, start_failure=0.03),
        PoolSetting("spot", most=20, price=12.0, spot="aws", reclaim_hours=30),
    ),
    failures=FAULTS,
    checkpoint=CHECKPOINT,
    autoscaler=AutoscalerSetting(),
)
CLUSTERS = (
    Cluster("owned", 480, PriceBook(1.75, egress_gb=0.02, out_gbit_s=5)),
    Cluster("rented", 320, PriceBook(3.0, egress_gb=0.08, out_gbit_s=10)),
)
DATA = {f"team-{number}": Dataset("owned", 200.0 * (number + 1)) for number in range(12)}


class Clerk:
    """Reads every hour, and at every notice, through calls that time out, lag and run dry."""

    every_s = 3_600.0
    wants = frozenset({"notice"})

    def __init__(self) -> None:
        self.answers = self.failures = 0

    def decide(self, moment: Moment) -> None:
        try:
            moment.calls.read()
        except CallFailed:
            self.failures += 1
        else:
            self.answers += 1


def plain(workload: Workload) -> float:
    began = time.process_time()
    Simulation(workload, Nodes(100, 8), open_policy("easy")).run()
    return time.process_time() - began


def year(workload: Workload, scan_always: bool = False) -> tuple[float, Routes, list[World]]:
    """CPU seconds from the routing of the first job to the end of the last."""
    began = time.process_time()
    routes = Broker(CLUSTERS, DATA, patience_s=2 * HOUR_S).route(workload, workload.user)
    worlds = []
    for number, setting in enumerate((OWNED, RENTED)):
        part = routes.part(number)
        world = World(part, open_policy("easy"), setting, f"year/{number}", 1, scan_always)
        faults = CallFaults(timeout=0.02, stale_s=300, calls_per_minute=20)
        Desk(world, Clerk(), UnreliableCalls(world, DirectCalls(world), faults))
        world.run()
        worlds.append(world)
    return time.process_time() - began, routes, worlds


def figures() -> dict[str, object]:
    began = time.process_time()
    workload = generate(SHAPE, "year")
    generation_s = time.process_time() - began
    bare = [plain(workload) for _ in range(TIMES)]
    runs = [year(workload) for _ in range(TIMES)]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds, (_, routes, worlds) = [run[0] for run in runs], runs[0]
    slow_s, _, slow = year(workload, scan_always=True)
    parts = [summary(world) for world in worlds]
    return {
        "world_cpu_s": spread(seconds),
        "bar_s": BAR_S,
        "met": max(seconds) < BAR_S,
        "plain_engine_cpu_s": spread(bare),
        "scan_at_every_beat_cpu_s": round(slow_s, 2),
        "scan_at_every_beat_same_result": all(map(same, worlds, slow)),
        "scans": [sum(w.autoscaler.scans for w in each if w.autoscaler) for each in (worlds, slow)],
        "generation_cpu_s": round(generation_s, 2),
        "peak_memory_mb": round(memory),
        "python": platform.python_version(),
        "data_moves": len(routes.moves),
        "events_logged": sum(len(world.record.log) for world in worlds),
        "total": total(parts, routes.moved_usd),
        "clusters": dict(zip(("owned", "rented"), parts, strict=True)),
    }


def spread(seconds: list[float]) -> dict[str, float]:
    return {"best": round(min(seconds), 2), "worst": round(max(seconds), 2)}


def same(one: World, other: World) -> bool:
    """Equal to the last start, event and sample."""
    starts = list(rows(one.simulation)) == list(rows(other.simulation))
    records = (one.record, other.record)
    return starts and records[0].log == records[1].log and records[0].series == records[1].series


def main() -> None:
    found = {"commit": commit()} | figures()
    (HERE / "year.json").write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))
    assert found["met"], f"a year took more than {BAR_S} s of CPU"
    assert found["scan_at_every_beat_same_result"]


if __name__ == "__main__":
    main()
