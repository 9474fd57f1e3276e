from __future__ import annotations

from scenarios.worlds.queue_autoscaler.tables import JobState
from scenarios.worlds.queue_autoscaler.tests.days import HIGH, LOW, MINUTE, Episode, calm, job


def started(day: Episode) -> list[int]:
    """Minute of each job's first start."""
    return [at // MINUTE if at >= 0 else -1 for at in day.world.jobs.started_at]


def play(day: Episode, minutes: int) -> Episode:
    for _ in range(minutes):
        day.tick()
    return day


def test_scheduler_starts_in_order_of_priority_then_arrival() -> None:
    day = calm(
        job(16, 60),
        job(16, 10, at=1, priority=LOW),
        job(16, 10, at=2),
        job(16, 10, at=3, priority=HIGH),
        job(16, 10, at=4),
    )
    assert started(play(day, 120)) == [0, 90, 70, 60, 80]


def test_backfill_uses_a_hole_only_if_the_head_is_not_delayed() -> None:
    day = calm(
        job(8, 60),
        job(16, 30, at=1),
        job(8, 50, at=2),
        job(8, 70, at=3),
    )
    assert started(play(day, 150)) == [0, 60, 2, 90]


def test_backfill_goes_by_the_limit_and_not_by_the_run_time() -> None:
    day = calm(job(8, 60), job(16, 30, at=1), job(8, 20, at=2, limit=90))
    assert started(play(day, 150))[2] == 90


def test_gang_starts_whole_and_in_one_pool_or_not_at_all() -> None:
    day = calm(job(16, 30, spot=True), firm=1, spot=1)
    play(day, 60)
    assert started(day) == [-1]
    day.controls.scale("ondemand", 2)
    play(day, 20)
    nodes = day.world.jobs.nodes[0]
    assert len(nodes) == 2
    assert {day.world.nodes.pool[node] for node in nodes} == {0}


def test_gang_that_fits_nowhere_holds_nothing_back() -> None:
    day = calm(job(32, 30, priority=HIGH), job(8, 500, at=1))
    assert started(play(day, 5)) == [-1, 1]


def test_job_goes_to_spot_only_if_its_owner_allows_it() -> None:
    day = calm(job(8, 30, spot=True), job(8, 30), job(8, 30), firm=1, spot=2)
    play(day, 5)
    pools = [
        {day.world.nodes.pool[n] for n in day.world.jobs.nodes[j]} if state else set()
        for j, state in enumerate(s == JobState.RUNNING for s in day.world.jobs.state)
    ]
    assert pools == [{1}, {0}, set()]


def test_small_job_goes_to_the_fullest_node_with_room() -> None:
    day = calm(job(4, 60), job(8, 60, at=1), job(2, 60, at=2), firm=3)
    play(day, 5)
    nodes = day.world.jobs.nodes
    assert nodes[2] == nodes[0]
    assert nodes[1] != nodes[0]


def test_cordoned_node_takes_no_new_job() -> None:
    day = calm(job(8, 10), job(8, 10, at=2), firm=1)
    day.tick()
    day.controls.cordon("od-001")
    play(day, 30)
    assert started(day) == [0, -1]
    day.controls.uncordon("od-001")
    assert started(day) == [0, 31]
