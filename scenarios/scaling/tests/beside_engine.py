"""The same jobs in the year's queue and on the simulator's engine, with nothing else in the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scenarios.company.profile import DEFAULT
from scenarios.scaling.arrivals import Asked, asked
from scenarios.scaling.demand import median
from scenarios.scaling.draw import scene_of
from scenarios.scaling.estate import estate
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import before
from scenarios.scaling.pools import Entry, Lane, Pool
from scenarios.scaling.run import Run
from scenarios.scaling.scene import Scene
from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Nodes
from scenarios.simulator.policies import open_policy
from scenarios.simulator.trace import Workload

DAYS, NODES = 30, 6
MONTH_H = 24 * DAYS
LONG_AFTER_H = 24 * 60
"""Hours after the month in which every job of it ends."""
SLURM = {
    "slurm": {"calc_period": 3600, "max_age": 14 * 86_400, "weights": {"age": 14_000}},
}
"""Priority as the year has it: 1,000 for each step of a class, and as much for each day of waiting."""


@dataclass(frozen=True, slots=True)
class Month:
    """waits: (class, job) -> hours. use: part of the GPUs that jobs held on average until the month's end."""

    waits: Mapping[tuple[str, int], float]
    use: float

    def mean(self, job_class: str = "") -> float:
        """Mean wait in hours, of a class or of all jobs."""
        found = [wait for (name, _), wait in self.waits.items() if job_class in ("", name)]
        return sum(found) / len(found)


def queue_alone(load: float, *classes: str) -> Scene:
    """Six nodes of eight GPUs, day and night alike: no storage, spine, quota, idle session or growth."""
    scene = scene_of(replace(DEFAULT, nodes=8), "mid", 1)
    kind, _ = scene.places[0].nodes[0]
    place = replace(scene.places[0], nodes=((kind, NODES),))
    work = [one for one in scene.work if one.job_class in classes]
    part = load * kind.gpus * NODES * 24 / sum(one.gpu_hours_day for one in work)
    plain: dict[str, Any] = {"quota": 1.0, "weekend": 1.0, "night": 1.0}
    plain |= dict.fromkeys(
        ("idle_h", "io", "net", "read_gbs", "burst_gbs", "cross_gbps", "monthly"), 0.0
    )
    alike = tuple(replace(one, gpu_hours_day=one.gpu_hours_day * part, **plain) for one in work)
    return replace(scene, places=(place,), work=alike, events=(), spread=1.0)


class _Log:
    """Notes when jobs start, and the GPU-hours that they hold within the month."""

    def __init__(self) -> None:
        self.started: dict[tuple[str, int], float] = {}
        self.held = 0.0

    def hour(self, run: Run, now: int) -> None:
        if now < MONTH_H:
            self.held += sum(one.busy for one in run.own)

    def ended(self, lane: Lane, entry: Entry, pool: Pool, at: float, state: str) -> None:
        self.started[lane.bucket.name, entry[1]] = entry[2]


def in_the_year(scene: Scene) -> Month:
    """The month as the year's queue has it, without failures."""
    everything, log = asked(scene, median(scene)), _Log()
    run = Run(scene, everything, log)
    luck = tuple([0.0] * len(one) for one in run.disruptions.luck)
    run.disruptions = replace(run.disruptions, luck=luck)
    run.skip_to(0)
    run.begin(estate(scene, Plan(), ())[0], before(scene), (), 0)
    run.hours(0, MONTH_H)
    run.next = [len(jobs.at) for jobs in everything.jobs]
    run.hours(MONTH_H, LONG_AFTER_H)
    at = {key: submitted for key, submitted, *_ in _jobs(everything)}
    waits = {key: start - at[key] for key, start in log.started.items()}
    return Month(waits, log.held / (MONTH_H * scene.gpus))


def on_the_engine(scene: Scene, policy: str) -> Month:
    """The month as the simulator has it, on nodes, to the second, every job's length known."""
    found = sorted(_jobs(asked(scene, median(scene))), key=lambda one: (one[1], one[0]))
    workload = Workload()
    for number, (_, at, hours, gpus, priority) in enumerate(found):
        run = max(1, round(hours * 3600))
        workload.add(number, round(at * 3600), run, run, gpus, priority=1000 * priority)
    simulation = Simulation(workload, Nodes(NODES, 8), open_policy(policy, SLURM))
    simulation.run()
    waits, held = {}, 0.0
    for number, (key, _, _, gpus, _) in enumerate(found):
        start, end = simulation.first_start[number], simulation.last_end[number]
        waits[key] = (start - workload.submit[number]) / 3600
        held += gpus * max(0, min(end, 3600 * MONTH_H) - start) / 3600
    return Month(waits, held / (MONTH_H * scene.gpus))


def _jobs(everything: Asked) -> list[tuple[tuple[str, int], float, float, int, int]]:
    """((class, job), hour of submission, hours, GPUs, priority) of the month; each job is one."""
    assert all(jobs.copies == 1 for jobs in everything.jobs)
    return [
        (
            (jobs.work.job_class, n),
            jobs.at[n],
            jobs.hours[n],
            jobs.kinds[jobs.sizes[n]],
            jobs.work.priority,
        )
        for jobs in everything.jobs
        for n in range(len(jobs.at))
        if 0 <= jobs.at[n] < MONTH_H
    ]
