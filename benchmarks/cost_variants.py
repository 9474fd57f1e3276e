"""Thirty variants of every level of the cost exercise: built, checked, and answered by every golden."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import time
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.written_variants import (
    Calibration,
    Case,
    Row,
    all_complaints,
    digest_of,
    in_one_line,
)
from graders.cost.calibration import missed, play, unnamed
from scenarios.company.profile import DEFAULT
from scenarios.cost.focus_rules import broken, broken_columns, broken_sums
from scenarios.cost.model import model_of
from scenarios.packs import Pack, build, load_pack

_SOURCES = ("graders/cost", "scenarios/cost", "scenarios/packs/cost/fleet-bill/goldens")


def sources() -> str:
    """Hash of everything on which a variant and its grades depend."""
    return digest_of(_SOURCES, (".py", ".toml", ".md"), ("tests", "README.md"))


def _row(case: Case) -> Row:
    name, level, seed = case
    pack = load_pack(name)
    with tempfile.TemporaryDirectory(prefix="bill-") as scratch:
        folder, began = Path(scratch) / "variant", time.monotonic()
        manifest = build(pack, level, seed, folder)
        took = time.monotonic() - began
        checks = _checks(folder, manifest)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    goldens = play(pack, level, seed)
    checks["over-claimer's rows"] = [f"row {one} has no finding" for one in unnamed(goldens)]
    variant = {**_variant(level, seed), "mb": round(size / 1e6, 1), "build_s": round(took, 2)}
    return {"variant": variant, "checks": checks, "goldens": goldens}


def _checks(folder: Path, manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """Check -> what it complains about, each complaint once."""
    rows = _rows(folder / "costs/focus.csv")
    invoices = {
        row["invoice"]: Decimal(row["amount_usd"]) for row in _rows(folder / "costs/invoices.csv")
    }
    total = sum((Decimal(row["EffectiveCost"]) for row in rows), Decimal())
    stated = Decimal(manifest["bill"]["total_usd"])
    return {
        "FOCUS columns": broken_columns(list(rows[0])),
        "FOCUS rows": sorted({one for row in rows for one in broken(row)}),
        "sums": broken_sums(rows, invoices),
        "total": [] if total == stated else [f"rows come to {total}, the manifest says {stated}"],
        "sacct": _sacct(folder),
    }


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def _sacct(folder: Path) -> list[str]:
    """The jobs as pandas reads them, against the usage by team, project and user."""
    jobs = pd.read_csv(folder / "usage/sacct.csv", sep="|")
    used = pd.read_csv(folder / "usage/usage.csv")
    gpus = jobs["AllocTRES"].str.extract(r"gres/gpu=(\d+)")[0].astype(int)
    tenths = int((gpus * jobs["ElapsedRaw"]).sum()) // 360
    said = round(float(used["gpu_hours"].sum()) * 10)
    times = [pd.to_datetime(jobs[name]) for name in ("Submit", "Start", "End")]
    complaints = (
        [] if tenths == said else [f"jobs come to {tenths} tenths of GPU-hours, usage to {said}"]
    )
    if not ((times[0] <= times[1]) & (times[1] <= times[2])).all():
        complaints.append("a job starts before it was submitted or ends before it starts")
    if jobs["JobID"].duplicated().any():
        complaints.append("two jobs have one number")
    return complaints


def _variant(level: str, seed: int) -> dict[str, Any]:
    model = model_of(DEFAULT, level, seed)
    return {
        "best": {key: round(model.savings[key].alone / 100) for key in model.best},
        "baits": list(model.bill.scene.baits),
        "total_usd": round(model.bill.total / 100),
        "achievable_usd": round(model.most / 100),
        "rows": len(model.bill.rows),
    }


calibrate = Calibration(_row, in_one_line, sources).calibrate


def faults(pack: Pack, data: Mapping[str, Any]) -> list[str]:
    """One sentence for each bar that the kept result misses."""
    return all_complaints(pack, data, missed, lambda one: json.dumps(one["best"], sort_keys=True))
