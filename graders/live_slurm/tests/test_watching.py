"""The judge's patience, played with an account of a cluster in place of one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from typing import TypeVar

import pytest

from graders.live_slurm import reading
from graders.live_slurm.orders import Course, Order, Said
from graders.live_slurm.watching import (
    CYCLES,
    LONGEST_S,
    PATIENCE_S,
    wait_for_begin,
    wait_for_end,
    wait_until_tried,
)

R = TypeVar("R")
EACH_S, SOON_S = 0.5, 0.1


def told(cycles: int, **states: str) -> Said:
    """What a look prints: `j7="RUNNING"` is job 7."""
    rows = [
        f"JobId={name[1:]} JobName=x UserId=ana(64001) JobState={state} Reason=None Restarts=0"
        for name, state in states.items()
    ]
    return Said(0, "\n".join([f"\tTotal cycles: {cycles}", *rows]), "")


def waited(course: Course[R], looks: Iterator[Said]) -> tuple[R, float]:
    """What the course returns, and the seconds that it slept."""
    slept = 0.0
    order: Order = next(course)
    while True:
        asleep = order.run.startswith("sleep ")
        slept += float(order.run.removeprefix("sleep ")) if asleep else 0.0
        try:
            order = course.send(Said(0, "", "") if asleep else next(looks))
        except StopIteration as end:
            return end.value, slept


def test_what_has_done_its_work_is_not_waited_for() -> None:
    looks = iter([told(3, j7="PENDING"), told(3, j7="RUNNING"), told(4, j7="COMPLETED")])
    assert waited(wait_for_end([7]), looks) == ({7}, 2 * EACH_S)


def test_a_job_that_fails_once_it_is_tried_has_not_begun_though_it_was_seen_to_run() -> None:
    running = [told(n, j7="RUNNING", j8="COMPLETED") for n in range(40)]
    looks = chain(running, repeat(told(40, j7="PENDING", j8="COMPLETED")))
    found, slept = waited(wait_for_end([7, 8]), looks)
    assert found == {8}
    assert slept == 40 * EACH_S > PATIENCE_S


def test_a_short_job_of_somebody_else_may_end_as_well() -> None:
    looks = chain([told(1, j7="COMPLETED", j9="RUNNING")] * 5, [told(1, j7="COMPLETED")])
    assert waited(wait_for_end([7], [9]), looks) == ({7}, 5 * EACH_S)


def test_what_never_begins_has_its_time_in_seconds_and_in_cycles() -> None:
    quick = (told(number, j7="PENDING") for number in range(1000))
    assert waited(wait_for_begin([7]), quick) == (set(), PATIENCE_S)


def test_on_a_busy_host_the_schedulers_cycles_are_waited_for() -> None:
    """A cycle takes the time of six looks here; the job begins in the last cycle that it has."""
    slow = [told(look // 6, j7="PENDING") for look in range(6 * CYCLES)]
    found, slept = waited(wait_for_begin([7]), chain(slow, [told(CYCLES, j7="RUNNING")]))
    assert found == {7}
    assert PATIENCE_S < slept < LONGEST_S


def test_cycles_go_on_counting_when_the_controller_starts_anew() -> None:
    first = [told(100 + look, j7="PENDING") for look in range(CYCLES - 2)]
    again = chain([told(1, j7="PENDING")] * 30, repeat(told(2, j7="PENDING")))
    found, slept = waited(wait_for_begin([7]), chain(first, again))
    assert found == set()
    assert slept > PATIENCE_S, "the cycles before the restart and after it are one short before it"


def test_a_scheduler_that_stands_still_is_not_waited_for_without_end() -> None:
    assert waited(wait_for_begin([7]), repeat(told(5, j7="PENDING"))) == (set(), LONGEST_S)


def test_a_controller_that_is_gone_is_waited_for_in_vain_for_some_seconds_only() -> None:
    found, slept = waited(wait_for_end([7]), repeat(Said(9, "", "")))
    assert found == set()
    assert slept < 6.0


def test_a_fault_has_shown_itself_once_its_jobs_were_tried_and_none_runs() -> None:
    looks = chain(
        [told(0, j7="PENDING"), told(1, j7="PENDING"), told(2, j7="RUNNING")],
        [told(3, j7="COMPLETING"), told(3, j7="PENDING")],
    )
    seen, slept = waited(wait_until_tried([7]), looks)
    assert [one.state for one in seen] == ["PENDING"]
    assert slept == pytest.approx(4 * SOON_S)


def test_the_scheduler_is_prompted_once_when_its_cycles_are_counted() -> None:
    def prompt() -> Course[None]:
        yield Order("sleep 7.0")

    looks = [told(cycles, j7="PENDING") for cycles in (0, 1, 2)]
    _, slept = waited(wait_until_tried([7], prompt()), iter(looks))
    assert slept == pytest.approx(7.0 + 2 * SOON_S)


def test_a_cluster_without_jobs_has_none() -> None:
    assert reading.jobs("No jobs in the system\n") == []
    assert reading.cycles("nothing") is None
