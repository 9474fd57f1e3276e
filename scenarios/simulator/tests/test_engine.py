from __future__ import annotations

from collections.abc import Mapping

import pytest

from scenarios.simulator.engine import EventOrder, Kind, Simulation
from scenarios.simulator.machine import Pool
from scenarios.simulator.outputs import summary, wait
from scenarios.simulator.policies import POLICIES, open_policy
from scenarios.simulator.policies.fcfs import Fcfs
from scenarios.simulator.tests.jobs import Row, workload_of


class Noted(Fcfs):
    """First come, first served, with a note of what it was told."""

    def __init__(self, cluster: Mapping[str, object]) -> None:
        super().__init__(cluster)
        self.heard: list[tuple[int, str]] = []

    def submitted(self, job: int) -> None:
        self.heard.append((self.simulation.now, f"submitted {job}"))
        super().submitted(job)

    def ended(self, job: int) -> None:
        self.heard.append((self.simulation.now, f"ended {job}"))

    def woken(self) -> None:
        self.heard.append((self.simulation.now, "woken"))

    def schedule(self) -> None:
        self.heard.append((self.simulation.now, "schedule"))
        super().schedule()


def simulation_of(
    jobs: list[Row], policy: str = "fcfs", size: int = 4, order: EventOrder = "batch"
) -> Simulation:
    return Simulation(workload_of(jobs), Pool(size), open_policy(policy), order)


@pytest.mark.parametrize(
    ("order", "at_five"),
    [
        ("batch", ["ended 0", "submitted 1", "woken", "schedule"]),
        ("one-by-one", ["submitted 1", "schedule", "ended 0", "schedule", "woken", "schedule"]),
    ],
)
def test_events_of_one_instant_come_in_the_order_written_down(
    order: EventOrder, at_five: list[str]
) -> None:
    policy = Noted({})
    simulation = Simulation(workload_of([(0, 5, 0, 4), (5, 1, 0, 4)]), Pool(4), policy, order)
    simulation.wake(5)
    simulation.run()
    assert [said for time, said in policy.heard if time == 5] == at_five
    assert simulation.first_start == [0, 5]


def test_interrupted_job_goes_back_to_its_place_and_repeats_what_it_lost() -> None:
    simulation = simulation_of([(0, 10, 0, 4), (1, 5, 0, 4)])
    simulation.at(6, Kind.TIMER, lambda: simulation.interrupt(0, lost=2))
    simulation.run()
    assert simulation.first_start == [0, 12]
    assert simulation.last_end == [12, 17]
    assert simulation.preemptions == [0, 0]
    assert wait(simulation, 0) == 0


@pytest.mark.parametrize("policy", sorted({*POLICIES} - {"slurm", "kueue"}))
def test_every_policy_takes_back_a_job_that_it_did_not_stop(policy: str) -> None:
    jobs = [(i, 5 + i % 7, 3, 1 + i % 4) for i in range(30)]
    simulation = simulation_of(jobs, policy, size=8)
    simulation.run_until(12)
    stopped = list(simulation.running())
    for job in stopped:
        simulation.interrupt(job, lost=1)
    simulation.run()
    assert stopped
    assert min(simulation.last_end) > 0
    assert simulation.machine.free == 8


def test_preemption_outdates_the_end_that_was_planned() -> None:
    simulation = simulation_of([(0, 10, 0, 4), (4, 2, 0, 4)], "srtf")
    simulation.run()
    assert simulation.last_end == [12, 6]
    assert simulation.preemptions == [1, 0]
    assert wait(simulation, 0) == 2


def test_run_that_was_stopped_says_who_runs_and_what_comes_next() -> None:
    simulation = simulation_of([(0, 10, 0, 2), (0, 10, 0, 2), (1, 1, 0, 1), (9, 1, 0, 1)])
    simulation.run_until(5)
    assert list(simulation.running()) == [0, 1]
    assert [simulation.is_waiting(job) for job in range(4)] == [False, False, True, False]
    assert simulation.next_time() == 9
    simulation.run()
    assert simulation.next_time() is None


def test_refused_job_blocks_nobody() -> None:
    simulation = simulation_of([(0, 3, 0, 5), (1, 3, 0, 4)])
    simulation.run()
    assert simulation.first_start == [-1, 1]
    figures = summary(simulation, 1)
    assert (figures["jobs"], figures["finished"], figures["refused"]) == (2, 1, 1)


def test_summary_by_hand() -> None:
    simulation = simulation_of([(0, 10, 0, 4), (2, 5, 0, 2)])
    simulation.run()
    figures = summary(simulation, 1)
    assert figures["mean_wait"] == 4
    assert figures["mean_turnaround"] == 11.5
    assert figures["mean_bounded_slowdown"] == pytest.approx((1 + 13 / 10) / 2)
    assert figures["makespan"] == 15
    assert figures["utilisation"] == pytest.approx(50 / 60)


def test_summary_of_nothing_is_zero() -> None:
    simulation = simulation_of([])
    simulation.run()
    assert set(summary(simulation, 1).values()) == {0}


def test_unknown_policy_is_named() -> None:
    with pytest.raises(ValueError, match="no policy lottery"):
        open_policy("lottery")
