"""The command `fairshare`: a tree of shares and usage in, Slurm's fair-share factors out."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scenarios.simulator.slurm.sshare import ALGORITHMS, read_sheet, rows

SHOWN = ("NormShares", "NormUsage", "EffectvUsage", "FairShare", "LevelFS")


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser("fairshare", help="calculate Slurm's fair-share factors")
    parser.add_argument("tree", type=Path, metavar="TREE", help="what `sshare -alP` prints")
    parser.add_argument("--algorithm", required=True, choices=sorted(ALGORITHMS))
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Print the calculated rows; ValueError where TREE cannot be used."""
    table = rows(read_sheet(options.tree), options.algorithm)
    if options.json:
        sys.stdout.write(json.dumps({"rows": table}, indent=2) + "\n")
        return 0
    sys.stdout.write("|".join(("Account", "User", *SHOWN)) + "\n")
    for row in table:
        cells = [row["Account"], row["User"], *(row[name] for name in SHOWN)]
        sys.stdout.write("|".join(_cell(cell) for cell in cells) + "\n")
    return 0


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    return "" if value is None else str(value)
