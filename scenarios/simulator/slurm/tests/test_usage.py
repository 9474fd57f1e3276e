from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.slurm.fair_tree import fair_tree
from scenarios.simulator.slurm.shares import Tree
from scenarios.simulator.slurm.usage import FairShare, Usage, decay_per_second

WEEK = 604_800


def _pair() -> Tree:
    tree = Tree()
    tree.add("root", "", -1, 1)
    tree.add("a", "", 0, 1)
    tree.add("a", "ann", 1, 1)
    tree.add("a", "abe", 1, 1)
    return tree


def test_usage_of_a_finished_job_goes_to_its_user_and_everyone_above() -> None:
    usage = Usage(_pair(), half_life=0)
    usage.started(0, 2, 32.0, now=34)
    usage.ended(0, now=34 + 1_992)
    usage.started(1, 2, 1.0, now=5_000)
    usage.ended(1, now=5_012)
    assert usage.raw == [63_756.0, 63_756.0, 63_756.0, 0.0]  # as sshare printed for `games`


def test_remainder_is_lost_where_limits_are_not_enforced() -> None:
    usage = Usage(_pair(), half_life=0, charge_remainder=False)
    usage.started(0, 2, 32.0, now=133)
    usage.ended(0, now=133 + 2_001)
    assert usage.raw[2] == 62_944.0  # 34 seconds less than the 64,032 it ran for


def test_decay_uses_three_digits_of_the_logarithm_of_two() -> None:
    assert decay_per_second(WEEK) == 1.0 - 0.693 / WEEK
    assert decay_per_second(0) == 1.0


def test_usage_halves_in_a_half_life() -> None:
    usage = Usage(_pair(), half_life=36_000)
    usage.started(0, 2, 100.0, now=0)
    usage.ended(0, now=300)
    before = usage.raw[2]
    usage.advance(36_300)
    assert usage.raw[2] / before == pytest.approx(0.5, rel=3e-4)


@pytest.mark.parametrize("half_life", [3_600, 86_400, WEEK])
def test_usage_of_a_running_job_follows_exact_decay_but_for_the_length_of_a_period(
    half_life: int,
) -> None:
    usage = Usage(_pair(), half_life)
    usage.started(0, 2, 256.0, now=0)
    usage.advance(10_800)
    rate = math.log(2) / half_life
    exact = 256.0 * (1.0 - math.exp(-rate * 10_800)) / rate
    late = math.exp(-rate * 300 / 2)  # a period's work is decayed for the whole period
    assert usage.raw[2] == pytest.approx(exact * late, rel=2e-4)


JOBS = st.lists(
    st.tuples(st.integers(0, 5_000), st.integers(0, 5_000), st.integers(2, 3), st.integers(1, 64)),
    max_size=8,
)


@given(JOBS, st.integers(0, 299), st.sampled_from([0, 1_200, WEEK]))
def test_summed_periods_equal_periods_taken_one_by_one(
    jobs: list[tuple[int, int, int, int]], phase: int, half_life: int
) -> None:
    lazy, eager = (Usage(_pair(), half_life, phase=phase) for _ in range(2))
    events = sorted(
        [(start, 1, job) for job, (start, _, _, _) in enumerate(jobs)]
        + [(start + span, 2, job) for job, (start, span, _, _) in enumerate(jobs)]
    )
    for time, kind, job in events:
        for boundary in range(phase, time + 1, 300):
            eager.advance(boundary)
        for usage in (lazy, eager):
            if kind == 1:
                usage.started(job, jobs[job][2], float(jobs[job][3]), time)
            else:
                usage.ended(job, time)
    assert lazy.raw == pytest.approx(eager.raw, rel=1e-9, abs=1e-9)
    assert lazy.raw[0] == pytest.approx(lazy.raw[2] + lazy.raw[3])


def test_usage_in_milliseconds_is_the_same_in_seconds() -> None:
    fine = Usage(_pair(), WEEK, period=300_000, second=1_000)
    coarse = Usage(_pair(), WEEK)
    for usage, unit in ((fine, 1_000), (coarse, 1)):
        usage.started(0, 2, 8.0, now=17 * unit)
        usage.ended(0, now=4_321 * unit)
    assert fine.raw == pytest.approx(coarse.raw)


def test_factors_are_renewed_at_the_end_of_a_period_only() -> None:
    tree = _pair()
    usage = Usage(tree, WEEK)
    share = FairShare(usage, lambda raw: fair_tree(tree, raw).fair_share)
    assert share.factor[2:] == [1.0, 1.0]
    usage.started(0, 2, 8.0, now=10)
    assert not share.advance(299)
    assert share.factor[2:] == [1.0, 1.0]
    assert share.advance(300)
    assert share.factor[2:] == [0.5, 1.0]


def test_start_after_the_end_of_a_period_renews_the_factors_too() -> None:
    tree = _pair()
    share = FairShare(Usage(tree, WEEK), lambda raw: fair_tree(tree, raw).fair_share)
    share.started(0, 2, 8.0, now=10)
    share.started(1, 3, 1.0, now=700)
    assert share.factor[2:] == [0.5, 1.0]
    assert not share.advance(700)
