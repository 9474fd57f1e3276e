"""What the goldens of the cost exercise come to over many seeds."""

from __future__ import annotations

from typing import Any

from graders.cost.makers import MAKERS, write_golden
from graders.kinds import grade
from graders.troubleshooting.calibration import SEEDS, missed, summary
from scenarios.packs import Pack

__all__ = ["SEEDS", "missed", "play", "summary", "unnamed"]
Row = dict[str, Any]


def play(pack: Pack, level: str, seed: int) -> dict[str, Row]:
    """Golden -> its score, measures, findings (kind -> rows) and number of rows."""
    found = {}
    for name in MAKERS:
        report = grade(pack.name, level, seed, write_golden(pack, level, name, seed))
        findings: dict[str, list[str]] = {}
        for row in report.evidence:
            if row["kind"] == "finding":
                findings.setdefault(row["finding"], []).extend(row["opportunities"])
        found[name] = {
            "score": report.score,
            "measures": {one.measure.key: one.value for one in report.measures},
            "findings": {kind: sorted(set(ids)) for kind, ids in sorted(findings.items())},
            "rows": sum(row["kind"] == "opportunity" for row in report.evidence),
        }
    return found


def unnamed(rows: dict[str, Row]) -> list[str]:
    """What the over-claimer's findings miss: every row of it claims too much."""
    one = rows["over_claimer"]
    named = set(one["findings"].get("over_claim", ()))
    return [str(n) for n in range(1, one["rows"] + 1) if str(n) not in named]
