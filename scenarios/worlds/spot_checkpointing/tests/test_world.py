from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.refusal import Refused
from scenarios.worlds.spot_checkpointing import WORLD
from scenarios.worlds.spot_checkpointing.episode import Episode
from scenarios.worlds.spot_checkpointing.families import FAMILIES
from scenarios.worlds.spot_checkpointing.prices import PricePath
from scenarios.worlds.spot_checkpointing.tables import Kind, NodeState
from scenarios.worlds.spot_checkpointing.tests.weeks import (
    ELASTIC,
    ONE_ZONE,
    SPOT,
    TWO_ZONES,
    calm,
    nodes_up,
    pass_minutes,
    saved,
    training,
    troubled,
)

Move = tuple[str, int]
moves = st.lists(
    st.tuples(
        st.sampled_from(
            ["scale", "launch", "stop", "save", "verify", "delete", "cadence", "release"]
        ),
        st.integers(0, 6),
    ),
    max_size=40,
)


def play(week: Episode, made: list[Move]) -> Episode:
    """Moves that a program could make, in whatever order, one a tick."""
    for verb, number in made:
        if not week.complete:
            week.tick()
            try:
                act(week, verb, number)
            except Refused:
                continue
    week.run_out()
    return week


def act(week: Episode, verb: str, number: int) -> None:
    names = [row[0] for row in rows(week.nodes())]
    saves = [row[0] for row in rows(week.checkpoints())] or ["none"]
    one = str(saves[number % len(saves)])
    if verb == "scale":
        week.scale(("spot-east-1a", "ondemand-east-1a", "spot-east-1b")[number % 3], number)
    elif verb == "launch":
        week.launch("tune", [str(name) for name in names[:4]], one if number % 2 else "")
    elif verb == "stop":
        week.stop("tune")
    elif verb == "save":
        week.save("tune", ("sync", "async")[number % 2])
    elif verb == "verify":
        week.verify(one)
    elif verb == "delete":
        week.delete_checkpoint(one)
    elif verb == "cadence":
        week.set_cadence("tune", 20 * number, "async")
    elif names:
        week.release(str(names[number % len(names)]))


def rows(answer: object) -> list[list[object]]:
    assert isinstance(answer, dict)
    found = answer["rows"]
    assert isinstance(found, list)
    return found


@settings(max_examples=25, deadline=None)
@given(moves, st.sampled_from(sorted(FAMILIES)))
def test_same_seed_and_actions_give_the_same_bytes(made: list[Move], family: str) -> None:
    told = [
        json.dumps([week.figures(), week.replay()])
        for week in (play(troubled(TWO_ZONES, family), made) for _ in range(2))
    ]
    assert told[0] == told[1]


@settings(max_examples=25, deadline=None)
@given(moves, st.sampled_from(sorted(FAMILIES)))
def test_time_money_and_storage_close(made: list[Move], family: str) -> None:
    week = play(troubled(TWO_ZONES, family), made)
    world, figures = week.world, week.figures()
    nodes = world.machines.nodes
    lives = sum((n.gone_at if n.gone_at >= 0 else world.now) - n.asked_at for n in nodes)
    gpu_h = lives * week.config.gpus_per_node / HOUR
    assert sum(figures["phase_gpu_h"].values()) == pytest.approx(gpu_h)
    charges = sum(
        world.paths[n.zone][n.spot].charge(
            n.asked_at, n.charged_until if n.gone_at >= 0 else world.now
        )
        for n in nodes
    )
    assert figures["spend_usd"] == pytest.approx(charges)
    saving = world.saving
    for region, used in saving.used.items():
        held = [saving.all[i] for i in saving.present if saving.all[i].region == region]
        assert used == sum(c.gb if c.state == "writing" else c.stored_gb for c in held)
        assert used <= week.config.stores[region].limit_gb


@settings(max_examples=25, deadline=None)
@given(moves, st.sampled_from(sorted(FAMILIES)))
def test_steps_that_count_were_paid_for_and_gangs_are_whole(made: list[Move], family: str) -> None:
    week = play(troubled(TWO_ZONES, family), made)
    figures, run = week.figures(), week.world.trainings[0]
    assert 0 <= week.world.valid(run) <= run.config.steps
    assert figures["useful_gpu_h"] <= figures["phase_gpu_h"].get("training", 0.0) + 1e-6
    machine, nodes = week.world.machine, week.world.machines.nodes
    assert machine.out == {n for n, node in enumerate(nodes) if node.state != NodeState.READY}
    held = [n for n, free in enumerate(machine.level) if not free]
    assert held == sorted(run.nodes)
    assert machine.capacity - machine.free == 8 * len(held)
    assert len(held) in (0, 4)
    for key, compute in WORLD.measures.items():
        assert compute([figures]) is not None, key


def test_history_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import json, sys; sys.path.insert(0, '.');"
        "from scenarios.worlds.spot_checkpointing.tests.weeks import *;"
        "week = troubled(TWO_ZONES, 'adversarial');"
        "week.tick(); week.controls.scale(SPOT, 4); week.run_out();"
        "print(json.dumps([week.figures(), week.replay()]))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("1", "2")
    }
    assert len(told) == 1


def test_a_calm_run_takes_its_time_and_its_price() -> None:
    week = calm()
    training(week)
    week.controls.set_cadence("tune", 0, "sync")
    week.run_out()
    run = week.world.trainings[0]
    begun = run.resumes[0].at
    assert run.finished_at == begun + 3000 * 3600
    assert week.figures()["useful_gpu_h"] == 3000 * 3.6 * 4 * 8 / 3600
    assert week.figures()["finish_h"] == [run.finished_at / HOUR]


