"""Thirty variants of every level of the scaling plan: built, checked, and answered by every golden."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from benchmarks.written_variants import (
    Calibration,
    Case,
    Row,
    all_complaints,
    digest_of,
    in_one_line,
)
from graders.scaling.calibration import missed, play, unnamed
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, build, load_pack
from scenarios.scaling.checks import checks
from scenarios.scaling.draw import scene_of
from scenarios.scaling.reference_plans import reference

YEARS = 3
"""Hidden years of a variant here; a grade plays five. The order of the goldens needs no more."""
_SOURCES = (
    "graders/scaling",
    "scenarios/scaling",
    "scenarios/packs/scaling-plan/growth-year/goldens",
)


def sources() -> str:
    """Hash of everything on which a variant and its grades depend."""
    return digest_of(_SOURCES, (".py", ".toml", ".md"), ("tests", "README.md"))


def _row(case: Case) -> Row:
    name, level, seed = case
    pack = load_pack(name)
    with tempfile.TemporaryDirectory(prefix="growth-") as scratch:
        folder, began = Path(scratch) / "variant", time.monotonic()
        build(pack, level, seed, folder)
        took = time.monotonic() - began
        found = _checks(folder)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    goldens = play(pack, level, seed, hidden=YEARS)
    found["over-claimer's rows"] = [f"claim {one} has no finding" for one in unnamed(goldens)]
    scene = scene_of(DEFAULT, level, seed)
    found["reference"] = [
        row.text for row in checks(scene, reference(scene)).rows if row.tone == "bad"
    ]
    variant = {
        "bottlenecks": {one.key: round(one.strength, 3) for one in scene.bottlenecks},
        "events": [f"{one.kind} {one.month} {one.subject}".strip() for one in scene.events],
        "expert": goldens["expert"]["measures"],
        "mb": round(size / 1e6, 1),
        "build_s": round(took, 2),
    }
    return {"variant": variant, "checks": found, "goldens": goldens}


def _checks(folder: Path) -> dict[str, list[str]]:
    """Check -> what it complains about, each complaint once."""
    tables, drawings = [], []
    for path in sorted(folder.rglob("*.csv")):
        name = path.relative_to(folder).as_posix()
        head = path.read_text(encoding="utf-8").partition("\n")[0]
        rows = pd.read_csv(path, sep="|" if "|" in head else ",")
        if rows.empty:
            tables.append(f"{name} has no rows")
        if len(set(head.split("|" if "|" in head else ","))) < len(rows.columns):
            tables.append(f"{name} has two columns of one name")
    for path in sorted(folder.rglob("*.svg")):
        # our own file, written a moment ago
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314
        if not any(one.tag.endswith("title") for one in root.iter()):
            drawings.append(f"{path.relative_to(folder).as_posix()} has no title")
    return {"tables": tables, "drawings": drawings}


calibrate = Calibration(_row, in_one_line, sources).calibrate


def faults(pack: Pack, data: Mapping[str, Any]) -> list[str]:
    """One sentence for each bar that the kept result misses."""
    return all_complaints(pack, data, missed, _answer)


def _answer(variant: Mapping[str, Any]) -> str:
    """What differs where two seeds have different years."""
    return json.dumps([variant["bottlenecks"], variant["expert"]], sort_keys=True)
