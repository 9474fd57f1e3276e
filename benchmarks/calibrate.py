"""Plays the goldens of packs over many seeds: `make calibrate`, or with names of packs."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.calibration import calibrate, faults
from scenarios.kinds import kind_of
from scenarios.packs import Pack, PackNotFound, all_packs, load_pack

FOLDER = Path(__file__).parent / "calibration"


def written(pack: Pack) -> Any:
    """What plays a pack that is answered in writing over thirty seeds: benchmarks/<kind>_variants.py."""
    return import_module(f"benchmarks.{kind_of(pack.kind).name}_variants")


def is_calibrated_here(pack: Pack) -> bool:
    """Whether its answers are played without a sandbox: in worlds over ten seeds, else as `written` does."""
    return "world" in pack.data or "materials" in pack.data


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _one(name: str, commit_now: str) -> list[str]:
    pack = load_pack(name)
    found = json.loads(calibrate(pack, FOLDER, commit_now, _tell).read_text(encoding="utf-8"))
    return [f"{name} {fault}" for fault in faults(pack, found["summary"])]


def _written(name: str, commit_now: str, processes: int) -> list[str]:
    pack = load_pack(name)
    plays = written(pack)
    path = plays.calibrate(pack, FOLDER, commit_now, _tell, processes)
    found = json.loads(path.read_text(encoding="utf-8"))
    return [f"{name} {fault}" for fault in plays.faults(pack, found)]


def main(argv: list[str] | None = None) -> int:
    """0: every bar is met; 1: some are missed, each said in a line; 2: no such pack."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate", description=__doc__)
    parser.add_argument("packs", nargs="*")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args(argv)
    names = args.packs or [pack.name for pack in all_packs() if is_calibrated_here(pack)]
    try:
        in_worlds = [name for name in names if "world" in load_pack(name).data]
    except PackNotFound as error:
        sys.stderr.write(f"{error}\n")
        return 2
    now = commit()
    with ProcessPoolExecutor(args.processes) as pool:
        played = pool.map(_one, in_worlds, [now] * len(in_worlds))
        missed = [fault for found in played for fault in found]
    for name in names:
        if name not in in_worlds:
            missed += _written(name, now, args.processes)
    for fault in missed:
        _tell(fault)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
