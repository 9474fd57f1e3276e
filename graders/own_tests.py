"""Runs the tests that a candidate wrote, in the sandbox, and keeps what they say; never scored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from graders.playing import OURS, sdk_files
from sandbox import Backend, CallRefused, Limits, Spec
from scenarios.worlds.checks import is_one_of, is_text

RUNNER = "headnode_run_own_tests.py"
MOST_RESULTS = 300
OUTPUT_TAIL = 6000
LIMITS = Limits(wall_s=20.0, cpu_s=15.0)
_PROGRAM = """
import sys

import pytest
from headnode_sdk import call


class Teller:
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            call("result", name=report.nodeid[:300], outcome=report.outcome)

    @pytest.fixture
    def local_cluster(self):
        pytest.skip("There is no local simulator here.")


options = ["-p", "no:cacheprovider", "-q", "--no-header", "--tb=short", "--color=no"]
sys.exit(pytest.main([*options, *sys.argv[1:], *{paths!r}], plugins=[Teller()]))
"""
_BY_CHANCE = re.compile(r" in \d+\.\d+s\b|(?<=0x)[0-9a-f]{6,}")
"""Times and addresses in what pytest prints: left out, so that the same tests give the same text."""
_NAME = is_text(300)
_OUTCOME = is_one_of("passed", "failed", "skipped")

Json = dict[str, Any]


class _Results:
    """The judge's end while tests run: takes what each one says of itself."""

    complete = True

    def __init__(self) -> None:
        self.rows: list[Json] = []
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}

    def call(self, method: str, params: dict[str, object]) -> object:
        if method != "result":
            raise CallRefused(
                "invalid", "There is no cluster in a test run: use an object of your own."
            )
        if params.keys() != {"name", "outcome"} or not (
            _NAME(params["name"]) and _OUTCOME(params["outcome"])
        ):
            raise CallRefused("invalid", "result takes name and outcome.")
        self.counts[str(params["outcome"])] += 1
        if len(self.rows) < MOST_RESULTS:
            self.rows.append(dict(params))
        return None


def paths_of_tests(files: Mapping[str, str]) -> list[str]:
    """The files that pytest would take for tests."""
    return sorted(path for path in files if _is_test(PurePosixPath(path)))


def _is_test(path: PurePosixPath) -> bool:
    name = path.name
    return name.endswith("_test.py") or (name.startswith("test_") and name.endswith(".py"))


def own_tests(files: Mapping[str, str], backend: Backend) -> Json:
    """What the candidate's own tests report of themselves, with pytest and nobody's cluster.

    `paths` lists the test files; where there are none nothing runs. `results` has name and
    outcome (passed, failed, skipped) of at most 300, `counts` counts all; `status` is the
    sandbox's, `output` the end of what pytest printed. The outcomes are the program's own
    word. A failure of ours is told in `detail` and keeps nothing from being graded.
    """
    paths = paths_of_tests(files)
    none: Json = {"kind": "tests", "paths": paths, "status": "", "detail": "", "output": ""}
    if not paths:
        return none | {"counts": _Results().counts, "results": []}
    session = _Results()
    program = {RUNNER: _PROGRAM.format(paths=paths)}
    encoded = {path: text.encode("utf-8", "replace") for path, text in {**files, **program}.items()}
    spec = Spec(files=encoded, entry=RUNNER, sdk=sdk_files(), limits=LIMITS)
    outcome = backend.run(spec, session)
    ours = outcome.status in OURS
    found: Json = {
        "status": outcome.status,
        "detail": "The tests could not be run; that is our fault."
        if ours
        else _told(session.counts, outcome.status),
        "output": _BY_CHANCE.sub("", outcome.stdout)[-OUTPUT_TAIL:],
        "counts": session.counts,
        "results": session.rows,
    }
    return none | found


def _told(counts: Mapping[str, int], status: str) -> str:
    said = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
    ended = "" if status in ("ok", "candidate_error") else f" The test run ended as {status}."
    return f"{said[0].upper()}{said[1:]}.{ended}" if said else f"No test reported a result.{ended}"
