"""Every saving of the key, computed anew from the files that a candidate has and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scenarios.company.profile import DEFAULT
from scenarios.cost.model import model_of
from scenarios.cost.variant import write

LOST = ("FAILED", "OUT_OF_MEMORY", "NODE_FAIL")
CLOSE = 0.05
"""Part by which a figure from rounded tables may differ from the key's."""


class Files:
    """The files of one variant, as somebody with pandas reads them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.costs: Any = pd.read_csv(folder / "costs/focus.csv", low_memory=False)
        self.price: Any = self.table("costs/price-book.csv").set_index("what")["usd"]
        self.od, self.year, self.spot, self.small = (float(one) for one in self.price.iloc[:4])
        self.burst_cost = self.cost("SubAccountName", "cluster-burst")
        jobs: Any = pd.read_csv(folder / "usage/sacct.csv", sep="|")
        jobs["gpus"] = jobs["AllocTRES"].str.extract(r"gres/gpu=(\d+)")[0].astype(int)
        jobs["touched"] = jobs["AdminComment"].str.extract(r"=(\d+)")[0].astype(int)
        jobs["hours"] = jobs["gpus"] * jobs["ElapsedRaw"] / 3600
        away = jobs["Partition"] == "cloud-burst"
        self.own, self.burst_hours = jobs[~away], float(jobs[away]["hours"].sum())

    def table(self, path: str) -> Any:
        return pd.read_csv(self.folder / path)

    def said(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def cost(self, column: str, value: str) -> float:
        return float(self.costs[self.costs[column] == value]["EffectiveCost"].sum())

    def of_datasets(self) -> float:
        tagged = self.costs["Tags"].str.contains('"data"', na=False)
        kept = tagged & (self.costs["ServiceName"] == "Object Storage")
        return float(self.costs[kept]["EffectiveCost"].sum())

    def freed(self, hours: float) -> float:
        return 0.7 * hours / self.burst_hours * self.burst_cost

    def prevented(self) -> float:
        found = re.search(r"\*\*(\d+)%\*\* were no", self.said("policies/governance.md"))
        return int(found[1]) / 100 if found else 1.0

    def room(self) -> float:
        """By how much the cloud's invoices may fall before the least sum of its agreement is due."""
        found = re.search(r"least\s+\*\*([\d,]+) USD\*\*", self.said("contracts/cloud.md"))
        assert found
        bills = self.table("costs/invoices.csv")
        paid = bills[bills["issuer"] == "Nimbus Cloud"]["amount_usd"].sum()
        return float(paid) - float(found[1].replace(",", ""))

    def months_after(self, path: str, pattern: str) -> int:
        found = re.search(pattern + r" \*{0,2}(\d{4})-(\d\d)", self.said(path))
        assert found
        end = pd.Timestamp(self.costs["BillingPeriodEnd"].max())
        return 12 - ((int(found[1]) - end.year) * 12 + int(found[2]) - end.month)


def _jobs(one: Files) -> dict[str, float]:
    own = one.own
    some = own[own["touched"] > 0]
    idle = (some["gpus"] - some["touched"]) * some["ElapsedRaw"] / 3600
    scheduler, quotas = one.table("usage/scheduler.csv"), one.table("usage/quotas.csv")
    return {
        "idle_reap": one.freed(own[own["touched"] == 0]["hours"].sum()),
        "rightsize_requests": one.freed(idle.sum()),
        "goodput": one.prevented() * one.freed(own[own["State"].isin(LOST)]["hours"].sum()),
        "binpack": one.freed(scheduler.iloc[:, 1].sum()),
        "time_limits": one.freed(scheduler.iloc[:, 2].sum()),
        "fair_share": one.freed(quotas.iloc[:, 4].sum()),
        "cloud_poweroff": 0.9 * (one.burst_cost - one.burst_hours * one.od),
    }


