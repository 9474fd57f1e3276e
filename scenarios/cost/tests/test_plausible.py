"""What somebody who knows such bills would stop at."""

from __future__ import annotations

import csv
import re
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.company.profile.tables import NodeType, Tables
from scenarios.cost.agreements import agreed
from scenarios.cost.draw import Scene, scene_of
from scenarios.cost.job import Job
from scenarios.cost.jobs import history_of
from scenarios.cost.ledger import bill_of
from scenarios.cost.model import model_of
from scenarios.cost.own import SUPPORT_YEARS
from scenarios.cost.seasons import season
from scenarios.cost.serving import FULL, LOAD_TEST, late_at
from scenarios.cost.variant import write

SMALL = Profile(cluster="vale", nodes=10, gpus_per_node=4, gpu="A100")
LARGE = Profile(nodes=400)


def own_jobs(scene: Scene) -> list[Job]:
    return [job for job in history_of(scene).jobs if job.partition != "cloud-burst"]


def most_at_once(jobs: list[Job]) -> int:
    changes = [(job.start, job.gpus) for job in jobs] + [(job.end, -job.gpus) for job in jobs]
    return max(accumulate(gpus for _, gpus in sorted(changes)))


@pytest.mark.parametrize(
    ("profile", "level", "seed"), [(DEFAULT, "mid", 7), (DEFAULT, "senior", 3), (SMALL, "mid", 5)]
)
@pytest.mark.by_day(every=2)
def test_no_more_gpus_are_used_at_a_time_than_there_are(
    profile: Profile, level: str, seed: int
) -> None:
    scene = scene_of(profile, level, seed)
    jobs = own_jobs(scene)
    assert most_at_once(jobs) <= scene.gpus
    months = {month.name: month for month in scene.months}
    assert all(job.end.date() <= months[f"{job.start:%Y-%m}"].end for job in jobs)
    assert all(job.submit <= job.start for job in jobs)


def test_burst_jobs_begin_through_the_day_and_end_within_it() -> None:
    jobs = history_of(scene_of(DEFAULT, "mid", 7)).jobs
    burst = [job for job in jobs if job.partition == "cloud-burst"]
    assert len({job.start.hour for job in burst}) > 12
    for job in burst:
        assert job.end <= datetime.combine(job.start, datetime.min.time(), job.start.tzinfo) + (
            pd.Timedelta(days=1)
        )


