from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.company.profile import DEFAULT
from scenarios.worlds.queue_autoscaler.setting import Setting, open_day
from scenarios.worlds.queue_autoscaler.tables import JobState, NodeState
from scenarios.worlds.queue_autoscaler.tests.days import (
    CALM,
    HOUR,
    MINUTE,
    Episode,
    calm,
    job,
    small,
)
from scenarios.worlds.queue_autoscaler.workload import FAMILIES, draw_jobs
from scenarios.worlds.queue_autoscaler.world import ElasticWorld
from scenarios.worlds.refusal import Refused


def check_no_node_is_overfull(world: ElasticWorld) -> None:
    held = [0] * len(world.nodes)
    for number, spec in enumerate(world.jobs.spec):
        for node in world.jobs.nodes[number]:
            held[node] += min(spec.gpus, world.config.gpus_per_node)
    for node in world.nodes.alive:
        if world.nodes.state[node] == NodeState.READY:
            assert world.nodes.free(node) == world.config.gpus_per_node - held[node] >= 0
        else:
            assert held[node] == 0


def check_each_job_is_in_one_place(world: ElasticWorld) -> None:
    queued = {number for _, _, number in world.queue.waiting}
    for number, state in enumerate(world.jobs.state):
        assert (number in queued) == (state == JobState.PENDING)
        on_nodes = state in (JobState.RUNNING, JobState.SAVING)
        assert bool(world.jobs.nodes[number]) == on_nodes
        assert 0 <= world.jobs.kept[number] <= world.jobs.spec[number].work


ACTIONS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from(("up", "down", "drain", "preempt", "cordon"))),
    max_size=25,
)


def act(day: Episode, what: str, number: int) -> None:
    names = [day.world.nodes.name[n] for n in day.world.nodes.alive]
    running = sorted(day.world.running)
    if what == "up":
        day.scale("spot" if number % 2 else "ondemand", 2 + number % 7)
    elif what == "down":
        day.scale("spot" if number % 2 else "ondemand", 2)
    elif what == "preempt" and running:
        day.preempt(running[number % len(running)])
    elif what == "drain":
        day.drain(names[number % len(names)])
    elif what == "cordon":
        day.cordon(names[number % len(names)])


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.integers(0, 99), ACTIONS)
def test_world_never_promises_a_gpu_twice_whatever_the_controller_does(
    family: str, seed: int, actions: list[tuple[int, str]]
) -> None:
    day = open_day(DEFAULT, Setting(), family, str(seed))
    for number, what in actions:
        for _ in range(12):
            day.tick()
        with contextlib.suppress(Refused):
            act(day, what, number)
        check_no_node_is_overfull(day.world)
        check_each_job_is_in_one_place(day.world)


