from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.company.profile import DEFAULT
from scenarios.worlds.refusal import Refused
from scenarios.worlds.slurm_fair_partitions.cluster import RESTART, SharedCluster
from scenarios.worlds.slurm_fair_partitions.episode import Episode
from scenarios.worlds.slurm_fair_partitions.job import T4_SPEED, State
from scenarios.worlds.slurm_fair_partitions.limits import NO_LIMIT
from scenarios.worlds.slurm_fair_partitions.setting import (
    DEPTHS,
    Setting,
    cluster_config,
    open_quarter,
)
from scenarios.worlds.slurm_fair_partitions.tests.quarters import (
    HOUR,
    MINUTE,
    Kind,
    calm,
    job,
    play,
    started,
)
from scenarios.worlds.slurm_fair_partitions.workload import FAMILIES, Drawing


def check_nodes(cluster: SharedCluster) -> None:
    for number, fleet in enumerate(cluster.fleets):
        held = dict.fromkeys(fleet.names, 0)
        for running in cluster.scheduler.running(number):
            assert running.state == State.RUNNING
            for name in fleet.node_names(running.nodes):
                held[name] += min(running.spec.gpus, fleet.shape.per_node)
        for node, name in enumerate(fleet.names):
            assert fleet.nodes.level[node] == fleet.shape.per_node - held[name] >= 0
            assert node not in fleet.nodes.out or held[name] == 0


def check_books(cluster: SharedCluster) -> None:
    queued = {rank[-1] for fleet in cluster.fleets for rank in fleet.queue.waiting}
    for each in cluster.jobs:
        assert (each.id in queued) == (each.state == State.PENDING)
        assert 0 <= each.kept <= each.spec.work
    for number in range(len(cluster.book.qos)):
        parts = range(len(cluster.fleets))
        running = [j for n in parts for j in cluster.scheduler.running(n) if j.qos == number]
        assert cluster.book.used[number] == sum(j.spec.gpus for j in running)
        assert sum(cluster.book.user_running[number]) == len(running)
        inside = [j for j in cluster.jobs if j.qos == number]
        inside = [j for j in inside if j.state in (State.PENDING, State.RUNNING)]
        assert sum(cluster.book.user_submitted[number]) == len(inside)


VERBS = ("requeue", "move", "hold", "cap", "cancel", "shorten", "close", "scavenge", "reserve")
ACTIONS = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 500)), max_size=30)


def act(quarter: Episode, verb: str, number: int) -> None:
    cluster = quarter.world
    jobs = sorted(cluster.present)
    target = jobs[number % len(jobs)] if jobs else 0
    names = [shape.name for shape in quarter.config.partitions]
    team = quarter.config.teams[number % len(quarter.config.teams)].name
    if verb in ("requeue", "hold", "cancel"):
        getattr(quarter, verb)(target)
    elif verb == "move":
        quarter.move(target, names[number % len(names)])
    elif verb == "cap":
        quarter.modify_qos(team, {"grp_gpus": number % 20, "user_submit": number % 9})
    elif verb == "shorten":
        quarter.set_time_limit(target, 60 + number)
    elif verb == "close":
        quarter.modify_partition("inference", 3600 * (1 + number % 9), ["serve"])
    elif verb == "scavenge":
        quarter.set_job_qos(target, "scavenge")
    else:
        quarter.reserve(f"r{number}", team, names[0], 1 + number % 3, quarter.now, 7200)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.sampled_from(DEPTHS), st.integers(0, 99), ACTIONS)
def test_no_gpu_is_given_twice_and_all_counts_close_whatever_is_done(
    family: str, depth: str, seed: int, actions: list[tuple[str, int]]
) -> None:
    quarter = open_quarter(DEFAULT, Setting(depth, 4), family, str(seed))
    for verb, number in actions:
        for _ in range(6):
            quarter.tick()
        with contextlib.suppress(Refused):
            act(quarter, verb, number)
        check_nodes(quarter.world)
        check_books(quarter.world)


@pytest.mark.nightly
def test_same_seed_gives_the_same_bytes() -> None:
    def told() -> str:
        quarter = open_quarter(DEFAULT, Setting("deep", 4), "adversarial", "7")
        while not quarter.complete:
            quarter.tick()
        return json.dumps([quarter.figures(), quarter.replay()])

    assert told() == told()


