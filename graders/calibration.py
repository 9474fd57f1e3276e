"""Plays every golden of a pack over many seeds and keeps what came out; goes on where it stopped."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from graders import VERSION
from graders.goldens import UNMEASURED, expected, golden_names, play_golden, unclipped
from graders.measures import total
from graders.workloads import hidden_workloads
from scenarios.packs import Pack

SEEDS = tuple(range(101, 111))
"""Ten seeds that no test uses."""

Row = dict[str, Any]
Table = dict[str, dict[str, dict[str, Row]]]
"""level -> golden -> seed -> {"total", "mean", "scores"}"""


def calibrate(pack: Pack, folder: Path, commit: str, tell: Callable[[str], None]) -> Path:
    """Bring the pack's file in `folder` up to date and return its path.

    What an earlier call played with the same pack, grader and seeds is kept, so that a
    stopped calibration goes on. The file is written after every golden of a seed.
    """
    path = folder / f"{pack.name.replace('/', '-')}.json"
    table = _kept(path, pack)
    for level in pack.levels:
        for name in golden_names(pack):
            if name == UNMEASURED:
                continue
            for seed in SEEDS:
                rows = table.setdefault(level, {}).setdefault(name, {})
                if str(seed) not in rows:
                    rows[str(seed)] = _row(pack, level, name, seed)
                    _write(path, pack, commit, table)
        tell(f"{pack.name} {level}: {', '.join(_short(table[level]))}")
    _write(path, pack, commit, table)
    return path


def _row(pack: Pack, level: str, name: str, seed: int) -> Row:
    measured = play_golden(pack, level, name, hidden_workloads(pack, level, seed))
    scores = {one.measure.key: round(one.score, 4) for one in measured}
    return {"total": total(measured), "mean": round(unclipped(measured), 4), "scores": scores}


def _kept(path: Path, pack: Pack) -> Table:
    if not path.is_file():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    same = data["digest"] == pack.digest and data["grader"] == VERSION
    table: Table = data["table"] if same else {}
    return table


def _write(path: Path, pack: Pack, commit: str, table: Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {
        "pack": pack.name,
        "version": pack.version,
        "digest": pack.digest,
        "grader": VERSION,
        "commit": commit,
        "summary": {level: summary(rows) for level, rows in table.items()},
        "table": table,
    }
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def summary(rows: Mapping[str, Mapping[str, Row]]) -> dict[str, dict[str, float]]:
    """golden -> mean of the unclipped means, mean and standard deviation of the totals."""
    return {
        name: {
            "mean": round(statistics.fmean(row["mean"] for row in seeds.values()), 4),
            "total": round(statistics.fmean(row["total"] for row in seeds.values()), 4),
            "spread": round(statistics.pstdev(row["total"] for row in seeds.values()), 4),
        }
        for name, seeds in rows.items()
    }


def _short(rows: Mapping[str, Mapping[str, Row]]) -> list[str]:
    found = summary(rows)
    return [f"{name} {row['total']:.2f} (±{row['spread']:.3f})" for name, row in found.items()]


def faults(pack: Pack, found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[str]:
    """One sentence for each of the pack's bars that a calibration's summary misses."""
    stated = expected(pack)
    said = []
    for level in pack.levels:
        rows = found.get(level, {})
        wanted = [name for name in golden_names(pack) if name != UNMEASURED]
        missing = [name for name in wanted if name not in rows]
        if missing:
            said.append(f"{level}: {', '.join(missing)} not played.")
            continue
        said += [
            f"{level}: {one.better} is {rows[one.better]['mean'] - rows[one.worse]['mean']:.3f} above"
            f" {one.worse}; it should be {one.least}."
            for one in stated.margins
            if rows[one.better]["mean"] - rows[one.worse]["mean"] < one.least
        ]
        said += [
            f"{level}: the spread of {name} is {rows[name]['spread']}; at most {most} is allowed."
            for name, most in stated.spread.items()
            if rows[name]["spread"] > most
        ]
        said += [
            f"{level}: {name} comes to {rows[name]['total']}; {low} to {high} is stated."
            for name, bounds in stated.bounds[level].items()
            if bounds is not None
            for low, high in [bounds.total]
            if not low <= rows[name]["total"] <= high
        ]
    return said