def test_same_seed_gives_the_same_bytes() -> None:
    def told() -> str:
        day = open_day(DEFAULT, Setting(), "adversarial", "7")
        for minute in range(600):
            day.tick()
            if minute % 50 == 0:
                with contextlib.suppress(Refused):
                    day.scale("spot", 1 + minute // 100)
        return json.dumps([day.figures(), day.replay()])

    assert told() == told()


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_days_of_one_family_ask_for_the_same_work(family: str) -> None:
    config = small()
    amounts = []
    for seed in "abcd":
        jobs = draw_jobs(FAMILIES[family], config, seed)
        amounts.append(sum(spec.work * spec.gpus for spec in jobs))
    assert max(amounts) < 1.25 * min(amounts)


def test_work_is_done_once_across_a_preemption_and_costs_its_restart() -> None:
    day = calm(job(8, 60, every=10), firm=1)
    for _ in range(25):
        day.tick()
    assert day.controls.preempt(0)["saved"]
    day.run_out()
    config = day.config
    assert day.world.jobs.lost == [0]
    wait = day.world.jobs.total_wait(0, day.world.now)
    assert wait == config.hold
    expected = 60 * MINUTE + config.save + config.hold + config.restart
    assert day.world.jobs.ended_at == [expected]


def test_job_without_checkpoints_loses_all_its_work() -> None:
    day = calm(job(8, 60), firm=1)
    for _ in range(25):
        day.tick()
    assert not day.controls.preempt(0)["saved"]
    assert day.world.jobs.lost == [25 * MINUTE]


def test_node_death_costs_the_work_since_the_last_checkpoint() -> None:
    day = calm(job(16, 60, every=10), firm=2)
    for _ in range(25):
        day.tick()
    day.world._node_down(0, 0)
    assert day.world.jobs.lost == [5 * MINUTE]
    assert day.world.jobs.kept == [20 * MINUTE]
    assert day.world.nodes.free(1) == 8


def test_one_throttled_node_slows_the_whole_gang() -> None:
    day = calm(job(16, 60), firm=2)
    day.world.advance(30 * MINUTE)
    day.world._node_slow(1, 0)
    day.run_out()
    rest = -(-30 * MINUTE * 100 // day.config.slow_speed)
    assert day.world.jobs.ended_at == [30 * MINUTE + rest]


def test_drained_node_saves_what_it_can_and_lets_the_rest_finish() -> None:
    day = calm(
        job(4, 60, every=10, at=0), job(2, 60, at=0), job(2, 60, every=10, protected=True), firm=1
    )
    day.tick()
    assert day.controls.drain("od-001") == {"node": "od-001", "saving": [0], "staying": [1, 2]}
    with pytest.raises(Refused, match="drain it first"):
        day.controls.release("od-001")


def test_spot_reclaim_after_a_drain_loses_nothing() -> None:
    day = calm(job(8, 60, every=20, spot=True), firm=1, spot=1)
    day.world.advance(15 * MINUTE)
    day.world._reclaim_notice(1, 0)
    day.controls.drain("sp-001")
    day.world.advance(15 * MINUTE + day.config.notice)
    assert day.world.jobs.lost == [0]
    assert day.world.nodes.state[1] == NodeState.GONE


def test_spot_reclaim_without_a_drain_loses_the_unsaved_work() -> None:
    day = calm(job(8, 60, every=20, spot=True), firm=1, spot=1)
    day.world.advance(15 * MINUTE)
    day.world._reclaim_notice(1, 0)
    day.world.advance(15 * MINUTE + day.config.notice)
    assert day.world.jobs.lost == [17 * MINUTE]


def test_node_comes_up_within_the_bounds_of_its_pool() -> None:
    day = calm(firm=0)
    day.controls.scale("ondemand", 4)
    day.run_out()
    shape = day.config.pools[0]
    delays = day.world.nodes.ready_at
    assert all(shape.delay_low <= delay <= shape.delay_high for delay in delays)
    assert len(set(delays)) == 4


def test_node_given_back_early_costs_an_hour_and_a_dead_one_until_it_is_given_back() -> None:
    day = calm(firm=2)
    price = day.config.pools[0].price
    day.world.advance(10 * MINUTE)
    day.controls.release("od-001")
    assert day.world.record.spend(day.world.now) == pytest.approx(price * (1 + 10 / 60))
    day.world._node_down(1, 0)
    day.world.advance(3 * HOUR)
    day.controls.release("od-002")
    day.world.advance(5 * HOUR)
    assert day.world.record.spend(day.world.now) == pytest.approx(price * 4)


def test_scale_down_takes_only_empty_nodes_and_dead_ones_first() -> None:
    day = calm(job(8, 600), firm=4)
    day.tick()
    day.world._node_down(3, 0)
    answer = day.controls.scale("ondemand", 0)
    assert answer["removed"] == ["od-004", "od-003", "od-002"]
    assert answer["size"] == 1


def test_two_worlds_share_no_state() -> None:
    one, other = calm(job(8, 60)), calm(job(8, 60))
    one.run_out()
    assert other.world.now == 0
    assert other.world.jobs.state != one.world.jobs.state


def test_every_cause_of_trouble_can_be_switched_off() -> None:
    day = calm(*(job(8, 30, at=minute) for minute in range(0, 600, 15)), firm=4)
    day.run_out()
    assert day.figures()["incidents"] == []
    assert replace(day.config.faults) == CALM
