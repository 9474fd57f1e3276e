"""A what-if: twelve months of a plan on 100 nodes, one core; and on the fleet of 20 that is usual.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.whatif

CPU seconds of a play with the reference plan, jobs drawn before (they are drawn once for a year and shared by
all plans), and of the first play, which draws them. Beside it the engine of the simulator (policy easy) on the
same jobs and nodes, each job by itself, which knows no storage, network, serving, money or policies; the same
with another end for every running job each hour, as storage and network ask for; and what queue
theory says of the mean wait, to which the model's own queue should come near where nothing else is in the way:
jobs of one GPU, day and night alike, on 32 GPUs. Writes benchmarks/whatif.json.
"""

from __future__ import annotations

import json
import math
import platform
import resource
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.commit import commit
from scenarios.company.profile import DEFAULT
from scenarios.scaling.arrivals import LONGEST, Asked, asked, hours_of, mean_hours
from scenarios.scaling.checks import checks
from scenarios.scaling.demand import median
from scenarios.scaling.disruptions import disruptions
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Plan
from scenarios.scaling.reference_plans import naive, reference
from scenarios.scaling.scene import Scene, Work
from scenarios.scaling.year import play, played_through
from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Nodes
from scenarios.simulator.policies import open_policy
from scenarios.simulator.trace import Workload

HERE = Path(__file__).parent
BAR_S = 10.0
TIMES = 5
SIZES = (100, 20)
LOADS = (0.75, 0.82, 0.88, 0.93)
MONTH_H = 730
LENGTH_H, SIGMA = 6.0, 0.7


