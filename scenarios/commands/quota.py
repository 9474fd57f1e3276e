"""The command `quota`: one case of quotas in, the workloads that must leave out."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scenarios.simulator.kueue.case import read_case


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser("quota", help="say who is evicted for one newcomer")
    parser.add_argument("case", type=Path, metavar="CASE.json", help="tree, admitted, newcomer")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Print the evictions; ValueError or OSError where CASE cannot be used."""
    answer = _read(options.case)
    if options.json:
        sys.stdout.write(json.dumps(answer, indent=2) + "\n")
        return 0
    rows = answer["evicted"]
    text = "".join(f"{row['workload']}\t{row['reason']}\n" for row in rows)
    sys.stdout.write(text or "Nobody is evicted.\n")
    return 0


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return read_case(data).answer()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
