"""Whether the tests notice: put small faults, drawn by seed, into a copy of the project, one at a time.

    .venv/bin/python -m benchmarks.mutations draw --seed 1 --count 60
    .venv/bin/python -m benchmarks.mutations record --seconds 200
    .venv/bin/python -m benchmarks.mutations run --seconds 200
    .venv/bin/python -m benchmarks.mutations again --seconds 200
    .venv/bin/python -m benchmarks.mutations try ID path/to/test_file.py::test_name
    .venv/bin/python -m benchmarks.mutations equivalent ID "why nobody can tell it from the original"
    .venv/bin/python -m benchmarks.mutations report

`record` notes once which functions each test reaches, `run` then gives each fault the tests that reach
its function until one fails; `again` does so for what survived before. Each stops after its seconds and
goes on where it was. `try` gives one fault the tests that are
named, which have to pass without it. What is committed is what is copied: the checkout itself is never changed.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from benchmarks.mutants import Mutant, draw, mutants_of
from benchmarks.mutation_tests import chosen, environment_of, known, pytest, record

Json = dict[str, Any]
RESULTS = Path(__file__).with_suffix(".json")
WORK = Path(tempfile.gettempdir()) / "headnode-mutations"
SLOWER = 2
"""A fault whose tests take so many times as long as they did has made something endless."""
START_S, MOST_S, PATIENCE_S = 30.0, 90.0, 300.0
OUTCOMES = ("killed", "timed out", "survived", "equivalent", "gone", "")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--work", type=Path, default=WORK, help="folder of the copy and the record")
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("draw")
    new.add_argument("--seed", type=int, required=True)
    new.add_argument("--count", type=int, default=60)
    new.add_argument("--without", nargs="*", default=[], help="beginnings of paths")
    for name in ("record", "run", "again"):
        commands.add_parser(name).add_argument("--seconds", type=float, default=200)
    tried = commands.add_parser("try")
    tried.add_argument("id")
    tried.add_argument("tests", nargs="+")
    why = commands.add_parser("equivalent")
    why.add_argument("id")
    why.add_argument("why")
    commands.add_parser("report")
    asked = parser.parse_args()
    if asked.command == "equivalent":
        _equivalent(asked.id, asked.why)
    elif asked.command == "report":
        _report()
    else:
        root = _copy(asked.work)
        if asked.command == "draw":
            _draw(root, asked.seed, asked.count, asked.without)
        elif asked.command == "record":
            _record(root, asked.work, asked.seconds)
        elif asked.command == "try":
            _try(root, asked.id, asked.tests)
        else:
            _run(root, asked.work, asked.seconds, again=asked.command == "again")


def _copy(work: Path) -> Path:
    """The committed tree in a folder of its own; what is the same already stays, compiled as it is."""
    root = work / "copy"
    (work / "record").mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(["git", "archive", "HEAD"], capture_output=True, check=True).stdout  # noqa: S607
    there = set()
    with tarfile.open(fileobj=io.BytesIO(packed)) as tree:
        for one in tree:
            path, content = root / one.name, tree.extractfile(one)
            if content is None:
                continue
            there.add(path)
            source = content.read()
            if not path.exists() or path.read_bytes() != source:
                path.parent.mkdir(parents=True, exist_ok=True)
                _put(path, source)
                path.chmod(one.mode)
    for path in root.rglob("*.py"):
        if path not in there:
            path.unlink()
    return root


def _read() -> list[Json]:
    found: list[Json] = json.loads(RESULTS.read_text())["draws"] if RESULTS.exists() else []
    return found


def _write(draws: Sequence[Json]) -> None:
    for one in draws:
        one["figures"] = _figures(one["mutations"])
    text = json.dumps({"draws": list(draws)}, indent=2, ensure_ascii=False)
    RESULTS.write_text(text + "\n")


def _figures(rows: Sequence[Json]) -> Json:
    """How many of which outcome, first and now; the share counts no equivalent ones."""
    count = {name or "undecided": 0 for name in OUTCOMES}
    for row in rows:
        count[row["outcome"] or "undecided"] += 1
    noticed = count["killed"] + count["timed out"]
    counted = noticed + count["survived"]
    first = sum(row["first"] in ("killed", "timed out") for row in rows)
    kept = {name: number for name, number in count.items() if number}
    return {
        **kept,
        "share": round(noticed / counted, 3) if counted else None,
        "share_at_first": round(first / counted, 3) if counted else None,
    }


def _draw(root: Path, seed: int, count: int, without: Sequence[str]) -> None:
    rows = [_row(fault) for fault in draw(root, seed, count, without)]
    drawn = {"seed": seed, "commit": commit(), "without": list(without), "mutations": rows}
    _write([*(one for one in _read() if one["seed"] != seed), drawn])


def _row(fault: Mutant) -> Json:
    return {
        "id": fault.id,
        "where": f"{fault.path}:{fault.line}",
        "function": fault.function,
        "kind": fault.kind,
        "before": fault.before,
        "after": fault.after,
        "outcome": "",
        "first": "",
        "by": "",
        "why": "",
    }


def _fault(root: Path, row: Json) -> Mutant | None:
    """The fault of a row in the tree as it is now; None where its line is there no more."""
    path = row["where"].partition(":")[0]
    if not (root / path).exists():
        return None
    return next((one for one in mutants_of(root, path) if one.id == row["id"]), None)


def _record(root: Path, work: Path, seconds: float) -> None:
    rows = [row for one in _read() for row in one["mutations"]]
    faults = [fault for row in rows if (fault := _fault(root, row))]
    print(record(root, work / "record", faults, seconds), "test files are not recorded")


def _run(root: Path, work: Path, seconds: float, *, again: bool) -> None:
    draws, until = _read(), time.monotonic() + seconds
    found, now = known(work / "record", root), commit()
    for row in (row for one in draws for row in one["mutations"]):
        if row["outcome"] != ("survived" if again else "") or row.get("tried") == (again and now):
            continue
        fault = _fault(root, row)
        if fault is None:
            row["outcome"] = "gone"
            continue
        tests, expected = chosen(fault, found, root)
        if time.monotonic() + expected > until and time.monotonic() > until - seconds + 5:
            continue  # the next piece begins with it
        row["outcome"], row["by"] = _outcome(root, fault, tests, expected)
        row["first"], row["tried"] = row["first"] or row["outcome"], now
        _write(draws)
        print(row["id"], row["outcome"], row["where"], row["by"], flush=True)
        if time.monotonic() > until - 10:
            break
    _write(draws)
    left = sum(not row["outcome"] for one in draws for row in one["mutations"])
    print(left, "are undecided")


def _try(root: Path, given: str, tests: Sequence[str]) -> None:
    draws, now = _read(), commit()
    row = next((row for one in draws for row in one["mutations"] if row["id"] == given), None)
    fault = row and _fault(root, row)
    if row is None or fault is None:
        sys.exit(f"No fault is called {given}, or its line is there no more.")
    sound = _run_tests(root, tests, PATIENCE_S)
    if sound.returncode:
        sys.exit(f"They fail without the fault: {sound.stdout[-800:]}")
    outcome, by = _outcome(root, fault, tests, PATIENCE_S)
    draws = _read()  # another may have been tried in the meantime
    row = next(row for one in draws for row in one["mutations"] if row["id"] == given)
    if outcome == "killed" or not row["outcome"]:
        row["outcome"], row["by"], row["tried"] = outcome, by, now
        row["first"] = row["first"] or outcome
    _write(draws)
    print(given, outcome, row["where"], by)


def _run_tests(root: Path, tests: Sequence[str], most_s: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own
        [*pytest(root), "-x", *tests],
        cwd=root,
        env=environment_of(root),
        timeout=most_s,
        capture_output=True,
        text=True,
        check=False,
    )


def _outcome(root: Path, fault: Mutant, tests: Sequence[str], expected: float) -> tuple[str, str]:
    """(killed, timed out or survived; the test that noticed, or how many did not)."""
    if not tests:
        return "survived", "no test reaches it"
    path = root / fault.path
    source = path.read_bytes()
    try:
        _put(path, fault.applied(source))
        done = _run_tests(root, tests, max(min(START_S + SLOWER * expected, MOST_S), expected))
    except subprocess.TimeoutExpired:
        if any("::" not in test for test in tests):
            return "survived", "its tests have not been recorded, and took too long"
        return "timed out", ""
    finally:
        _put(path, source)
    if done.returncode == 0:
        return "survived", f"{len(tests)} tests or files that reach it"
    if "ERROR: not found" in done.stderr + done.stdout:
        raise SystemExit(f"A test that was recorded is not there: {done.stderr}")
    said = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "killed", said[0][:200] if said else f"pytest ends with {done.returncode}"


def _put(path: Path, source: bytes) -> None:
    """Write a module and forget what was compiled of it: the clock of a file counts whole seconds."""
    path.write_bytes(source)
    for old in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        old.unlink()


def _equivalent(given: str, why: str) -> None:
    draws = _read()
    rows = [row for one in draws for row in one["mutations"] if row["id"] == given]
    if not rows:
        sys.exit(f"No fault has been drawn that is called {given}; report lists them.")
    for row in rows:
        row["outcome"], row["why"] = "equivalent", why
    _write(draws)


def _report() -> None:
    for one in _read():
        print("seed", one["seed"], "at", one["commit"], one["figures"])
        for row in one["mutations"]:
            if row["outcome"] not in ("killed", "timed out"):
                print(" ", row["id"], row["outcome"] or "undecided", row["where"], row["kind"])
                print("     ", " ".join(row["before"].split()), "->", row["after"], row["why"])


if __name__ == "__main__":
    main()
