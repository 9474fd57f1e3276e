"""Plays the goldens of every automation pack over ten seeds: `make calibrate`, or with names of packs."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.commit import commit
from graders.calibration import calibrate, faults
from scenarios.packs import PackNotFound, all_packs, load_pack

FOLDER = Path(__file__).parent / "calibration"


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _one(name: str, commit_now: str) -> list[str]:
    pack = load_pack(name)
    found = json.loads(calibrate(pack, FOLDER, commit_now, _tell).read_text(encoding="utf-8"))
    return [f"{name} {fault}" for fault in faults(pack, found["summary"])]


def main(argv: list[str] | None = None) -> int:
    """0: every bar is met; 1: some are missed, each said in a line; 2: no such pack."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate", description=__doc__)
    parser.add_argument("packs", nargs="*")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args(argv)
    names = args.packs or [pack.name for pack in all_packs() if pack.kind == "automation"]
    try:
        for name in names:
            load_pack(name)
    except PackNotFound as error:
        sys.stderr.write(f"{error}\n")
        return 2
    now = commit()
    with ProcessPoolExecutor(args.processes) as pool:
        missed = [fault for found in pool.map(_one, names, [now] * len(names)) for fault in found]
    for fault in missed:
        _tell(fault)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
