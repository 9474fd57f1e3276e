"""Plays the goldens of packs over many seeds: `make calibrate`, or with names of packs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import cost_variants, scaling_variants, troubleshooting_variants
from benchmarks.commit import commit
from graders.calibration import calibrate, faults
from scenarios.packs import PackNotFound, all_packs, load_pack

FOLDER = Path(__file__).parent / "calibration"
WRITTEN: Mapping[str, Any] = {
    "troubleshooting": troubleshooting_variants,
    "cost": cost_variants,
    "scaling-plan": scaling_variants,
}
"""Kind of pack that is answered in writing -> what plays it, over thirty seeds."""
KINDS = ("automation", *WRITTEN)
"""Kinds of packs that are calibrated here, automation over ten seeds."""


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _one(name: str, commit_now: str) -> list[str]:
    pack = load_pack(name)
    found = json.loads(calibrate(pack, FOLDER, commit_now, _tell).read_text(encoding="utf-8"))
    return [f"{name} {fault}" for fault in faults(pack, found["summary"])]


def _written(name: str, commit_now: str, processes: int) -> list[str]:
    pack = load_pack(name)
    kind = WRITTEN[pack.kind]
    path = kind.calibrate(pack, FOLDER, commit_now, _tell, processes)
    found = json.loads(path.read_text(encoding="utf-8"))
    return [f"{name} {fault}" for fault in kind.faults(pack, found)]


def main(argv: list[str] | None = None) -> int:
    """0: every bar is met; 1: some are missed, each said in a line; 2: no such pack."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate", description=__doc__)
    parser.add_argument("packs", nargs="*")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args(argv)
    names = args.packs or [pack.name for pack in all_packs() if pack.kind in KINDS]
    try:
        kinds = {name: load_pack(name).kind for name in names}
    except PackNotFound as error:
        sys.stderr.write(f"{error}\n")
        return 2
    now = commit()
    played = [name for name in names if kinds[name] not in WRITTEN]
    with ProcessPoolExecutor(args.processes) as pool:
        missed = [fault for found in pool.map(_one, played, [now] * len(played)) for fault in found]
    for name in names:
        if name not in played:
            missed += _written(name, now, args.processes)
    for fault in missed:
        _tell(fault)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