def test_a_gang_trains_at_the_pace_of_its_slowest_node() -> None:
    week = calm()
    training(week)
    run = week.world.trainings[0]
    assert run.step_ms == 3600
    week.world.node_slow(run.nodes[2], 0)
    assert run.step_ms == 3600 * 150 // 100


@pytest.mark.parametrize(("count", "faster"), [(2, 0.55), (4, 1.0), (6, 1.42)])
def test_more_nodes_make_steps_faster_but_not_in_proportion(count: int, faster: float) -> None:
    week = calm(ELASTIC)
    training(week, count=count)
    assert 3600 / week.world.trainings[0].step_ms == pytest.approx(faster, rel=0.06)


def test_a_lost_node_stops_the_run_and_leaves_a_save_incomplete() -> None:
    week = calm()
    training(week)
    made = str(week.controls.save("tune", "async")["checkpoint"])
    pass_minutes(week, 1)
    week.world.node_down(week.world.trainings[0].nodes[0], 0)
    torn = next(c for c in week.world.saving.all if c.name == made)
    assert (week.world.trainings[0].state, torn.whole) == ("stopped", False)
    assert 0 < torn.stored_gb < torn.gb


def test_a_sync_save_fits_into_a_notice_and_an_async_one_does_not() -> None:
    for mode, safe in (("sync", True), ("async", False)):
        week = calm()
        training(week)
        pass_minutes(week, 30)
        run = week.world.trainings[0]
        week.world.machines.notice(run.nodes[1], 0)
        week.controls.save("tune", mode)
        pass_minutes(week, 3)
        assert run.state == "stopped"
        assert (week.world.saving.best(run) is not None) == safe
        assert [n.handled for n in week.world.record.notices] == [safe]


def test_a_tick_ends_at_once_when_a_notice_comes() -> None:
    week = calm()
    training(week)
    week.tick()
    number = week.world.trainings[0].nodes[0]
    week.world.agenda.add(week.world.now + 90_000, Kind.NOTICE, number)
    before = week.now
    answer = week.tick()
    assert answer["t"] == before + 90
    assert answer["events"] == [
        [before + 90, "spot_notice", week.world.machines.nodes[number].name]
    ]


def test_work_after_the_last_good_checkpoint_is_lost_once() -> None:
    week = calm()
    gang = training(week)
    week.controls.set_cadence("tune", 0, "sync")
    pass_minutes(week, 30)
    made = saved(week)
    pass_minutes(week, 30)
    week.controls.stop("tune")
    run = week.world.trainings[0]
    lost = run.stop_step - next(c.step for c in week.world.saving.all)
    week.controls.launch("tune", gang, made)
    pass_minutes(week, 3)
    assert run.resumes[-1].lost == lost > 400
    assert run.lost_gpu_ms == lost * 3600 * 4 * 8


def test_nodes_of_the_nth_place_meet_the_same_fate_whatever_else_happens() -> None:
    one, other = (troubled(TWO_ZONES, "failure-heavy", "fate") for _ in range(2))
    for week in (one, other):
        week.controls.scale(SPOT, 4)
    other.controls.scale("ondemand-east-1b", 3)
    for week in (one, other):
        pass_minutes(week, 60)
    fates = [
        [(n.name, n.state, n.ready_at, n.mute) for n in week.world.machines.nodes if "-s" in n.name]
        for week in (one, other)
    ]
    assert fates[0] == fates[1]


@given(
    st.lists(st.floats(1, 30), min_size=1, max_size=30),
    st.integers(0, 40 * HOUR),
    st.integers(0, 40 * HOUR),
)
def test_prices_are_paid_as_they_were_in_force(prices: list[float], one: int, two: int) -> None:
    path = PricePath([(hour * HOUR, price) for hour, price in enumerate(prices)])
    begin, end = sorted((one, two))
    whole = path.charge(begin, end)
    middle = (begin + end) // 2
    assert whole == pytest.approx(path.charge(begin, middle) + path.charge(middle, end))
    low, high = min(prices) * (end - begin) / HOUR, max(prices) * (end - begin) / HOUR
    assert low - 1e-6 <= whole <= high + 1e-6


def test_an_hour_of_a_node_costs_its_price() -> None:
    week = calm()
    nodes_up(week)
    pass_minutes(week, 48)
    assert week.world.spend() == pytest.approx(40.0)


def test_nothing_is_left_to_control_when_all_is_done() -> None:
    week = calm()
    training(week)
    pass_minutes(week, 5 * 60)
    week.controls.scale(SPOT, 0)
    assert not week.complete
    assert week.tick()["done"] is True
    with pytest.raises(Refused, match="over"):
        week.tick()
    assert week.world.now < ONE_ZONE.hours * HOUR


def test_the_window_ends_on_time_with_nobody_in_control() -> None:
    week = troubled(TWO_ZONES, "steady")
    week.run_out()
    assert week.world.now == 12 * HOUR
    assert week.figures()["broken_rules"] == [[12 * 3600, "tune missed its deadline"]]
    assert week.replay()["t"] == list(range(0, 12 * 3600 + 1, 300))
    assert len(week.replay()["series"]) == len(WORLD.series)
    assert week.config.tick == 5 * MINUTE
