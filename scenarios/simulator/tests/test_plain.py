from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from scenarios.simulator.engine import EventOrder
from scenarios.simulator.machine import Pool
from scenarios.simulator.policies.las import THRESHOLD_S
from scenarios.simulator.tests import plain
from scenarios.simulator.tests.jobs import CAPACITY, Row, examples, outcome, rows, run, workload_of

LAS_SCALE = THRESHOLD_S // 6
RULES: dict[str, Callable[[], plain.Rule]] = {
    "fcfs": lambda: plain.fcfs,
    "sjf": lambda: plain.sjf,
    "easy": lambda: plain.easy,
    "easy-sjbf": lambda: plain.easy_sjbf,
    "srtf": plain.Remaining,
    "srgf": lambda: plain.Remaining(by_gpus=True),
}


def slow_jobs(jobs: list[Row], scale: int = 1) -> list[plain.Job]:
    return [
        plain.Job(submit * scale, run * scale, (run + over) * scale, procs, number)
        for number, (submit, run, over, procs) in enumerate(jobs)
    ]


def slow_outcome(jobs: list[plain.Job]) -> list[tuple[int, int, int]]:
    return [(job.first, job.end, job.preemptions) for job in jobs]


@pytest.mark.parametrize("policy", RULES)
@pytest.mark.parametrize("order", ["batch", "one-by-one"])
@examples(150)
@given(jobs=rows)
@pytest.mark.by_day(ids=["batch-fcfs", "one-by-one-srgf", "one-by-one-srtf"])
def test_policy_does_what_the_plain_rule_does(
    policy: str, order: EventOrder, jobs: list[Row]
) -> None:
    slow = slow_jobs(jobs)
    plain.simulate(slow, CAPACITY, RULES[policy](), one_by_one=order == "one-by-one")
    assert outcome(run(workload_of(jobs), Pool(CAPACITY), policy, order)) == slow_outcome(slow)


@examples(300)
@given(jobs=rows)
@pytest.mark.nightly
def test_conservative_plans_as_the_plain_table_does(jobs: list[Row]) -> None:
    slow, rule = slow_jobs(jobs), plain.Conservative()
    plain.simulate(slow, CAPACITY, rule, rule.wakes)
    assert outcome(run(workload_of(jobs), Pool(CAPACITY), "conservative")) == slow_outcome(slow)


@examples(300)
@given(jobs=rows)
def test_las_demotes_as_the_plain_queues_do(jobs: list[Row]) -> None:
    slow, rule = slow_jobs(jobs, LAS_SCALE), plain.Attained(THRESHOLD_S)
    plain.simulate(slow, CAPACITY, rule, rule.wakes)
    fast = run(workload_of(jobs, LAS_SCALE), Pool(CAPACITY), "las")
    assert outcome(fast) == slow_outcome(slow)
