"""Which tests may notice a fault: those that reach its function, the nearest and fastest first."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from benchmarks.mutants import Mutant

TESTED = (
    *("graders", "sandbox", "platform/assessments", "platform/reviews"),
    "platform/headnode/tests",
)
NOT_RUN = ("/tests/browser/",)
"""Tests that drive a browser show what a page does, at a price that no fault is worth."""
MOST_TESTS, MOST_S = 80, 40.0
"""Of each fault so many tests are run, and not more than come to so many seconds."""
MOST_FILES = 3
FILE_S = 15.0
"""What a file is taken for that has not been recorded."""
NO_TEST = {"test": "", "s": 0, "passed": False, "new": [], "reached": [], "whole": ""}


@dataclass(frozen=True, slots=True)
class Met:
    """One test: its name, seconds, and the functions that it reaches as `path:function`."""

    test: str
    seconds: float
    reached: frozenset[str]

    @property
    def path(self) -> str:
        return self.test.partition("::")[0]


@dataclass(slots=True)
class Record:
    """What earlier runs wrote: each test by name, and the files that need not be run again."""

    tests: dict[str, Met] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


def test_files(root: Path) -> list[str]:
    """Paths of the test files that may be run."""
    found = (path for part in TESTED for path in (root / part).rglob("test_*.py"))
    names = sorted(f"{path.relative_to(root)}" for path in found)
    return [name for name in names if not any(part in f"/{name}" for part in NOT_RUN)]


def distance(root: Path, test: str, path: str) -> int:
    """How far a test file is from a module: named for it, beside and importing it, to nothing in common."""
    stem = Path(path).stem
    beside = Path(path).parent in Path(test).parents
    imports = _dotted(path) in _imports(root, test)
    if beside and Path(test).stem.removeprefix("test_") == stem:
        return 0
    if imports:
        return 1 if beside else 2
    if beside:
        return 3
    parts = [Path(one).parts[: 2 if one.startswith("platform") else 1] for one in (test, path)]
    return 4 if parts[0] == parts[1] else 5


def _dotted(path: str) -> str:
    return (
        path.removeprefix("platform/")
        .removesuffix(".py")
        .removesuffix("/__init__")
        .replace("/", ".")
    )


@lru_cache(maxsize=2000)
def _imports(root: Path, test: str) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse((root / test).read_text())):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return frozenset(found)


def known(folder: Path, root: Path) -> Record:
    """The record in a folder; a file of tests that has changed since is to be run again."""
    record = Record()
    for file in sorted(folder.glob("*.jsonl")):
        _read(file, record)
    changed = {
        name
        for name in record.files
        if not (root / name).exists() or _mark(folder, name) != _digest(root / name)
    }
    record.files -= changed
    record.tests = {
        name: met
        for name, met in record.tests.items()
        if met.path not in changed and (root / met.path).exists()
    }
    return record


def _marked(folder: Path, name: str) -> Path:
    return folder / f"{name.replace('/', '_')}.sha256"


def _mark(folder: Path, name: str) -> str:
    mark = _marked(folder, name)
    return mark.read_text() if mark.exists() else ""


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(file: Path, record: Record) -> None:
    names: list[str] = []
    for line in file.read_text().splitlines():
        row = json.loads(line)
        names += row["new"]
        if row["passed"]:
            reached = frozenset(names[number] for number in row["reached"])
            record.tests[row["test"]] = Met(row["test"], row["s"], reached)
        else:
            record.tests.pop(row["test"], None)
        if row["whole"]:
            record.files.add(row["whole"])


def record(root: Path, folder: Path, faults: Sequence[Mutant], seconds: float) -> int:
    """Run test files that are not recorded, those nearest to the faults first; how many are left.

    A file that takes longer than the time that is left is recorded as far as it came.
    """
    until = time.monotonic() + seconds
    left = _unrecorded(root, folder, faults)
    while left and time.monotonic() < until - 10:
        batch, left = left[:6], left[6:]
        _record(root, folder, batch, until - time.monotonic())
    return len(_unrecorded(root, folder, faults))


def _unrecorded(root: Path, folder: Path, faults: Sequence[Mutant]) -> list[str]:
    done = known(folder, root).files
    paths = {one.path for one in faults}
    near = {
        test: min((distance(root, test, path) for path in paths), default=9)
        for test in test_files(root)
        if test not in done
    }
    return sorted(near, key=lambda test: (near[test], test))


def _record(root: Path, folder: Path, files: Sequence[str], seconds: float) -> None:
    target = folder / f"{time.time_ns()}.jsonl"
    environment = {**environment_of(root), "HEADNODE_REACHED": f"{target}"}
    command = [*pytest(root), "-p", "benchmarks.reached", *files]
    try:
        subprocess.run(  # noqa: S603 - our own
            command, cwd=root, env=environment, timeout=seconds, capture_output=True, check=False
        )
        whole = list(files)
    except subprocess.TimeoutExpired:
        whole = _begun(target)
    for name in whole:
        _marked(folder, name).write_text(_digest(root / name))
    ended = known(folder, root).files
    with target.open("a") as file:
        for name in whole:
            if name not in ended:
                file.write(json.dumps({**NO_TEST, "whole": name}) + "\n")


def _begun(target: Path) -> list[str]:
    if not target.exists():
        return []
    rows = (json.loads(line) for line in target.read_text().splitlines())
    return list(dict.fromkeys(row["test"].partition("::")[0] for row in rows))


def chosen(fault: Mutant, found: Record, root: Path) -> tuple[list[str], float]:
    """Tests or files to run for a fault, in order, and how many seconds they should take."""
    name = f"{fault.path}:{fault.function}"
    tests = [met for met in found.tests.values() if _reaches(met, name)]
    if not tests:
        files = nearest(fault, root)
        return files, FILE_S * len(files)
    tests.sort(key=lambda met: (distance(root, met.path, fault.path), met.seconds))
    taken = _within(tests)
    return [met.test for met in taken], sum(met.seconds for met in taken)


def nearest(fault: Mutant, root: Path) -> list[str]:
    """Files of tests that name the function or import the module, or else those beside it."""
    name = re.compile(
        rf"\b{re.escape(fault.function.rpartition('.')[2] or Path(fault.path).stem)}\b"
    )
    away = {test: distance(root, test, fault.path) for test in test_files(root)}
    names = {test: bool(name.search((root / test).read_text())) for test in away}
    for near in (
        [test for test in away if away[test] <= 2 or (away[test] <= 4 and names[test])],
        [test for test in away if away[test] <= 3],
        [test for test in away if away[test] <= 4],
    ):
        if near:
            near.sort(key=lambda test: (away[test] > 2, not names[test], away[test], test))
            return near[:MOST_FILES]
    return []


def _reaches(met: Met, name: str) -> bool:
    """At the top of a module and of a class any function of it will do: there is nothing to call."""
    if name in met.reached:
        return True
    return name.endswith(":") and any(one.startswith(name) for one in met.reached)


def _within(tests: Iterable[Met]) -> list[Met]:
    """The near ones and, for some of the time, the fastest of all: a page far away may be what notices."""
    near = list(tests)
    fast = sorted(near, key=lambda met: met.seconds)
    taken: dict[str, Met] = {}
    for order, most_s in ((near, MOST_S * 0.7), (fast, MOST_S)):
        for met in order:
            total = sum(one.seconds for one in taken.values())
            if len(taken) < MOST_TESTS and total + met.seconds <= most_s:
                taken.setdefault(met.test, met)
    found = list(taken.values()) or near[:1]
    return sorted(found, key=lambda met: met.seconds)


def pytest(root: Path) -> list[str]:
    """The command that runs tests, quietly and without a cache."""
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={root}"]


def environment_of(root: Path) -> dict[str, str]:
    """Modules come from the copy and nowhere else."""
    return {**os.environ, "PYTHONPATH": f"{root / 'platform'}:{root}", "HEADNODE_REQUIRE_ALL": ""}
