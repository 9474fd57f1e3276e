"""Plays every golden of the GPU pack in the practice variant and says which miss their bounds (minutes)."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from graders.backend import backend_from_environment
from graders.kinds import grade
from sandbox import Backend
from scenarios.packs import Pack, load_pack

PACK = "gpu/low-utilisation"


def expected(pack: Pack) -> dict[str, Any]:
    """The pack's goldens.toml."""
    text = (pack.folder / "goldens" / "goldens.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def play(
    pack: Pack, level: str, names: Sequence[str], seed: int, hidden: int, backend: Backend
) -> dict[str, float | None]:
    """The score of each golden on the variant's first `hidden` trainings, None if not measured."""
    found: dict[str, float | None] = {}
    for name in names:
        files = {pack.entry: pack.golden(level, name)}
        report = grade(pack.name, level, seed, files, backend, hidden)
        if report.status == "infrastructure_error":
            raise RuntimeError(report.detail)
        found[name] = report.score
        sys.stdout.write(f"{level:8} {name:18} {seed:4} {report.score}  {report.detail}\n")
        sys.stdout.flush()
    return found


def faults(pack: Pack, level: str, scores: Mapping[str, float | None]) -> list[str]:
    """What misses its bounds or its place in the order, one sentence each."""
    stated = expected(pack)
    found = []
    for name, score in scores.items():
        bounds = stated["levels"][level][name]
        measured = score is not None and bounds and bounds[0] <= score <= bounds[1]
        if not measured and (bounds or score is not None):
            found.append(f"{level} {name}: {score} is not within {bounds or 'not measured'}.")
    places = [scores[name] or 0.0 for name in stated["order"] if name in scores]
    if places != sorted(places):
        found.append(f"{level}: {', '.join(stated['order'])} are not in this order: {places}.")
    return found


def main() -> int:
    """1 when a golden misses its bounds, 3 when it could not be played."""
    parser = argparse.ArgumentParser(prog="python -m graders.gpu.calibration", description=__doc__)
    parser.add_argument("--levels", nargs="+", default=["junior", "mid", "senior"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[11])
    parser.add_argument("--hidden", type=int, default=3)
    args = parser.parse_args()
    pack, backend, missed = load_pack(PACK), backend_from_environment(), []
    try:
        for level in args.levels:
            for seed in args.seeds:
                names = list(expected(pack)["levels"][level])
                scores = play(pack, level, names, seed, args.hidden, backend)
                missed += faults(pack, level, scores)
    except RuntimeError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    finally:
        backend.close()
    sys.stdout.write("\n".join(missed or ["Every golden is within its bounds."]) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
