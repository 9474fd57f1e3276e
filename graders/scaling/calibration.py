"""What the goldens of the scaling plan come to over many seeds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graders.kinds import grade
from graders.scaling.makers import MAKERS, write_golden
from graders.troubleshooting.calibration import SEEDS, missed, summary
from scenarios.packs import Pack

__all__ = ["SEEDS", "missed", "play", "summary", "unnamed"]
Row = dict[str, Any]


def play(
    pack: Pack, level: str, seed: int, hidden: int | None = None, names: Iterable[str] = MAKERS
) -> dict[str, Row]:
    """Golden -> its score, measures, scores of them, findings (kind -> rows), and what it claims.

    `hidden` is the number of hidden years, by default all; `names` are the goldens that are played.
    """
    found = {}
    for name in names:
        files = write_golden(pack, level, name, seed)
        report = grade(pack.name, level, seed, files, hidden=hidden)
        findings: dict[str, list[str]] = {}
        for row in report.evidence:
            if row["kind"] == "finding":
                rows = [f"{one['part']}/{one['id']}" for one in row["rows"]]
                findings.setdefault(row["finding"], []).extend(rows)
        found[name] = {
            "score": report.score,
            "measures": {one.measure.key: round(one.value, 4) for one in report.measures},
            "scores": {one.measure.key: round(one.score, 4) for one in report.measures},
            "findings": {kind: sorted(set(rows)) for kind, rows in sorted(findings.items())},
            "claims": [row["name"] for row in report.evidence if row["kind"] == "claim"],
        }
    return found


def unnamed(rows: dict[str, Row]) -> list[str]:
    """What the over-claimer's findings miss: every figure that it claims is too good."""
    one = rows["over_claimer"]
    named = set(one["findings"].get("over_claim", ()))
    return [name for name in one["claims"] if f"claims/{name}" not in named]
