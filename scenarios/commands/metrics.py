"""The command `metrics`: a stretch of a built variant's history as OpenMetrics, for promtool or Prometheus."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.exposition import openmetrics

_MANIFEST = "manifest.json"


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser("metrics", help="export a variant's metrics as OpenMetrics")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a variant that `build` wrote")
    parser.add_argument("--metric", required=True, nargs="+", metavar="NAME")
    parser.add_argument(
        "--label", nargs="+", default=[], metavar="NAME=VALUE", help="series with these only"
    )
    for name in ("from", "to"):
        parser.add_argument(
            f"--{name}",
            dest=f"{name}_",
            metavar="TIME",
            help="ISO 8601; without an offset the site's own time (default: the slow run's)",
        )
    parser.add_argument("--baseline", action="store_true", help="from the run to compare with")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="usually FILE.om")


def run(options: argparse.Namespace) -> int:
    """Write FILE; ValueError or OSError for a folder, metric, label or time that cannot be used."""
    facts = _facts(options.folder)
    which = "baseline" if options.baseline else "history"
    columns = Columns.open(options.folder / "metrics" / f"{which}.hncol")
    span = facts["baseline" if options.baseline else "run"]
    first = _instant(options.from_, span["from_ms"], facts["offset_min"])
    last = _instant(options.to_, span["to_ms"], facts["offset_min"])
    if first > last:
        raise ValueError("--from is later than --to.")
    lines = openmetrics(
        columns, _known(columns, options.metric), first, last, _labels(options.label)
    )
    count = 0
    with options.out.open("w", encoding="utf-8", newline="\n") as out:
        for line in lines:
            count += not line.startswith("#")
            out.write(line)
    sys.stderr.write(f"{count} samples written to {options.out}\n")
    return 0


def _facts(folder: Path) -> Mapping[str, Any]:
    try:
        found = json.loads((folder / _MANIFEST).read_bytes())["incident"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(
            f"{folder} holds no variant with metrics: `build troubleshooting/slow-training` writes one."
        ) from None
    return dict(found)


def _known(columns: Columns, names: list[str]) -> list[str]:
    for name in names:
        if name not in columns.metrics:
            near = [known for known in columns.metrics if name.lower() in known.lower()][:4]
            hint = f" Perhaps {', '.join(near)}." if near else ""
            raise ValueError(f"There is no metric {name[:80]}.{hint}")
    return names


def _labels(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    for one, (name, sign, _) in zip(given, pairs, strict=True):
        if not (name and sign):
            raise ValueError(f"--label {one[:80]} is not NAME=VALUE.")
    return {name: value.strip('"') for name, _, value in pairs}


def _instant(text: str | None, otherwise: int, offset_min: int) -> int:
    """ms since 1970, UTC, of a time as people write it."""
    if text is None:
        return otherwise
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{text[:40]} is not a time: write 2026-10-12T15:02 or with an offset."
        ) from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=timezone(timedelta(minutes=offset_min)))
    return round(found.astimezone(UTC).timestamp() * 1_000)