def spread(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {
        "best": round(ordered[0], 3),
        "median": round(ordered[len(ordered) // 2], 3),
        "worst": round(ordered[-1], 3),
    }


def timed(scene: Scene) -> dict[str, object]:
    """Plays of the reference plan, the first of them with everything drawn anew."""
    demand, plan = median(scene), reference(scene)
    asked.cache_clear()
    disruptions.cache_clear()
    began = time.process_time()
    play(scene, plan, demand)
    first = time.process_time() - began
    seconds, checked = [], []
    for _ in range(TIMES):
        began = time.process_time()
        year = play(scene, plan, demand)
        seconds.append(time.process_time() - began)
        began = time.process_time()
        checks(scene, plan)
        checked.append(time.process_time() - began)
    began = time.process_time()
    play(scene, naive(scene), demand)
    everything = asked(scene, demand)
    return {
        "what_if_cpu_s": spread(seconds),
        "first_cpu_s": round(first, 3),
        "naive_plan_cpu_s": round(time.process_time() - began, 3),
        "checks_cpu_s": spread(checked),
        "jobs": sum(len(one.at) * one.copies for one in everything.jobs),
        "plain_simulator_cpu_s": spread([plain(scene, everything) for _ in range(3)]),
        "engine_with_speeds_cpu_s": round(12 * hourly(scene, everything), 2),
        "gpus": scene.gpus,
        "waits_met_percent": year.measures["waits_met"],
    }


def on_engine(scene: Scene, everything: Asked, until_h: int) -> Simulation:
    """The simulator's nodes and easy backfill with the jobs of so many hours, each by itself."""
    rows = sorted(
        (int(jobs.at[n] * 3600), jobs.kinds[jobs.sizes[n]], max(1, int(jobs.hours[n] * 3600)))
        for jobs in everything.jobs
        for n in range(len(jobs.at))
        if 0 <= jobs.at[n] < until_h
        for _ in range(jobs.copies)
    )
    workload = Workload()
    for number, (submit, gpus, run) in enumerate(rows):
        workload.add(number, submit, run, run, gpus)
    return Simulation(workload, Nodes(scene.gpus // 8, 8), open_policy("easy"))


def plain(scene: Scene, everything: Asked) -> float:
    """A year on the engine without anything else of the year."""
    simulation = on_engine(scene, everything, hours_of(scene))
    began = time.process_time()
    simulation.run()
    return time.process_time() - began


def hourly(scene: Scene, everything: Asked) -> float:
    """A month on the engine in which every running job gets another end each hour, as storage and spine slow it
    down: the engine has no other way for it than to stop a job and start it again."""
    simulation = on_engine(scene, everything, MONTH_H)
    began = time.process_time()
    for hour in range(MONTH_H):
        simulation.run_until(3600 * hour)
        for job in list(simulation.running()):
            simulation.interrupt(job)
    return time.process_time() - began


def alone(load: float) -> Scene:
    """32 GPUs with jobs of one GPU, day and night alike: a queue with nothing else in the way."""
    scene = scene_of(replace(DEFAULT, nodes=8), "mid", 1)
    kind, _ = scene.places[0].nodes[0]
    place = replace(scene.places[0], nodes=((kind, 4),))
    batch = next(one for one in scene.work if one.job_class == "batch")
    work = replace(
        batch,
        gpu_hours_day=load * 32 * 24,
        monthly=0.0,
        weekend=1.0,
        night=1.0,
        gpus={1: 1.0},
        hours=LENGTH_H,
        sigma=SIGMA,
        read_gbs=0.0,
        cross_gbps=0.0,
        wait_target_h=1000.0,
    )
    return replace(scene, places=(place,), work=(work,), events=())


def queue(load: float) -> dict[str, float]:
    """Mean wait of the model in hours, and of M/G/c by Allen and Cunneen: Erlang's C times (1 + cv²) / 2."""
    scene = alone(load)
    played = played_through(scene, Plan(), median(scene))
    waits = [wait for tally in played.tallies for wait, _ in tally.of("batch").waits]
    work = scene.work[0]
    hours = sum(one.hours for one in played.tallies)
    working, rate = sum(one.working for one in played.tallies) / hours, len(waits) / hours
    mean = mean_hours(work)
    offered = rate * mean
    return {
        "load": round(offered / working, 3),
        "model_h": round(sum(waits) / len(waits), 2),
        "queue_theory_h": round(
            erlang_c_wait(offered, working, mean) * (1 + spread_of(work)) / 2, 2
        ),
    }


def spread_of(work: Work) -> float:
    """Squared coefficient of variation of the log-normal lengths, cut off as the model's are."""
    drawn = [LONGEST * work.hours * n / 20_000 for n in range(20_000)]
    tail = [
        1 - 0.5 * (1 + math.erf(math.log(x / work.hours) / work.sigma / math.sqrt(2)))
        for x in drawn[1:]
    ]
    step = drawn[1]
    mean = step * (1 + sum(tail))
    second = 2 * step * sum(x * part for x, part in zip(drawn[1:], tail, strict=True))
    return second / mean**2 - 1


def erlang_c_wait(offered: float, servers: float, mean: float) -> float:
    """Mean wait of M/M/c in the unit of `mean`; between two whole c, in proportion."""
    low = math.floor(servers)
    waits = [_whole(offered, count, mean) for count in (low, low + 1)]
    return waits[0] + (servers - low) * (waits[1] - waits[0])


def _whole(offered: float, count: int, mean: float) -> float:
    term = total = 1.0
    for n in range(1, count):
        term *= offered / n
        total += term
    last = term * offered / (count - offered)
    return last / (total + last) * mean / (count - offered)


def main() -> None:
    found: dict[str, object] = {"commit": commit(), "bar_s": BAR_S}
    worst = 0.0
    for nodes in SIZES:
        one = timed(scene_of(replace(DEFAULT, nodes=nodes), "senior", 1))
        found[f"{nodes}_nodes"] = one
        worst = max(worst, one["what_if_cpu_s"]["worst"], one["first_cpu_s"])  # type: ignore[index,call-overload]
    found |= {"met": worst < BAR_S, "queue": [queue(load) for load in LOADS]}
    found["peak_memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    found["python"] = platform.python_version()
    (HERE / "whatif.json").write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))
    assert found["met"], f"a what-if took more than {BAR_S} s of CPU"


if __name__ == "__main__":
    main()
