"""Workloads drawn from a shape, and shapes read off workloads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenarios.simulator.tests.shared import shared
from scenarios.simulator.trace import read_trace
from scenarios.simulator.world.fit import fit
from scenarios.simulator.world.generator import generate, habits, hourly_rates
from scenarios.simulator.world.shape import DAY_S, Shape, Tenant

SHAPE = Shape(
    jobs=12_000,
    length_s=42 * DAY_S,
    tenants=habits(4, (1, 2, 8, 16), 3_600),
    run_sigma=1.2,
    longest_s=30 * DAY_S,
    day_swing=0.6,
    day_peak_hour=14,
    weekend=0.4,
    burst_share=0.15,
    burst_mean=5,
    exact=0.2,
    over_median=1.5,
    over_sigma=0.7,
)


def test_fitted_shape_is_the_one_that_was_generated() -> None:
    found, total = fit(generate(SHAPE, "seed")), sum(t.share for t in SHAPE.tenants)
    assert found.jobs == SHAPE.jobs
    assert found.length_s == pytest.approx(SHAPE.length_s, rel=0.01)
    for tenant in found.tenants:
        meant = next(t for t in SHAPE.tenants if t.name == tenant.name)
        assert tenant.share == pytest.approx(meant.share / total, abs=0.03)
        assert tenant.run_median_s == pytest.approx(meant.run_median_s, rel=0.12)
        weight = sum(meant.gangs.values())
        for size, share in tenant.gangs.items():
            assert share == pytest.approx(meant.gangs[size] / weight, abs=0.06)
    assert_close(found, SHAPE)


def test_fit_of_what_a_fit_generates_is_the_same_again() -> None:
    first = fit(generate(SHAPE, "seed"))
    assert_close(fit(generate(first, "another")), first)


def assert_close(found: Shape, meant: Shape) -> None:
    """The bounds that the theory of operation states."""
    assert found.run_sigma == pytest.approx(meant.run_sigma, rel=0.05)
    assert found.day_swing == pytest.approx(meant.day_swing, abs=0.06)
    assert found.day_peak_hour == pytest.approx(meant.day_peak_hour, abs=0.6)
    assert found.weekend == pytest.approx(meant.weekend, abs=0.06)
    assert found.burst_share == pytest.approx(meant.burst_share, abs=0.03)
    assert found.burst_mean == pytest.approx(meant.burst_mean, rel=0.12)
    assert found.exact == pytest.approx(meant.exact, abs=0.02)
    assert found.over_median == pytest.approx(meant.over_median, rel=0.08)
    assert found.over_sigma == pytest.approx(meant.over_sigma, rel=0.06)


def test_same_seed_same_jobs_and_another_seed_others() -> None:
    small = replace(SHAPE, jobs=500)
    assert generate(small, "a") == generate(small, "a")
    assert generate(small, "a").submit != generate(small, "b").submit


def test_how_estimates_are_made_changes_nothing_else() -> None:
    small = replace(SHAPE, jobs=500)
    one, other = generate(small, "a"), generate(replace(small, exact=0.9, over_sigma=2), "a")
    assert (one.submit, one.run, one.procs, one.user) == (
        other.submit,
        other.run,
        other.procs,
        other.user,
    )
    assert one.estimate != other.estimate


def test_jobs_are_powers_of_two_in_order_with_estimates_no_shorter_than_runs() -> None:
    workload = generate(replace(SHAPE, jobs=2_000), "seed", ticks_per_second=1_000)
    assert workload.submit == sorted(workload.submit)
    assert all(size & (size - 1) == 0 for size in workload.procs)
    pairs = zip(workload.run, workload.estimate, strict=True)
    assert all(1_000 <= run <= estimate for run, estimate in pairs)


def test_rates_follow_the_day_and_the_week() -> None:
    rates = hourly_rates(replace(SHAPE, length_s=7 * DAY_S))
    assert rates[14] > 3 * rates[2]
    assert rates[5 * 24 + 14] == pytest.approx(0.4 * rates[14])


@pytest.mark.parametrize(
    "wrong",
    [
        {"jobs": 0},
        {"day_swing": 1.5},
        {"burst_mean": 1.0},
        {"tenants": (Tenant("a", 1.0, 60.0, {3: 1.0}),)},
    ],
)
def test_shape_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        replace(SHAPE, **wrong)  # type: ignore[arg-type]


def test_a_trace_of_one_job_has_no_shape() -> None:
    with pytest.raises(ValueError, match="two jobs"):
        fit(generate(replace(SHAPE, jobs=1), "seed"))


@pytest.mark.parametrize(
    ("trace", "ticks"), [("synthgpu256_2k.swf", 1), ("lublin256_over_ms.swf", 1_000)]
)
def test_shape_fitted_to_a_trace_comes_back_from_what_it_generates(trace: str, ticks: int) -> None:
    """Wider bounds than for our own shapes: a real run time is not quite log-normal."""
    meant = fit(read_trace(shared(f"traces/{trace}")), ticks)
    found = fit(generate(meant, "seed", ticks), ticks)
    assert found.run_sigma == pytest.approx(meant.run_sigma, rel=0.12)
    assert found.day_swing == pytest.approx(meant.day_swing, abs=0.1)
    assert found.day_peak_hour == pytest.approx(meant.day_peak_hour, abs=1)
    assert found.weekend == pytest.approx(meant.weekend, abs=0.15)
    assert found.burst_share == pytest.approx(meant.burst_share, abs=0.03)
    assert found.exact == pytest.approx(meant.exact, abs=0.03)
    assert found.over_median == pytest.approx(meant.over_median, rel=0.12)
    assert found.over_sigma == pytest.approx(meant.over_sigma, rel=0.1)