@pytest.mark.nightly
def test_accounted_gpu_time_is_what_was_held() -> None:
    quarter = open_quarter(DEFAULT, Setting("usual", 4), "failure-heavy", "3")
    held = 0
    cluster = quarter.world
    while not quarter.complete:
        quarter.tick()
        held += sum(shape.gpus for shape in quarter.config.partitions)
    hours = sum(cluster.ledger.gpu_hours(0, cluster.now).values())
    assert 0.3 * held / 4 < hours <= held / 4
    ended = sum(
        (run.end - run.begin) * run.job.spec.gpus for run in cluster.ledger.runs if run.end >= 0
    )
    assert ended / HOUR <= hours


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.by_day(but=["failure-heavy", "steady"])
def test_quarters_of_one_family_ask_for_the_same_work(family: str) -> None:
    amounts = []
    for seed in "abcd":
        config = cluster_config(DEFAULT, Setting("usual", 12), FAMILIES[family], seed)
        jobs = Drawing(FAMILIES[family], config, seed).jobs()
        amounts.append(sum(j.work * j.gpus for j in jobs if j.kind in (Kind.TRAIN, Kind.INFER)))
    assert max(amounts) < 1.1 * min(amounts)


def test_requeued_job_goes_on_from_its_checkpoint_and_pays_for_the_restart() -> None:
    quarter = play(calm(job(4, 120, limit=600, every=30 * MINUTE)), 1.75)
    assert quarter.controls.requeue(0) == {"lost": 15 * 60 * 4}
    play(quarter, 3)
    cluster = quarter.world
    assert (
        cluster.jobs[0].ended_at
        == 105 * MINUTE + quarter.config.requeue_hold + RESTART + 30 * MINUTE
    )
    assert [run.state for run in cluster.ledger.runs] == ["REQUEUED", "COMPLETED"]


def test_job_is_killed_at_its_limit_and_asked_for_again_with_a_longer_one() -> None:
    quarter = play(calm(job(4, 60, limit=120)), 0.25)
    quarter.set_time_limit(0, 1800)
    play(quarter, 4)
    states = [run.state for run in quarter.world.ledger.runs]
    assert states == ["TIMEOUT", "COMPLETED"]
    assert quarter.world.jobs[0].lost == 30 * MINUTE


def test_training_on_t4_takes_its_time() -> None:
    quarter = calm(job(2, 40, at=1, limit=600, slip=0.0))
    play(quarter, 3)
    run = quarter.world.ledger.runs[0]
    assert quarter.config.partitions[run.partition].name == "inference"
    assert run.end - run.begin == 40 * MINUTE * 100 // T4_SPEED


def test_cap_passes_a_job_over_and_lets_the_next_start() -> None:
    quarter = calm(job(8, 60, at=20), job(4, 60, at=21), job(4, 60, at=22, user=2))
    quarter.modify_qos("red", {"grp_gpus": 4})
    play(quarter, 1)
    assert started(quarter) == [-1, 21, 22]
    assert quarter.world.jobs[0].reason == "QOSGrpGRES"
    quarter.modify_qos("red", {"grp_gpus": NO_LIMIT})
    play(quarter, 1)
    assert started(quarter)[0] == 81


def test_backfill_goes_by_limits_and_delays_nobody() -> None:
    quarter = calm(
        job(8, 100, at=1),
        job(12, 60, at=2),
        job(4, 50, at=16, limit=60),
        job(4, 50, at=17, limit=200),
    )
    play(quarter, 8)
    first = started(quarter)
    assert first[:2] == [1, 101]
    assert 16 <= first[2] <= 30
    assert first[3] >= 101


def test_reserved_nodes_wait_for_their_team_but_limits_still_hold() -> None:
    quarter = calm(job(12, 300, at=60), job(8, 60, at=90, user=2))
    quarter.reserve("demo", "blue", "training", 2, 5000, 7200)
    quarter.modify_qos("blue", {"user_gpus": 4})
    play(quarter, 2)
    assert started(quarter) == [-1, -1]
    assert quarter.world.jobs[1].reason == "QOSMaxGRESPerUser"
    quarter.modify_qos("blue", {"user_gpus": 8})
    play(quarter, 0.25)
    assert started(quarter)[1] == 120


def test_promised_job_finds_its_reserved_nodes_free_of_its_own_teams_work() -> None:
    quarter = calm(
        job(8, 120, at=300, user=2, kind=Kind.DEMO),
        *(job(4, 200, at=20 * n, user=2) for n in range(20)),
    )
    quarter.reserve("demo", "blue", "training", 2, 300 * 60, 3 * 3600)
    play(quarter, 6)
    assert started(quarter)[0] == 300


def test_scavenger_makes_room_for_a_team() -> None:
    quarter = calm(
        job(12, 300, at=1, scavenge=True, every=30 * MINUTE, limit=600),
        job(4, 60, at=70, user=2),
        scavenge=True,
    )
    play(quarter, 2)
    assert started(quarter) == [1, 70]
    assert quarter.world.ledger.runs[0].state == "PREEMPTED"


def test_refused_job_keeps_waiting_in_the_figures() -> None:
    quarter = calm(job(1, 10, at=1), job(1, 10, at=1))
    quarter.modify_qos("red", {"user_submit": 0})
    play(quarter, 4)
    assert started(quarter) == [-1, -1]
    assert quarter.figures()["training_wait_p95_h"]["red"] > 3.9
