"""Thirty variants of every level of a pack answered in writing; goes on where it stopped."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.troubleshooting_checks import MISSING
from graders import VERSION
from graders.troubleshooting.calibration import SEEDS, summary
from scenarios.packs import Pack

Row = dict[str, Any]
"""Of one variant: {"goldens": golden -> result, "checks": check -> what it said, "variant": figures}"""
Table = dict[str, dict[str, Row]]
"""level -> seed -> row"""
Case = tuple[str, str, int]
"""(name of the pack, level, seed)"""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How variants of one pack are played. digest: of all that they depend on; short: a row in one line."""

    play: Callable[[Case], Row]
    short: Callable[[Row], str]
    digest: Callable[[], str]
    seeds: Sequence[int] = SEEDS

    def calibrate(
        self, pack: Pack, folder: Path, commit: str, tell: Callable[[str], None], processes: int
    ) -> Path:
        """Bring the pack's file in `folder` up to date and return its path; goes on where it stopped.

        What was kept under another digest is forgotten.
        """
        path = folder / f"{pack.name.replace('/', '-')}.json"
        head = {"digest": self.digest(), "commit": commit}

        def say(name: str, row: Row) -> None:
            tell(f"{name}: {self.short(row)}")

        return _bring_up_to_date(path, pack, head, self.play, self.seeds, say, processes)


def _bring_up_to_date(
    path: Path,
    pack: Pack,
    head: Mapping[str, str],
    play: Callable[[Case], Row],
    seeds: Sequence[int],
    tell: Callable[[str, Row], None],
    processes: int,
) -> Path:
    table = kept(path, head["digest"])
    wanted = [
        (pack.name, level, seed)
        for level in pack.levels
        for seed in seeds
        if str(seed) not in table.setdefault(level, {})
    ]
    with ProcessPoolExecutor(processes) as pool:
        for (_, level, seed), row in zip(wanted, pool.map(play, wanted), strict=True):
            table[level][str(seed)] = row
            write(path, pack, head, table)
            tell(f"{pack.name} {level} {seed}", row)
    write(path, pack, head, table)
    return path


def digest_of(folders: Collection[str], suffixes: Collection[str], but: Collection[str]) -> str:
    """Hash of what graders of written answers share and of the files below the folders with these suffixes.

    `but` are names of files and folders that do not count.
    """
    root, total = Path(__file__).resolve().parents[1], sha256()
    total.update((root / "graders" / "written.py").read_bytes())
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root / folder).parts
            if path.suffix in suffixes and not {"__pycache__", *but} & set(inside):
                total.update(path.relative_to(root).as_posix().encode())
                total.update(path.read_bytes())
    return total.hexdigest()


def kept(path: Path, digest: str) -> Table:
    """What the file holds for that digest."""
    if not path.is_file():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    table: Table = data["table"] if data["digest"] == digest else {}
    return table


def write(path: Path, pack: Pack, head: Mapping[str, str], table: Table) -> None:
    """Write the file: the same table gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    goldens = {
        level: {seed: row["goldens"] for seed, row in rows.items()} for level, rows in table.items()
    }
    data = {
        "pack": pack.name,
        "version": pack.version,
        "digest": head["digest"],
        "grader": VERSION,
        "commit": head["commit"],
        "machine": f"Python {sys.version.split()[0]}",
        "summary": {level: summary(rows) for level, rows in goldens.items()},
        "checks": _counted(table),
        "table": {level: dict(sorted(rows.items())) for level, rows in table.items()},
    }
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def _counted(table: Table) -> dict[str, dict[str, int]]:
    """Check -> what it said and how often; complaints are one."""
    found: dict[str, dict[str, int]] = {}
    for rows in table.values():
        for row in rows.values():
            for name, said in row["checks"].items():
                what = "ok" if said in ("ok", []) else said if said == MISSING else "complains"
                counts = found.setdefault(name, {})
                counts[what] = counts.get(what, 0) + 1
    return found


def complaints(
    pack: Pack,
    data: Mapping[str, Any],
    missed: Callable[[Pack, Mapping[str, Mapping[str, Row]]], list[str]],
    answer: Callable[[Mapping[str, Any]], str],
) -> list[str]:
    """One sentence for each bar of the goldens that the kept result misses, and for variants that are alike."""
    said = []
    for level in pack.levels:
        rows = data["table"].get(level, {})
        if len(rows) < len(SEEDS):
            said.append(f"{level}: {len(rows)} of {len(SEEDS)} variants played.")
        goldens = {seed: row["goldens"] for seed, row in rows.items()}
        said += [f"{level}: {one}" for one in missed(pack, goldens)]
        answers = [answer(row["variant"]) for row in rows.values()]
        if len(set(answers)) < len(answers):
            said.append(f"{level}: two seeds have the same answer.")
    return said


def all_complaints(
    pack: Pack,
    data: Mapping[str, Any],
    missed: Callable[[Pack, Mapping[str, Mapping[str, Row]]], list[str]],
    answer: Callable[[Mapping[str, Any]], str],
) -> list[str]:
    """As `complaints`, and one sentence for each complaint of a variant's checks."""
    return complaints(pack, data, missed, answer) + [
        f"{level} seed {seed}: {name}: {one}"
        for level, rows in data["table"].items()
        for seed, row in rows.items()
        for name, found in row["checks"].items()
        for one in found
    ]


def in_one_line(row: Row) -> str:
    """Every golden's score, and what the checks complain about."""
    scores = " ".join(f"{name} {one['score']:.2f}" for name, one in row["goldens"].items())
    bad = [f"{name}: {one}" for name, said in row["checks"].items() for one in said]
    return f"{scores} {' '.join(bad)}"
