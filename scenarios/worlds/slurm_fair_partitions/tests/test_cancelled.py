"""Work that somebody cancels who may not is work that was not served, in every figure."""

from __future__ import annotations

import pytest

from scenarios.worlds.slurm_fair_partitions.ledger import MISSED_FOR
from scenarios.worlds.slurm_fair_partitions.tests.quarters import DAY, HOUR, Kind, calm, job, play

KINDS = [Kind.TRAIN, Kind.SWEEP, Kind.SESSION]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("waits", [False, True])
def test_cancelled_work_waits_to_the_end(kind: Kind, waits: bool) -> None:
    blocker = job(12, 600, user=2) if waits else job(1, 1, user=2)
    quarter = play(calm(blocker, job(1, 300, at=1, kind=kind), length=2 * DAY), 1)
    quarter.cancel(1)
    quarter.run_out()
    waited = quarter.figures()["training_wait_p95_h"]["red"]
    assert waited == pytest.approx(48.0 - (1 / 60 if waits else 1.0), abs=0.001)


def test_session_that_was_idle_for_two_hours_is_not_missed() -> None:
    quarter = play(calm(job(1, 600, kind=Kind.SESSION, active=HOUR), length=2 * DAY), 3.25)
    quarter.cancel(0)
    quarter.run_out()
    figures = quarter.figures()
    assert figures["training_wait_p95_h"]["red"] == 0.0
    assert figures["minimum_met_pct"]["red"] == 100.0
    assert figures["broken_rules"] == []


def test_cancelled_inference_waits_to_the_end() -> None:
    quarter = play(calm(job(1, 60, kind=Kind.INFER), length=2 * DAY), 0.5)
    quarter.cancel(0)
    quarter.run_out()
    assert quarter.figures()["inference_waits_min"] == [47.5 * 60]


def test_cancelled_work_is_missed_in_guarantees_use_and_fairness_for_a_day() -> None:
    specs = [job(4, 2800, user=2), *(job(1, 300, at=1, kind=Kind.SWEEP) for _ in range(4))]
    plain, gamed = (calm(*specs, length=2 * DAY) for _ in range(2))
    for quarter in (plain, gamed):
        play(quarter, 1)
    for number in range(1, 5):
        gamed.cancel(number)
    play(gamed, MISSED_FOR // HOUR + 1)
    figures = gamed.figures()
    ticks = MISSED_FOR // gamed.config.tick
    assert gamed.world.ledger.short_ticks[0] == pytest.approx(ticks, abs=3)
    assert figures["usable_gpu_h"] - figures["useful_gpu_h"] == pytest.approx(4 * 24, abs=2)
    assert figures["unfair_gpu_h"] >= 0.0
    before = gamed.world.ledger.short_ticks[0]
    gamed.run_out()
    assert gamed.world.ledger.short_ticks[0] == before
    plain.run_out()
    assert plain.world.ledger.short_ticks[0] == 0
