"""Reads the tree that `sshare -alP` prints, and answers with its calculated columns."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path

from scenarios.simulator.slurm.classic import classic
from scenarios.simulator.slurm.fair_tree import fair_tree
from scenarios.simulator.slurm.shares import Standing, Tree

COLUMNS = ("Account", "User", "RawShares", "RawUsage")
ALGORITHMS = {"classic": classic, "fair-tree": fair_tree}


@dataclass(frozen=True)
class Sheet:
    """The tree of one sheet and the usage of each of its rows, in the sheet's order."""

    tree: Tree
    usage: list[float]


def read_sheet(path: Path) -> Sheet:
    """Read a pipe-separated sheet; ValueError names the line that cannot be understood."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text file in UTF-8.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    if not lines:
        raise ValueError(f"{path}: the file is empty; it should start with sshare's header line.")
    header = [name.strip() for name in lines[0].split("|")]
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise ValueError(f"{path}, line 1: the header has no column {' or '.join(missing)}.")
    reading = _Reading(Sheet(Tree(), []), [])
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        try:
            reading.take(_cells(line, header))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if not reading.sheet.usage:
        raise ValueError(f"{path}: there is no row below the header.")
    return reading.sheet


def _cells(line: str, header: list[str]) -> list[str]:
    cells = line.split("|")
    if len(cells) == len(header) + 1 and not cells[-1]:
        cells.pop()  # sshare -p ends each line with a bar
    if len(cells) != len(header):
        raise ValueError(f"{len(cells)} columns where the header has {len(header)}.")
    return [cells[header.index(name)] for name in COLUMNS]


@dataclass
class _Reading:
    """A sheet being read, and the accounts on the way from the root to the last row."""

    sheet: Sheet
    path: list[int]

    def take(self, cells: list[str]) -> None:
        account, user, shares, usage = cells
        depth = len(account) - len(account.lstrip(" "))
        if not account.strip():
            raise ValueError("the account has no name.")
        if (depth == 0) != (not self.path):
            raise ValueError("only the first row, the root, stands without leading spaces.")
        if depth > len(self.path):
            raise ValueError(f"{depth} leading spaces, but no account stands one level above.")
        parent = self.path[depth - 1] if depth else -1
        own = _shares(shares) if depth else 1
        index = self.sheet.tree.add(account.strip(), user.strip(), parent, own)
        self.sheet.usage.append(_usage(usage))
        if not user.strip():
            self.path[depth:] = [index]


def _shares(text: str) -> int | None:
    if text.strip() == "parent":
        return None
    if not text.strip().isdecimal():
        raise ValueError(f"RawShares is {text!r}; it should be a whole number or 'parent'.")
    return int(text)


def _usage(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not isfinite(value) or value < 0:
        raise ValueError(f"RawUsage is {text!r}; it should be a number of 0 or more.")
    return value


def rows(sheet: Sheet, algorithm: str) -> list[dict[str, object]]:
    """The sheet's rows in its order with the calculated columns, six decimals as sshare prints.

    A column that sshare leaves empty is None; an infinite level value is the text "inf".
    """
    standing = ALGORITHMS[algorithm](sheet.tree, sheet.usage)
    return [_row(sheet, standing, index) for index in range(len(sheet.usage))]


def _row(sheet: Sheet, standing: Standing, index: int) -> dict[str, object]:
    return {
        "Account": sheet.tree.account[index],
        "User": sheet.tree.user[index],
        "NormShares": _shown(standing.norm_shares[index]),
        "NormUsage": _shown(standing.norm_usage[index] if index else None),
        "EffectvUsage": _shown(standing.effective_usage[index]),
        "FairShare": _shown(standing.fair_share[index]),
        "LevelFS": _shown(standing.level_fs[index]),
    }


def _shown(value: float | None) -> float | str | None:
    if value is None:
        return None
    return "inf" if value == inf else round(value, 6)
