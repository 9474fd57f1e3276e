"""What is left to the night is a sample's complement, counted and said; whoever names a test gets it."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headnode.tests.browser.actors import inspection

ROOT = Path(__file__).resolve().parents[3]
TESTS = """
import pytest

@pytest.mark.by_day("level,seed", [("low", 1), ("high", 2)])
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("level", ["low", "high"])
def test_sampled(level, seed): pass

@pytest.mark.by_day(every=2)
@pytest.mark.parametrize("number", range(5))
def test_shared(number): pass

@pytest.mark.by_day(but=["b"])
@pytest.mark.parametrize("name", ["a", "b"])
def test_all_but(name): pass

@pytest.mark.by_day(ids=["a"])
@pytest.mark.parametrize("name", ["a", "b"])
def test_by_id(name): pass

@pytest.mark.nightly
def test_slow(): pass

def test_quick(): pass
"""
ASKING = """
import pytest

@pytest.fixture
def db(): pass

@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_asks(db, name): pass

@pytest.mark.database
@pytest.mark.parametrize("name", ["four", "five"])
def test_by_value(db, name): pass

@pytest.mark.by_day("name", ["seven"])
@pytest.mark.parametrize("name", ["six", "seven"])
def test_sampled(db, name): pass

def test_quick(): pass
"""
KEPT = {"one": ["a", "b"], "seven": ["b"], "plain": [], "six": ["c"]}
"""What some tests ask, as a run on another database kept it."""
SETTINGS = """
[pytest]
addopts = --strict-markers
markers =
    nightly
    by_day
    database
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Tests that stand beside the same conftest as all others."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def said(folder: Path, *arguments: str, **environment: str) -> str:
    """What a run of the tests in the folder prints."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    plain.pop("HEADNODE_NIGHTLY", None)
    command = [sys.executable, "-m", "pytest", "-p", "no:django", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=plain | environment, capture_output=True, text=True
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("processes", ["0", "2"])
@pytest.mark.by_day(but=["2"])
def test_what_is_left_out_is_counted_and_said(folder: Path, processes: str) -> None:
    told = said(folder, "-n", processes)
    assert "Tests left to `make nightly`: 9." in told
    assert re.search(r"= 8 passed, 9 deselected", told)


def test_by_night_nothing_is_left_out(folder: Path) -> None:
    told = said(folder, HEADNODE_NIGHTLY="1")
    assert re.search(r"= 17 passed in", told)
    assert "nightly" not in told


@pytest.mark.nightly
def test_first_case_of_what_asks_the_database_is_repeated(folder: Path) -> None:
    (folder / "test_it.py").write_text(ASKING)
    told = said(folder, "-m", "database", "--collect-only", "-q")
    cases = re.findall(r"::test_\w+\[(\w+)\]", told)
    assert cases == ["one", "four", "five", "seven"]


@pytest.mark.nightly
def test_of_tests_that_ask_the_same_one_is_repeated(folder: Path) -> None:
    """Those that nobody has heard stay, as do those with the mark and those that commit."""
    plain = "\ndef test_plain(db): pass\n"
    commits = "\n@pytest.mark.django_db(transaction=True)\ndef test_commits(): pass\n"
    unheard = "\ndef test_unheard(db): pass\n"
    (folder / "test_it.py").write_text(ASKING + plain + commits + unheard)
    (folder / "pytest.ini").write_text(SETTINGS + "    django_db\n")
    names = {"one": "asks[one]", "seven": "sampled[seven]", "plain": "plain", "six": "commits"}
    rows = [
        {"test": f"test_it.py::test_{names[name]}", "seconds": 1.0, "asked": asked}
        for name, asked in KEPT.items()
    ]
    (folder / "kept").mkdir()
    (folder / "kept/1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = said(
        folder, "-m", "database", "--collect-only", "-q", f"--repeat-statements={folder / 'kept'}"
    )
    assert re.findall(r"::test_(\S+)", told) == [
        "asks[one]", "by_value[four]", "by_value[five]", "commits", "unheard"
    ]  # fmt: skip


def test_colours_of_a_page_are_looked_at_once_by_day_and_each_time_by_night(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    off = {"color-contrast": {"enabled": False}}
    met: set[str] = set()
    monkeypatch.delenv("HEADNODE_NIGHTLY", raising=False)
    told = [inspection(name, met).get("rules") for name in ("bill", "bill-dark", "bill")]
    assert told == [None, None, off]
    assert inspection("home", met, by_day=False).get("rules") == off
    monkeypatch.setenv("HEADNODE_NIGHTLY", "1")
    assert "rules" not in inspection("bill", met)
    assert "rules" not in inspection("home", met, by_day=False)


def test_modules_that_begin_first_are_there() -> None:
    named = re.findall(r'"(graders/.*)",|\{BROWSER\}(/.*)"', (ROOT / "conftest.py").read_text())
    paths = [ROOT / (whole or f"platform/headnode/tests/browser{name}") for whole, name in named]
    assert len(paths) == 7
    assert [path for path in paths if not path.is_file()] == []


@pytest.mark.nightly
def test_whoever_names_a_test_gets_it(folder: Path) -> None:
    assert "= 1 passed in" in said(folder, "test_it.py::test_slow")
    assert "= 6 passed in" in said(folder, "test_it.py::test_sampled")


def test_sample_of_a_case_that_is_gone_is_an_error(folder: Path) -> None:
    (folder / "test_it.py").write_text(TESTS.replace('("high", 2)', '("middle", 2)'))
    told = said(folder)
    assert "test_sampled: no case has level,seed = ('middle', 2), named by day." in told
    assert "passed" not in told


def marks_of(path: Path, name: str) -> str:
    """What stands above a test and over its whole module. Fails where there is no such test."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (test,) = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    wide = [n for n in tree.body if isinstance(n, ast.Assign) and "pytestmark" in ast.unparse(n)]
    return " ".join(map(ast.unparse, (*test.decorator_list, *wide)))


def test_what_noticed_a_fault_that_was_planted_still_runs_by_day() -> None:
    """Whoever leaves one of these to the night tries its mutation again: `python -m benchmarks.mutations`."""
    kept = json.loads((ROOT / "benchmarks/mutations.json").read_text(encoding="utf-8"))
    killed = [one for draw in kept["draws"] for one in draw["mutations"] if one["by"]]
    named = re.compile(r"FAILED (\S+\.py)::(?:\w+::)?(\w+)")
    tests = {found.groups() for one in killed if (found := named.match(one["by"]))}
    assert len(tests) > 50
    left = [
        test for test in tests if re.search("nightly|by_day", marks_of(ROOT / test[0], test[1]))
    ]
    assert left == []
