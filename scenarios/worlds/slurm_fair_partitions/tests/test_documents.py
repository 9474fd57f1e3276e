"""The outputs that candidates read, held against the cluster that they are of."""

from __future__ import annotations

import re

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.job import State
from scenarios.worlds.slurm_fair_partitions.queue_text import JobNumbers, folded, sinfo, squeue
from scenarios.worlds.slurm_fair_partitions.setting import DEPTHS, Setting
from scenarios.worlds.slurm_fair_partitions.slurm_text import loaded_cluster, sacct_text
from scenarios.worlds.slurm_fair_partitions.tests.quarters import Kind, calm, job, play

CASES = [(depth, seed) for depth in DEPTHS for seed in ("7", "19")]
cases = pytest.mark.parametrize(("depth", "seed"), CASES)
pytestmark = pytest.mark.by_day("seed", ["7"])


def seen(depth: str, seed: str) -> SharedCluster:
    return loaded_cluster(DEFAULT, Setting(depth, 10), seed)


def unfolded(text: str) -> list[str]:
    """The names of a host list."""
    found = re.fullmatch(r"(\w+-)\[(.*)\]", text)
    if not found:
        return [text]
    names = []
    for part in found[2].split(","):
        low, _, high = part.partition("-")
        names += [f"{found[1]}{n:0{len(low)}d}" for n in range(int(low), int(high or low) + 1)]
    return names


def node_states(cluster: SharedCluster) -> dict[str, str]:
    rows = [line.split() for line in sinfo(cluster).splitlines()[1:]]
    assert all(int(row[3]) == len(unfolded(row[5])) for row in rows)
    return {name: row[4] for row in rows for name in unfolded(row[5])}


@cases
@pytest.mark.by_day(but=["usual-7"])
def test_cluster_that_is_shown_is_loaded(depth: str, seed: str) -> None:
    rows = [line.split() for line in squeue(seen(depth, seed)).splitlines()[1:]]
    pending = [row for row in rows if row[4] == "PD"]
    assert sum(row[1] == "inference" for row in pending) >= 2
    assert sum(row[1].startswith("train") for row in pending) >= 4
    assert sum(row[4] == "R" for row in rows) >= 15


@cases
def test_states_of_nodes_agree_with_what_runs_on_them(depth: str, seed: str) -> None:
    cluster = seen(depth, seed)
    states = node_states(cluster)
    held: dict[str, int] = {}
    for line in squeue(cluster).splitlines()[1:]:
        row = line.split()
        if row[4] == "R":
            assert int(row[6]) == len(unfolded(row[7]))
            for name in unfolded(row[7]):
                held[name] = held.get(name, 0) + 1
    assert {name for name, state in states.items() if state in ("mix", "alloc")} == set(held)
    assert sum(state == "resv" for state in states.values()) == 1
    assert len(states) == sum(shape.nodes for shape in cluster.config.partitions)


@cases
def test_every_pending_job_has_a_reason_that_explains_it(depth: str, seed: str) -> None:
    cluster = seen(depth, seed)
    for number, shape in enumerate(cluster.config.partitions):
        rows = [line.split() for line in squeue(cluster).splitlines()[1:]]
        reasons = [row[7] for row in rows if row[4] == "PD" and row[1] == shape.name[:9]]
        # nobody has set a limit, so that there is nothing but room and order in a job's way
        assert reasons[:1] == ["(Resources)"] or not reasons
        assert set(reasons[1:]) <= {"(Priority)"}
        assert cluster.scheduler.next_start(number, cluster.now) is None


@cases
def test_sacct_lists_what_squeue_shows_running(depth: str, seed: str) -> None:
    cluster, setting = seen(depth, seed), Setting(depth, 10)
    rows = [line.split("|") for line in sacct_text(DEFAULT, setting, seed).splitlines()[2:]]
    running = {row[0] for row in rows if row[5] == "RUNNING"}
    shown = [line.split() for line in squeue(cluster).splitlines()[1:]]
    assert running == {row[0] for row in shown if row[4] == "R"}
    assert all((row[5] == "RUNNING") == (row[9] == "Unknown") for row in rows)


def test_tasks_of_an_array_share_an_id_and_those_that_wait_a_row() -> None:
    quarter = calm(
        job(8, 600),
        *(job(1, 300, at=1, kind=Kind.SWEEP, name=f"sweep-1_{n}") for n in range(7)),
        job(1, 60, at=2, kind=Kind.SWEEP, name="sweep-2_0"),
    )
    play(quarter, 1)
    cluster = quarter.world
    rows = [line.split() for line in squeue(cluster).splitlines()[1:]]
    assert [row[0] for row in rows] == [
        "40001_[4-6]",
        "40008_0",
        "40000",
        "40001_0",
        "40001_1",
        "40001_2",
        "40001_3",
    ]
    assert {row[2] for row in rows} == {"sweep-1", "sweep-2", "train-1"}
    waiting = [each for each in cluster.jobs if each.state == State.PENDING]
    assert JobNumbers(cluster).full(waiting[0]) == "40001_4"


def test_numbers_are_folded_as_slurm_folds_them() -> None:
    assert folded([3, 1, 2, 7]) == "1-3,7"
    assert folded([9, 10, 12], 2) == "09-10,12"
