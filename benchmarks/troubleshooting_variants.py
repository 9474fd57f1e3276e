"""Thirty variants of every level of a written incident: built, checked, and answered by every golden."""

from __future__ import annotations

import json
import resource
import shutil
import tempfile
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.troubleshooting_checks import MISSING, check
from benchmarks.written_variants import Calibration, Case, Row, complaints, digest_of
from graders.troubleshooting.calibration import missed, play
from graders.troubleshooting.truth import truth_of
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, build, load_pack

LARGEST_MB = 60
MOST_OFF = 0.01
_SOURCES = (
    "graders/troubleshooting",
    "scenarios/troubleshooting",
    "scenarios/packs/troubleshooting/slow-training/goldens",
)
_OTHERS = ("tests", "console", "promql", "__pycache__")
"""Folders on which neither a variant nor its grade depends."""


def sources() -> str:
    """Hash of everything on which a variant and its grades depend."""
    return digest_of(_SOURCES, (".py", ".toml", ".json"), _OTHERS)


def _row(case: Case) -> Row:
    name, level, seed = case
    pack, scratch = load_pack(name), Path(tempfile.mkdtemp(prefix="incident-"))
    try:
        started = time.monotonic()
        manifest = build(pack, level, seed, scratch / "variant")
        took = time.monotonic() - started
        checks = check(scratch / "variant", manifest, scratch)
        size = sum(p.stat().st_size for p in (scratch / "variant").rglob("*") if p.is_file())
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return {
        "variant": {**_variant(level, seed), "mb": round(size / 1e6, 1), "build_s": round(took, 2)},
        "checks": checks,
        "goldens": play(pack, level, seed),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _variant(level: str, seed: int) -> dict[str, Any]:
    """Which causes and herrings, how far the parts are from the gap, and a hash of the answer to it."""
    key = truth_of(DEFAULT, level, seed).key
    causes = {cause.key: [cause.places[0], round(cause.hours, 2)] for cause in key.causes}
    gap = sum(cause.hours for cause in key.causes)
    answer = json.dumps([causes, [herring.key for herring in key.herrings]], sort_keys=True)
    return {
        "causes": causes,
        "herrings": [herring.key for herring in key.herrings],
        "hours": key.hours,
        "off": round(abs(gap - key.gap_hours) / key.gap_hours, 5),
        "answer": sha256(answer.encode()).hexdigest()[:16],
    }


def _short(row: Mapping[str, Any]) -> str:
    scores = {name: one["score"] for name, one in row["goldens"].items()}
    bad = [f"{name}: {said}" for name, said in row["checks"].items() if said not in ("ok", MISSING)]
    return f"competent {scores['competent']:.2f} guesser {scores['guesser']:.2f} {' '.join(bad)}"


calibrate = Calibration(_row, _short, sources).calibrate


def faults(pack: Pack, data: Mapping[str, Any]) -> list[str]:
    """One sentence for each bar that the kept result misses. A missing validator is none of them."""
    said = complaints(pack, data, missed, lambda one: str(one["answer"]))
    for level, rows in data["table"].items():
        for seed, row in rows.items():
            said += [f"{level} seed {seed}: {one}" for one in _of_variant(row)]
    return said


def _of_variant(row: Mapping[str, Any]) -> list[str]:
    variant = row["variant"]
    said = [f"{k}: {v}" for k, v in row["checks"].items() if v not in ("ok", MISSING)]
    if variant["mb"] > LARGEST_MB:
        said.append(f"{variant['mb']} MB; at most {LARGEST_MB} are allowed.")
    if variant["off"] > MOST_OFF:
        said.append(f"the causes' hours are {variant['off']:.1%} off the gap.")
    if not 14.0 <= variant["hours"] <= 16.5:
        said.append(f"the job takes {variant['hours']} h.")
    return said