@pytest.mark.parametrize(("level", "seed"), [("junior", 3), ("mid", 7), ("senior", 3)])
@pytest.mark.by_day(but=["junior-3", "mid-7"])
def test_the_policy_on_bursting_says_what_the_data_show(
    level: str, seed: int, tmp_path: Path
) -> None:
    write(tmp_path, DEFAULT, level, seed)
    said = (tmp_path / "policies/bursting.md").read_text(encoding="utf-8")
    found = re.search(
        r"quietest day jobs used (\d+) hours of its instances, on its fullest (\d+)", said
    )
    assert found
    jobs = pd.read_csv(tmp_path / "usage/sacct.csv", sep="|")
    burst = jobs[jobs["Partition"] == "cloud-burst"]
    teams = pd.read_csv(tmp_path / "usage/usage.csv").query("partition == 'cloud-burst'")["team"]
    assert teams.nunique() == 1
    assert "all of them were of Foundation models" in said
    assert set(teams) == {"foundation-models"}
    hours = (burst["ElapsedRaw"] // 3600).groupby(burst["Start"].str[:10]).sum()
    assert (hours.min(), hours.max()) == (int(found[1]), int(found[2]))


@pytest.mark.nightly
def test_what_the_policies_say_is_done_already_is_no_saving() -> None:
    for level, seed in (("mid", 7), ("junior", 11)):
        model = model_of(DEFAULT, level, seed)
        assert "cloud_poweroff" not in model.bill.scene.planted
        assert not model.savings["cloud_poweroff"].real


@pytest.mark.nightly
def test_what_is_done_already_is_no_saving_however_much_is_left_of_it() -> None:
    large = model_of(LARGE, "mid", 7)
    idle = large.savings["idle_reap"]
    assert "idle_reap" not in large.bill.scene.planted
    assert idle.alone > idle.effort
    assert not idle.real
    assert "idle_reap" not in large.best
    assert idle.how.endswith("done already.")


@pytest.mark.nightly
def test_endpoints_share_as_many_gpus_as_the_rule_says() -> None:
    for seed in range(1, 40):
        scene = scene_of(DEFAULT, "senior", seed)
        if "mig_share" in scene.planted:
            worth = bill_of(DEFAULT, "senior", seed).worths["mig_share"]
            assert worth.parts == {"od.small": 0.5}
            assert "policies/service-levels.md" in worth.shows
            break
    else:
        pytest.fail("no variant with that lever")


@pytest.mark.nightly
def test_serving_is_as_late_as_its_load_test_and_not_the_same_at_every_hour() -> None:
    assert [late_at(util) for util, _ in LOAD_TEST] == [late for _, late in LOAD_TEST]
    assert LOAD_TEST[2][1] < late_at(66) < LOAD_TEST[3][1]
    for level, seed in (("mid", 7), ("senior", 3)):
        model = model_of(DEFAULT, level, seed)
        rows = model.bill.tables["usage/serving-hours.csv"].rows
        busy = [(int(row[2]), int(row[3]), int(row[5])) for row in rows if int(row[2])]
        assert len({util for _, util, _ in busy}) > 2
        assert all(late == late_at(util) and late <= 400 for _, util, late in busy)
        mean = sum(count * util for count, util, _ in busy) / sum(count for count, _, _ in busy)
        less = model.bill.worths["serving_efficiency"].parts["od.serving"]
        assert mean / FULL == pytest.approx(1 - less, abs=0.01)


@pytest.mark.nightly
def test_parts_of_a_month_are_no_use(built: tuple[Path, dict[str, Any]]) -> None:
    costs = pd.read_csv(built[0] / "costs/focus.csv", dtype=str)
    own = costs[costs["ProviderName"] == "Own data centre"]
    assert set(own["ChargeFrequency"]) == {"Recurring"}


@pytest.mark.nightly
def test_an_address_costs_what_a_cloud_asks(built: tuple[Path, dict[str, Any]]) -> None:
    with (built[0] / "costs/focus.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["ServiceName"] == "Network Addresses"]
    assert {(row["PricingUnit"], row["PricingQuantity"]) for row in rows} == {("Days", "1.00")}
    assert all(float(row["BilledCost"]) < 0.5 for row in rows)


def test_jobs_look_as_sacct_prints_them(built: tuple[Path, dict[str, Any]]) -> None:
    jobs = pd.read_csv(built[0] / "usage/sacct.csv", sep="|")
    states = {re.sub(r"(?<=^CANCELLED by )\d+$", "N", state) for state in jobs["State"]}
    assert states <= {
        *("COMPLETED", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT"),
        "CANCELLED by N",
    }
    gone = jobs[jobs["State"].str.startswith("CANCELLED")]
    assert gone.groupby("User")["State"].nunique().max() == 1


@pytest.mark.parametrize(("level", "seed"), [("mid", 1), ("senior", 1)])
@pytest.mark.by_day(but=["senior-1"])
def test_jobs_end_in_shares_that_a_cluster_has(level: str, seed: int) -> None:
    jobs = own_jobs(scene_of(DEFAULT, level, seed))
    share = {
        state: sum(job.state == state for job in jobs) / len(jobs)
        for state in {job.state for job in jobs}
    }
    assert 0.7 < share["COMPLETED"] < 0.85
    for state, low, high in (
        ("CANCELLED", 0.05, 0.15),
        ("FAILED", 0.03, 0.1),
        ("TIMEOUT", 0.02, 0.08),
        ("OUT_OF_MEMORY", 0.005, 0.04),
    ):
        assert low < share[state] < high, state
    assert all(job.minutes == job.limit for job in jobs if job.state == "TIMEOUT")
    assert all(job.minutes <= job.limit for job in jobs)
    soon = [job.minutes for job in jobs if job.state == "OUT_OF_MEMORY"]
    assert max(soon) < 60


def test_gpus_are_used_as_each_kind_of_work_uses_them() -> None:
    jobs = [job for job in own_jobs(scene_of(DEFAULT, "mid", 1)) if job.touched == job.gpus]
    mean = {
        name: sum(job.util * job.gpu_minutes for job in mine) / sum(job.gpu_minutes for job in mine)
        for name in ("pretrain", "finetune", "score", "shell")
        if (mine := [job for job in jobs if job.name.startswith(name)])
    }
    assert list(mean) == ["pretrain", "finetune", "score", "shell"]
    assert list(mean.values()) == sorted(mean.values(), reverse=True)
    assert mean["shell"] < 30 < 75 < mean["pretrain"]


def test_months_differ_and_the_year_grows() -> None:
    for level, seed in (("mid", 1), ("senior", 1), ("mid", 7)):
        scene = scene_of(DEFAULT, level, seed)
        hours = {month.name: 0.0 for month in scene.months}
        for job in own_jobs(scene):
            hours[f"{job.start:%Y-%m}"] += job.gpu_minutes / 60
        rate = [hours[month.name] / month.days for month in scene.months]
        assert max(rate) > 1.15 * min(rate)
        season_of = season(scene)
        assert len({round(part, 3) for part in season_of.values()}) == len(scene.months)
        first, last = rate[:4], rate[-5:-1]
        assert sum(last) > 1.02 * sum(first)


@pytest.mark.nightly
def test_nodes_of_a_job_follow_from_the_company_s_nodes() -> None:
    rows = bill_of(SMALL, "mid", 1).tables["usage/sacct.csv"].rows
    for row in rows:
        gpus, nodes = re.search(r"gpu=(\d+),", str(row[11])), re.search(r"node=(\d+)", str(row[11]))
        assert gpus
        assert nodes
        per = 8 if row[4] == "cloud-burst" else 4
        assert int(nodes[1]) == -(-int(gpus[1]) // per)


@pytest.mark.parametrize(("bought", "months"), [("2025-07", 6), ("2024-07", 12), ("2019-01", 0)])
def test_prepaid_support_runs_from_the_purchase_to_the_end_of_its_term(
    bought: str, months: int
) -> None:
    kind = NodeType("H100 nodes", 20, "H100", 8, purchased=bought)
    scene = scene_of(Profile(given=Tables(node_types=(kind,))), "mid", 7)
    rows = [row for row in agreed(scene).rows if row.line == "sup.nodes"]
    assert len(rows) == months
    assert SUPPORT_YEARS == 5


def test_contracts_say_why_the_commitment_is_not_used_for_other_load(
    built: tuple[Path, dict[str, Any]],
) -> None:
    said = (built[0] / "contracts/cloud.md").read_text(encoding="utf-8")
    assert "no other instances are set against the hours" in said
    assert "any smaller number of hours can be agreed" in said
    assert "`serving-prod`" in said
