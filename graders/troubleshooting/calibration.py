"""What the goldens of a written incident come to over many seeds, and which of the pack's bars they miss."""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graders.kinds import grade
from graders.troubleshooting.makers import MAKERS, write_golden
from scenarios.packs import Pack

SEEDS = tuple(range(101, 131))
"""Thirty seeds that no test uses."""

Row = dict[str, Any]
Rows = Mapping[str, Mapping[str, Row]]
"""Golden -> seed -> {"score", "measures": {key: %}}"""


def play(pack: Pack, level: str, seed: int) -> dict[str, Row]:
    """Golden -> its score and measures on one variant."""
    found = {}
    for name in MAKERS:
        report = grade(pack.name, level, seed, write_golden(pack, level, name, seed))
        measures = {one.measure.key: one.value for one in report.measures}
        found[name] = {"score": report.score, "measures": measures}
    return found


def stated(pack: Pack) -> dict[str, Any]:
    """The pack's goldens.toml: `bounds` and `order`."""
    path = pack.folder / "goldens" / "goldens.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def missed(pack: Pack, seeds: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """One sentence for each bound or distance that a variant misses. `seeds`: seed -> golden -> row."""
    said = []
    table = stated(pack)
    for seed, rows in seeds.items():
        for name, bounds in table["bounds"].items():
            said += [f"seed {seed}: {one}" for one in _outside(name, rows[name], bounds)]
        for pair, least in table["order"].items():
            better, _, worse = pair.partition(" > ")
            above = rows[better]["score"] - rows[worse]["score"]
            if above < least:
                said.append(
                    f"seed {seed}: {better} is {above:.3f} above {worse}; it should be {least}."
                )
    return said


def _outside(name: str, row: Row, bounds: Mapping[str, Sequence[float]]) -> Iterator[str]:
    for key, (low, high) in bounds.items():
        value = row["score"] if key == "score" else row["measures"][key]
        if not low <= value <= high:
            yield f"{name} comes to {value} in {key}; {low} to {high} is stated."


def summary(seeds: Mapping[str, Mapping[str, Row]]) -> dict[str, dict[str, float]]:
    """Golden -> mean, least, most and standard deviation of its scores over the seeds."""
    names = next(iter(seeds.values()), {})
    found = {}
    for name in names:
        scores = [rows[name]["score"] for rows in seeds.values()]
        found[name] = {
            "mean": round(statistics.fmean(scores), 4),
            "least": min(scores),
            "most": max(scores),
            "spread": round(statistics.pstdev(scores), 4),
        }
    return found
