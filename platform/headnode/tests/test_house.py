"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ["platform", "scenarios", "graders", "sandbox"]
VAGUE = {"utils", "util", "helpers", "helper", "services", "manager", "managers", "misc", "common"}


def modules() -> list[Path]:
    found = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    return [
        path
        for path in found
        if "migrations" not in path.parts and "node_modules" not in path.parts
    ]


def test_platform_is_a_source_root_and_never_a_package() -> None:
    assert not (ROOT / "platform/__init__.py").exists()


def test_standard_library_platform_is_found_from_the_root() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", "import platform, uuid; print(platform.system())"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == "Linux"


def test_modules_are_named_for_what_they_do() -> None:
    assert [path for path in modules() if path.stem in VAGUE] == []


def test_files_stay_readable() -> None:
    long = [path for path in modules() if len(path.read_text().splitlines()) > 400]
    assert long == []


def test_the_formatter_is_seldom_put_off() -> None:
    put_off = "fmt" + ": skip"
    assert sum(path.read_text().count(put_off) for path in modules()) <= 100


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_stay_readable(package: str) -> None:
    long = []
    for path in (path for path in modules() if path.is_relative_to(ROOT / package)):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > 40:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {lines}")
    assert long == []


PEERS = {"simulator_accasim", "simulator_simpy"}
"""Beside a simulator that is not installed: each says how it is."""


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name", [path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py") if path.stem not in PEERS]
)
def test_a_benchmark_begins_as_it_is_called(name: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", f"import benchmarks.{name}"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
