from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.simulator.agenda import DAY
from scenarios.worlds.cluster_priorities.families import FAMILIES
from scenarios.worlds.cluster_priorities.measures import MEASURES
from scenarios.worlds.cluster_priorities.tests.spans import (
    HOUR,
    MINUTE,
    A,
    B,
    C,
    Outage,
    calm,
    drawn,
    greedy,
    pass_time,
    request,
)

LEVELS = ("junior", "mid", "senior")


def test_same_seed_and_actions_give_the_same_bytes() -> None:
    one, two, other = (greedy(drawn("burst", seed), 30) for seed in ("s", "s", "t"))
    texts = [json.dumps([days.figures(), days.replay()]) for days in (one, two, other)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


@settings(max_examples=6, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.sampled_from(LEVELS), st.integers(0, 1000))
def test_gpu_time_money_and_quota_close(family: str, level: str, seed: int) -> None:
    days = greedy(drawn(family, str(seed), level), 20)
    world = days.world
    capacity = sum(flavor.capacity for flavor in days.config.flavors)
    assert sum(world.meter.phase_ms.values()) == capacity * world.now
    held = [[0] * len(days.config.flavors) for _ in days.config.queues]
    for work in world.open.values():
        if work.holds:
            held[world.queue_of(work)][work.flavor] += work.gpus
            assert sum(gpus for _, gpus in work.nodes) == work.gpus
    assert held == world.tree.used[: len(held)]
    assert all(0 <= node.free <= node.gpus for node in world.nodes)
    figures = days.figures()
    most = sum(flavor.price * flavor.nodes for flavor in days.config.flavors) * world.now / HOUR
    assert 0 <= figures["ondemand_usd"] <= figures["spend_usd"] <= most


@settings(max_examples=4, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.integers(0, 1000))
def test_work_done_lost_and_left_close(family: str, seed: int) -> None:
    days = greedy(drawn(family, str(seed)), 24)
    for work in days.world.works:
        assert 0 <= work.safe(days.world.now) <= work.done(days.world.now) <= work.total
        assert work.lost >= 0
    running = days.world.meter.phase_ms["running"]
    done = sum(work.done(days.world.now) + work.lost for work in days.world.works)
    saving = days.world.meter.phase_ms["saving"]
    assert done <= running + saving + 4 * len(days.world.works) * 10
    assert done >= running - 4 * len(days.world.works) * 10


def test_the_fate_of_nodes_does_not_depend_on_the_controller() -> None:
    idle, busy = drawn("adversarial", "x"), greedy(drawn("adversarial", "x"), 40)
    idle.run_out()
    fates = [
        [event for event in days.world.record.events if event[1] in ("reclaimed", "node_down")]
        for days in (idle, busy)
    ]
    assert fates[1]
    assert fates[0][: len(fates[1])] == fates[1]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_offers_what_its_teams_ask_for(level: str, family: str) -> None:
    days = drawn(family, "load", level)
    for number, team in enumerate(days.config.teams):
        mine = [work for work in days.world.works if work.request.team == number]
        gpus = sum(work.total for work in mine) / days.config.length
        if team.load:
            assert 0.75 * team.load <= gpus <= 1.25 * team.load
        else:
            assert len(mine) == team.jobs * days.config.length // DAY
        assert all(work.request.least <= work.request.gpus for work in mine)


def test_a_workload_starts_runs_and_finishes_on_time() -> None:
    days = calm(request(A, minutes=60, deadline=2 * HOUR))
    days.admit(0, "ondemand-t4", 0)
    pass_time(days, 70)
    assert days.world.works[0].finished_at == 62 * MINUTE
    pass_time(days, 60)
    assert days.figures()["on_time"] == [1.0]


@pytest.mark.parametrize(("late", "share"), [(30, 0.5), (90, 0.0)])
def test_a_late_deadline_counts_in_part(late: int, share: float) -> None:
    days = calm(request(A, minutes=60, deadline=(62 - late) * MINUTE if late < 60 else 0))
    days.admit(0, "ondemand-t4", 0)
    pass_time(days, 120)
    assert days.figures()["on_time"] == [pytest.approx(share)]


def test_partial_admission_takes_longer_in_proportion() -> None:
    days = calm(request(C, gpus=4, minutes=60, least=2), level="mid")
    days.admit(0, "spot-t4", 2)
    pass_time(days, 130)
    assert days.world.works[0].finished_at == 122 * MINUTE


def test_a_reclaimed_node_sends_its_work_back_to_the_checkpoint() -> None:
    gone = Outage(60 * MINUTE, 90 * MINUTE, reclaimed=True)
    days = calm(request(B, checkpoint=25), outages={"spot-t4-01": gone})
    days.admit(0, "spot-t4", 0)
    pass_time(days, 56)
    assert days.now == 58 * 60
    days.tick()
    work = days.world.works[0]
    assert (work.state, work.base) == ("pending", 4 * 50 * MINUTE)
    assert work.lost == 4 * 8 * MINUTE
    assert days.figures()["incidents"] == [[3600, "reclaim notice", work.request.name, False]]


def test_a_dead_node_keeps_its_work_until_it_is_requeued() -> None:
    dead = Outage(30 * MINUTE, 60 * MINUTE, reclaimed=False)
    days = calm(request(C), outages={"spot-t4-01": dead})
    days.admit(0, "spot-t4", 0)
    pass_time(days, 50)
    assert days.world.works[0].state == "starting"
    days.requeue(0)
    assert days.world.works[0].state == "pending"
    assert days.figures()["incidents"][0][3] is True


def test_measures_are_numbers_for_a_span_left_alone() -> None:
    days = drawn("steady", "alone")
    days.run_out()
    figures = days.figures()
    assert all(compute([figures]) is not None for compute in MEASURES.values())
    assert figures["ticks"] == 0
    assert figures["spend_usd"] == 0
