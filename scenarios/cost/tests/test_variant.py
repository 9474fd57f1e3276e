from __future__ import annotations

import csv
import json
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.cost.catalogue import FINDINGS, levers, traps
from scenarios.cost.draw import NoBill, scene_of
from scenarios.cost.focus_rules import broken, broken_columns, broken_sums
from scenarios.cost.ledger import bill_of
from scenarios.cost.model import model_of
from scenarios.packs import build, load_pack

Built = tuple[Path, dict[str, Any]]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def costs(built: Built) -> list[dict[str, str]]:
    return rows_of(built[0] / "costs/focus.csv")


@pytest.mark.nightly
def test_the_same_seed_writes_the_same_bytes(built: Built, tmp_path: Path) -> None:
    bill_of.cache_clear()
    _, manifest = built
    again = build(load_pack("cost/fleet-bill"), "senior", 3, tmp_path)
    assert again == manifest
    for row in manifest["files"]:
        assert sha256((tmp_path / row["path"]).read_bytes()).hexdigest() == row["sha256"]


@pytest.mark.nightly
def test_cost_rows_keep_the_rules_of_focus(costs: list[dict[str, str]]) -> None:
    assert len(costs) > 20_000
    assert broken_columns(list(costs[0])) == []
    assert {said for row in costs for said in broken(row)} == set()


def test_money_closes_to_the_cent(built: Built, costs: list[dict[str, str]]) -> None:
    folder, manifest = built
    invoices = {
        row["invoice"]: Decimal(row["amount_usd"]) for row in rows_of(folder / "costs/invoices.csv")
    }
    assert broken_sums(costs, invoices) == []
    assert sum(Decimal(row["EffectiveCost"]) for row in costs) == Decimal(
        manifest["bill"]["total_usd"]
    )


def test_amortisation_of_the_year_is_what_the_rows_say(
    built: Built, costs: list[dict[str, str]]
) -> None:
    said = {row["asset"]: row for row in rows_of(built[0] / "costs/assets.csv")}
    found: dict[str, Decimal] = {}
    for row in costs:
        if row["SkuMeter"] == "Amortisation" and row["ChargeCategory"] == "Usage":
            found[row["ResourceId"]] = found.get(row["ResourceId"], Decimal()) + Decimal(
                row["EffectiveCost"]
            )
            assert Decimal(row["BilledCost"]) == 0
    assert found == {
        name: Decimal(row["amortisation_of_the_year_usd"]) for name, row in said.items()
    }


def test_jobs_parse_and_come_to_the_usage(built: Built) -> None:
    jobs = pd.read_csv(built[0] / "usage/sacct.csv", sep="|")
    used = pd.read_csv(built[0] / "usage/usage.csv")
    gpus = jobs["AllocTRES"].str.extract(r"gres/gpu=(\d+)")[0].astype(int)
    keys = [
        jobs["Start"].str[:7],
        jobs["Account"],
        jobs["Comment"],
        jobs["User"],
        jobs["Partition"],
    ]
    mine = (gpus * jobs["ElapsedRaw"] // 360).groupby(keys).sum()
    theirs = (used["gpu_hours"] * 10).round().astype(int)
    theirs.index = pd.MultiIndex.from_frame(used[["month", "team", "project", "user", "partition"]])
    assert mine.to_dict() == theirs.to_dict()


def test_burst_usage_times_price_is_at_most_what_is_billed(
    built: Built, costs: list[dict[str, str]]
) -> None:
    used = pd.read_csv(built[0] / "usage/usage.csv")
    hours = Decimal(str(round(used[used["partition"] == "cloud-burst"]["gpu_hours"].sum(), 1)))
    rows = [row for row in costs if row["SubAccountName"] == "cluster-burst"]
    billed = sum((8 * Decimal(row["ConsumedQuantity"]) for row in rows), Decimal())
    price = {Decimal(row["ListUnitPrice"]) for row in rows}
    assert len(price) == 1
    assert sum(Decimal(row["EffectiveCost"]) for row in rows) == billed / 8 * price.pop()
    assert hours <= billed


def test_the_key_is_told_to_staff_only(built: Built) -> None:
    folder, manifest = built
    key = json.loads((folder.parent / "key.json").read_text(encoding="utf-8"))
    assert 5 <= len(key["levers"]) <= 27
    assert key["achievable_usd"] < key["total_usd"] / 3
    told = json.dumps(manifest) + "".join(
        (folder / row["path"]).read_text(encoding="utf-8")
        for row in manifest["files"]
        if not row["path"].endswith((".parquet", "focus.csv", "sacct.csv"))
    )
    for secret in (
        "od.burst",
        "planted",
        "achievable",
        *(lever.how for lever in model_of(DEFAULT, "senior", 3).savings.values()),
    ):
        assert secret not in told
    assert "od.burst" not in (folder / "costs/focus.csv").read_text(encoding="utf-8")
    assert "seed" not in manifest


@pytest.mark.nightly
def test_levels_and_seeds_differ_and_every_planted_lever_pays() -> None:
    for level, least in (("junior", 8), ("mid", 10)):
        model = model_of(DEFAULT, level, 5)
        assert len(model.bill.scene.planted) == least
        assert model.bill.scene.planted <= {key for key, one in model.savings.items() if one.real}
        assert model.most <= sum(model.savings[key].alone for key in model.best)
        assert all(one.last <= one.alone + 1 for one in model.savings.values())
    assert scene_of(DEFAULT, "junior", 5).planted != scene_of(DEFAULT, "junior", 6).planted


@pytest.mark.nightly
def test_of_levers_on_the_same_hours_one_counts() -> None:
    model = model_of(DEFAULT, "mid", 5)
    both = model.saved(("spot_batch", "internal_preemptible"))
    assert both == max(model.saved(("spot_batch",)), model.saved(("internal_preemptible",)))
    shared = ("idle_reap", "goodput", "cloud_poweroff")
    assert model.saved(shared) <= sum(model.savings[key].alone for key in shared)


def test_another_company_gets_a_bill_of_its_own_and_a_tiny_one_is_refused() -> None:
    small = Profile(cluster="vale", nodes=10, gpus_per_node=4, gpu="A100")
    assert scene_of(small, "mid", 1).gpus == 40
    with pytest.raises(NoBill, match="GPUs"):
        scene_of(Profile(nodes=4, gpus_per_node=2), "mid", 1)


def test_the_catalogue_is_complete() -> None:
    assert [lever.number for lever in levers().values()] == list(range(1, 28))
    assert {trap.finding for trap in traps().values()} <= set(FINDINGS)
    lines = set(model_of(DEFAULT, "mid", 5).bill.cost)
    assert {line for lever in levers().values() for line in (*lever.lines, *lever.seen)} <= lines
    assert {line for trap in traps().values() for line in trap.lines} <= lines
