"""Every line of jobs against the simulator: a head that starts where a lane is free is all of it."""

from __future__ import annotations

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Pool
from scenarios.simulator.policies import open_policy
from scenarios.simulator.trace import Workload
from scenarios.worlds.gpu_idle_alerts.families import FAMILIES
from scenarios.worlds.gpu_idle_alerts.fleet import Fleet, build_fleet
from scenarios.worlds.gpu_idle_alerts.jobs import Job
from scenarios.worlds.gpu_idle_alerts.plan import Plan
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR
from scenarios.worlds.gpu_idle_alerts.tests.stretches import TEN
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld
from scenarios.worlds.timeline import Timeline

EARLIEST = 6 * HOUR
"""Before Monday, midnight, the first jobs began; a trace has no negative times."""


def lines_of(fleet: Fleet) -> dict[str, int]:
    """Lanes by pool, of pools whose servers are there from the beginning."""
    found: dict[str, int] = {}
    for lane in fleet.lanes:
        found[lane.pool] = found.get(lane.pool, 0) + 1
    late = {lane.pool for lane in fleet.lanes if fleet.servers[lane.server].joins}
    return {pool: lanes for pool, lanes in found.items() if pool not in late}


def started(world: IdleWorld, pool: str) -> list[Job]:
    jobs = [*world.ended.values(), *world.jobs.values()]
    return sorted((job for job in jobs if job.pool == pool), key=lambda job: job.id)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
def test_line_starts_whom_the_simulator_starts_and_when(policy: str) -> None:
    gpu, family = DEFAULT.gpu_model, FAMILIES["steady"]
    fleet = build_fleet(TEN.fleet, gpu, "line")
    world = IdleWorld(fleet, TEN, Plan(), family, gpu, "line", Timeline(["x"]))
    for _ in range(TEN.days * DAY):
        world.step()
    compared = 0
    for pool, lanes in lines_of(fleet).items():
        jobs, workload = started(world, pool), Workload()
        for job in jobs:
            until = job.ended if job.ended >= 0 else world.tick + 1
            run = until - job.started
            workload.add(job.id, job.submitted + EARLIEST, run, max(run, job.limit), 1)
        simulation = Simulation(workload, Pool(lanes), open_policy(policy))
        simulation.run()
        assert simulation.first_start == [job.started + EARLIEST for job in jobs], pool
        compared += len(jobs)
    assert compared > 100
