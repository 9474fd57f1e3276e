from __future__ import annotations

from typing import Any

import pytest

from graders.inprocess import sdk
from graders.session import EpisodeSession
from sandbox import CallRefused
from scenarios.company.profile import DEFAULT
from scenarios.worlds import load_world
from scenarios.worlds.slurm_fair_partitions.setting import Setting, open_quarter

WORLD = load_world("slurm_fair_partitions")


@pytest.fixture
def cluster() -> Any:
    quarter = open_quarter(DEFAULT, Setting("deep", 4), "steady", "sdk", faults=False)
    session = EpisodeSession(quarter, WORLD.methods)

    def call(method: str, **params: object) -> object:
        try:
            return session.call(method, params)
        except CallRefused as refusal:
            raise sdk().ApiError(refusal.code, refusal.message) from None

    made = sdk().Cluster(call)
    for _ in range(40):
        made.tick()
    return made


def test_every_read_answers_with_its_named_rows(cluster: Any) -> None:
    job = next(job for job in cluster.jobs() if job.state == "running")
    teams = {team.name: team for team in cluster.teams()}
    assert job.team in teams
    assert job.queue in cluster.partitions()
    assert job.qos in cluster.qos()
    assert job.user in teams[job.team].users
    assert {node.pool for node in cluster.nodes()} == set(cluster.partitions())
    assert {row.account for row in cluster.shares()} >= set(teams)
    assert {row.job for row in cluster.activity()} <= {job.id for job in cluster.jobs()}
    assert [kept.name for kept in cluster.reservations()] == ["workshop"]
    assert {promise.team for promise in cluster.promises()} <= set(teams)
    assert cluster.read_at == cluster.now


def test_quota_tells_what_is_borrowed_and_what_is_left(cluster: Any) -> None:
    for quota in cluster.quotas():
        assert quota.borrowed == max(0, quota.used - quota.nominal)
        assert quota.headroom == max(0, quota.nominal - quota.used)
        assert quota.borrow_limit == -1
    cluster.modify_qos("vision", grp_gpus=20)
    vision = next(quota for quota in cluster.quotas() if quota.queue == "vision")
    assert vision.borrow_limit == 20 - vision.nominal


def test_usage_can_be_added_up_from_runs(cluster: Any) -> None:
    held = sum(
        job.gpus for job in cluster.jobs() if job.state == "running" and job.queue != "inference"
    )
    runs = cluster.accounting(cluster.now - 3600, cluster.now + 1)
    open_runs = [run for run in runs if run.end < 0 and run.partition != "inference"]
    assert sum(run.gpus for run in open_runs) == held
    assert all(run.end < 0 or run.end > cluster.now - 3600 for run in runs)


def test_writes_say_what_they_did(cluster: Any) -> None:
    assert cluster.modify_qos("serve", user_gpus=4, priority=7)["user_gpus"] == 4
    assert cluster.qos()["serve"].priority == 7
    cluster.modify_partition("inference", 4 * 3600, ["serve"])
    assert cluster.partitions()["inference"].allow_qos == ["serve"]
    cluster.delete_reservation("workshop")
    nodes = cluster.reserve("later", "vision", "train-oulu", 1, cluster.now + 300_000, 3600)
    assert len(nodes) == 1
    assert not cluster.submit_template("training", "echo hello").accepted
    cluster.set_shares("vision", 24)
    assert next(row for row in cluster.shares() if row.account == "vision").raw_shares == 24


def test_errors_come_as_their_own_kind(cluster: Any) -> None:
    kinds = sdk()
    with pytest.raises(kinds.NotFound):
        cluster.requeue(99_999)
    with pytest.raises(kinds.Conflict, match="not over"):
        cluster.report(1, [("vision", "train-lund", 1.0)])
    with pytest.raises(kinds.InvalidRequest):
        cluster.modify_qos("vision", colour=3)
    with pytest.raises(kinds.InvalidRequest, match="no call"):
        cluster.scale("spot", 3)
    with pytest.raises(kinds.InvalidRequest, match="two days"):
        cluster.accounting(0, 300_000)