def _rented(one: Files) -> dict[str, float]:
    books, ends = one.table("usage/notebooks.csv"), one.table("usage/endpoints.csv")
    hours, tests = one.table("usage/serving-hours.csv"), one.table("usage/evaluation.csv")
    batch, count = one.table("usage/batch.csv"), hours["instances"].to_numpy()
    data = one.costs[one.costs["SubAccountName"] == "data-batch"]
    paid = float(data[data["SkuId"] == "NB-G8-OD"]["EffectiveCost"].sum())
    evals, small = (
        one.cost("SubAccountName", "model-eval"),
        one.cost("SubAccountName", "serving-small"),
    )
    full = 8 * one.od * count.sum()
    busy = np.average(hours["gpu_util_percent"].fillna(0), weights=count)
    best = max(
        np.minimum(level, count).sum() * one.od - level * len(count) * one.year
        for level in range(count.max() + 1)
    )
    return {
        "notebook_ttl": 0.9 * (books["allocated_hours"] - books["active_hours"]).sum() * one.od,
        "mig_share": small * (1 - -(-len(ends) // 2) / len(ends)),
        "gpu_type": evals * tests.iloc[0, 2] / 100 * (1 - one.small / one.od),
        "region_move": evals * (1 - tests.iloc[0, 4] / 100),
        "internal_preemptible": batch.iloc[:, 4].sum() * one.od,
        "spot_batch": paid * batch.iloc[0, 2] / 100 * (1 - one.spot * 1.12 / one.od),
        "commit_base": 8 * float(best),
        "serving_efficiency": float(full * (1 - busy / 72)),
    }


def _agreed(one: Files) -> dict[str, float]:
    lease = one.table("usage/leased-nodes.csv").groupby("node")["allocated_percent"].mean()
    seats, support = one.table("costs/licences.csv").iloc[0], one.table("costs/support.csv").iloc[2]
    seat = one.price["AI software suite, GPU and month"]
    unused = one.cost("CommitmentDiscountStatus", "Unused")
    power = one.table("facility/power-test.csv").iloc[0]
    shown = re.search(r"used (\d+)% less", one.said("policies/governance.md"))
    behind = one.cost("SubAccountName", "research-dev") + one.cost("SubAccountName", "model-eval")
    left = one.months_after
    return {
        "unused_commitment": unused * left("contracts/cloud.md", "It ends on") / 12,
        "return_lease": (lease < 10).sum() * 6200 * left("contracts/leasing.md", "by node, on"),
        "licences": (seats["seats_paid"] - seats["seats_used_in_90_days"])
        * (seat * left("contracts/software.md", "renewal on")),
        "third_party": (support["usd_a_year"] - support["third_party_quote_usd"])
        * (left("contracts/support.md", "renewed on") / 12),
        "power_cap": one.cost("ServiceName", "Electricity")
        * 0.33
        * power["power_saved_percent"]
        / 100,
        "chargeback": (behind + one.of_datasets()) * (int(shown[1]) / 100 if shown else 0),
    }


def _stored(one: Files) -> dict[str, float]:
    age, runs = one.table("storage/objects.csv"), one.table("storage/checkpoints.csv")
    hot, cool, archive = (
        one.price[f"Objects, class {name}, TB and day"] for name in ("hot", "cool", "archive")
    )
    old = age[age["last_access_days_from"] >= 365]["tb"].sum() * (1 - archive / hot)
    older = age[age["last_access_days_from"] == 90]["tb"].sum() * (1 - cool / hot)
    volumes = one.costs[one.costs["ResourceName"].str.startswith("old-", na=False)]
    addresses = one.cost("ServiceName", "Network Addresses")
    kept = (runs["checkpoints"] - runs["needed"]) * runs["tb_each"]
    again = one.table("network/transfer.csv").iloc[:, 2].sum()
    return {
        "tiering": 0.95 * one.of_datasets() / age["tb"].sum() * (old + older),
        "checkpoint_retention": kept.sum() * hot * 365,
        "zombies": 0.95 * (volumes["EffectiveCost"].sum() + addresses),
        "egress_fix": 0.92 * again * one.price["Transfer out, TB"],
    }


@pytest.mark.parametrize(
    ("level", "seed"), [("junior", 7), ("mid", 3), ("senior", 7), ("senior", 13)]
)
@pytest.mark.by_day(ids=["junior-7"])
def test_every_real_saving_follows_from_the_files(level: str, seed: int, tmp_path: Path) -> None:
    write(tmp_path, DEFAULT, level, seed)
    model, files = model_of(DEFAULT, level, seed), Files(tmp_path)
    areas: tuple[Callable[[Files], dict[str, float]], ...] = (_jobs, _rented, _agreed, _stored)
    found = {key: usd for area in areas for key, usd in area(files).items()}
    real = {key: one.alone / 100 for key, one in model.savings.items() if one.real}
    assert len(real) >= 8
    assert {key: found[key] for key in real} == pytest.approx(real, rel=CLOSE)


@pytest.mark.parametrize(("level", "seed"), [("mid", 3), ("senior", 7)])
@pytest.mark.nightly
def test_the_room_above_the_least_sum_follows_from_the_files(
    level: str, seed: int, tmp_path: Path
) -> None:
    write(tmp_path, DEFAULT, level, seed)
    model, files = model_of(DEFAULT, level, seed), Files(tmp_path)
    assert model.room is not None
    assert files.room() == pytest.approx(model.room / 100)
    every = [key for key, one in model.savings.items() if one.real]
    assert len(model.best) >= 6
    assert model.most < sum(model.savings[key].alone for key in every) * 0.8
    for key in model.best:
        others = [one for one in model.best if one != key]
        assert model.most - model.saved(others) > model.savings[key].effort


@pytest.mark.nightly
def test_a_junior_bill_has_no_least_sum(tmp_path: Path) -> None:
    write(tmp_path, DEFAULT, "junior", 7)
    model = model_of(DEFAULT, "junior", 7)
    assert model.room is None
    assert "Least sum" not in (tmp_path / "contracts/cloud.md").read_text(encoding="utf-8")
