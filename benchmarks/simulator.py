"""How fast the simulator is, beside AccaSim and simpy in the same run, and how its cost grows.

    PYTHONPATH=platform:. .venv/bin/python benchmarks/simulator.py

The others live in an environment of their own, data/benchmarks, made on the first run from
benchmarks/simulator/requirements.txt. Every figure is CPU seconds of the simulation step; each
is the best of three or more in a process of its own, ours and theirs in turn. The starts of all jobs must
be equal before a speed counts. Writes benchmarks/simulator.json.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from benchmarks.simulator_traces import gang_trace, write_swf
from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Machine, Nodes, Pool
from scenarios.simulator.policies import open_policy
from scenarios.simulator.trace import read_trace

HERE = Path(__file__).parent
THEIRS = HERE.parent / "data/benchmarks"
TIMES = 3
GPUS = 256
GROWTH = [1_000, 10_000, 100_000, 1_000_000]
NORMAL, HEAVY = 0.85, 1.6
"""Load in which queues come and go, and one in which they only grow."""
DEEP = 1_000
"""Jobs of the heavy load after which so many wait that planning for each of them is what costs."""

Result = dict[str, Any]


def their_python() -> Path:
    """The interpreter of the others' environment, made if it is not there."""
    python = THEIRS / "bin/python"
    if not python.exists():
        venv.create(THEIRS, with_pip=True)
        requirements = HERE / "simulator/requirements.txt"
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", requirements], check=True)  # noqa: S603
    return python


def answer(command: list[str | Path]) -> Result:
    """The JSON object a command prints last, from a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{HERE.parent}"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


def ours(policy: str, machine: str, trace: Path) -> Result:
    return answer([sys.executable, __file__, "one", policy, machine, trace])


def one(policy: str, machine: str, trace: Path) -> None:
    """One measurement: prints CPU seconds, all starts, the longest queue and peak memory."""
    began = time.process_time()
    workload = read_trace(trace)
    read = time.process_time()
    place: Machine = Pool(GPUS) if machine == "pool" else Nodes(GPUS // 8, 8)
    simulation = Simulation(workload, place, open_policy(policy))
    simulation.run()
    done, starts = time.process_time(), simulation.first_start
    figures = {
        "cpu_s": done - read,
        "read_cpu_s": round(read - began, 4),
        "starts": starts if len(starts) <= 20_000 else [],
        "longest_queue": longest_queue(workload.submit, starts),
        "peak_memory_mb": peak_memory_mb(),
    }
    print(json.dumps(figures))


def peak_memory_mb() -> float:
    """Of this process since it began; getrusage would count its parent's too."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return round(int(line.split()[1]) / 1024, 1)


def longest_queue(submits: list[int], starts: list[int]) -> int:
    changes = sorted([(t, 1) for t in submits] + [(t, -1) for t in starts])
    length = longest = 0
    for _, change in changes:
        length += change
        longest = max(longest, length)
    return longest


def best(results: list[Result], jobs: int) -> Result:
    """The fastest of some runs, as figures."""
    fastest = min(results, key=lambda result: float(result["cpu_s"]))
    figures = {key: value for key, value in fastest.items() if key != "starts"}
    speed = round(jobs / float(fastest["cpu_s"]))
    return {**figures, "cpu_s": round(float(fastest["cpu_s"]), 4), "jobs_per_s": speed}


def side_by_side(trace: Path, jobs: int, folder: Path) -> Result:
    """AccaSim and simpy against ours on the same trace and policy, turn about."""
    python, table = their_python(), Result()
    rivals: list[tuple[str, str, list[str | Path]]] = [
        ("accasim", "fcfs", [HERE / "simulator_accasim.py", trace, "fcfs", str(GPUS), folder]),
        ("accasim", "sjf", [HERE / "simulator_accasim.py", trace, "sjf", str(GPUS), folder]),
        ("simpy", "fcfs", [HERE / "simulator_simpy.py", trace, str(GPUS)]),
    ]
    for rival, policy, command in rivals:
        pairs = [(ours(policy, "pool", trace), answer([python, *command])) for _ in range(TIMES)]
        assert all(mine["starts"] == other["starts"] for mine, other in pairs), (rival, policy)
        mine, other = best([p[0] for p in pairs], jobs), best([p[1] for p in pairs], jobs)
        entry: Result = {"ours": mine, rival: other}
        entry["times_faster"] = round(other["cpu_s"] / mine["cpu_s"], 1)
        if rival == "accasim":  # it reads the trace as it goes, so give both
            with_reading = mine["cpu_s"] + mine["read_cpu_s"]
            entry["times_faster_with_our_reading"] = round(other["cpu_s"] / with_reading, 1)
        table[f"{policy} beside {rival}"] = entry
    return table


def alone(cases: list[tuple[str, str]], jobs: int, load: float, folder: Path) -> Result:
    trace = folder / f"{jobs}-{load}.swf"
    if not trace.exists():
        write_swf(gang_trace(jobs, GPUS, load), trace)
    times = 1 if jobs > 100_000 else TIMES if jobs > 10_000 else 3 * TIMES
    return {
        f"{policy}, {machine}": best([ours(policy, machine, trace) for _ in range(times)], jobs)
        for policy, machine in cases
    }


def main() -> None:
    pool = ["fcfs", "easy", "easy-sjbf", "sjf", "srtf", "srgf", "las", "conservative"]
    with tempfile.TemporaryDirectory() as name:
        folder, trace = Path(name), Path(name) / "20k.swf"
        write_swf(gang_trace(20_000, GPUS, NORMAL), trace)
        normal = [(policy, "pool") for policy in pool] + [("fcfs", "nodes"), ("easy", "nodes")]
        normal.append(("conservative", "nodes"))
        report = {
            "commit": commit(),
            "machine": f"{os.cpu_count()} shared cores, Python {platform.python_version()}",
            "side by side, 20,000 jobs": side_by_side(trace, 20_000, folder),
            "20,000 jobs": alone(normal, 20_000, NORMAL, folder),
            "80,000 jobs, long queue": alone(
                [("fcfs", "pool"), ("easy", "pool"), ("easy-sjbf", "pool")], 80_000, HEAVY, folder
            ),
            f"{DEEP:,} jobs, deep queue": alone([("conservative", "nodes")], DEEP, HEAVY, folder),
            "growth": {
                f"{jobs:,} jobs": alone([("fcfs", "pool"), ("easy", "pool")], jobs, NORMAL, folder)
                for jobs in GROWTH
            },
        }
    (HERE / "simulator.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
    else:
        main()
