"""The command `import`: exports of a company's cluster in, its profile out."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from scenarios.company.importer import Export, Exports, Fitted, ImportRefused, fit

FILES = ("sacct", "focus", "inventory")


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "import", help="fit a company profile from exports of its cluster"
    )
    parser.add_argument("--sacct", type=Path, metavar="FILE", help="output of sacct -P")
    parser.add_argument("--focus", type=Path, metavar="FILE", help="FOCUS 1.0 to 1.2 as CSV")
    parser.add_argument("--inventory", type=Path, metavar="FILE", help="inventory as CSV")
    parser.add_argument("--out", type=Path, required=True, metavar="company.toml")
    parser.add_argument("--name", default="halo", help="name of the cluster (default halo)")
    parser.add_argument("--encoding", default="", help="of the exports (default UTF-8)")
    parser.add_argument("--skip-bad", action="store_true", help="leave bad rows out")
    parser.add_argument("--json", action="store_true", help="say what was done as JSON")


def run(options: argparse.Namespace) -> int:
    """Write the profile; 2, and nothing written, where a row or a file is bad."""
    with ExitStack() as stack:
        found: dict[str, Export] = {}
        for kind in FILES:
            if path := getattr(options, kind):
                found[kind] = Export(
                    path.name, stack.enter_context(_opened(path)), options.encoding
                )
        fitted = fit(Exports(**found), name=options.name, skip_bad=options.skip_bad)
    _tell_bad(fitted, skipped=options.skip_bad)
    if fitted.profile is not None:
        _write(options.out, fitted.toml)
    if options.json:
        sys.stdout.write(json.dumps(_as_json(fitted, options.out), indent=2) + "\n")
    elif fitted.profile is not None:
        _tell(fitted, options.out)
    return 2 if fitted.profile is None else 0


def _opened(path: Path) -> Any:
    try:
        return path.open("rb")
    except OSError as error:
        raise ImportRefused(f"{path} cannot be read: {error.strerror}.") from None


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a file of that name is only replaced by a finished one."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=".company", delete=False
    ) as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    os.replace(file.name, path)


def _tell_bad(fitted: Fitted, *, skipped: bool) -> None:
    for row in fitted.bad:
        sys.stderr.write(f"{row}\n")
    more = fitted.bad_count - len(fitted.bad)
    if more:
        sys.stderr.write(f"and {more:,} more bad rows.\n")
    if fitted.bad_count and not skipped:
        sys.stderr.write(
            f"{fitted.bad_count:,} bad rows: nothing was imported. Correct them, or leave them out with "
            "--skip-bad.\n"
        )


def _tell(fitted: Fitted, out: Path) -> None:
    lines = [f"{out} written.", *fitted.sources]
    if fitted.missing:
        lines += ["Not in the exports:", *(f"- {one}" for one in fitted.missing)]
    sys.stderr.write("\n".join(lines) + "\n")


def _as_json(fitted: Fitted, out: Path) -> dict[str, object]:
    return {
        "written": str(out) if fitted.profile is not None else None,
        "bad_rows": [
            {"file": row.file, "line": row.line, "reason": row.reason} for row in fitted.bad
        ],
        "bad_count": fitted.bad_count,
        "missing": fitted.missing,
        "sources": fitted.sources,
    }
