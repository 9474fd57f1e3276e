"""No circle of imports anywhere. Which way layers and rooms import each other is in pyproject.toml."""

from __future__ import annotations

import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from benchmarks.rooms import README, drawing, needed, redrawn, rooms

ROOT = Path(__file__).resolve().parents[3]


def test_no_module_imports_itself_round_about() -> None:
    """Tests, imports inside functions and those for types alone count as well."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())
    graph = grimp.build_graph(*options["tool"]["importlinter"]["root_packages"])
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 1000
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


@pytest.mark.nightly
def test_the_drawing_of_the_rooms_is_current() -> None:
    """`python -m benchmarks.rooms` draws it again."""
    assert drawing() in README.read_text()
    assert redrawn(README.read_text()) == README.read_text()


def test_the_drawing_leaves_out_only_what_other_arrows_imply() -> None:
    every = {"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}
    assert needed(every) == {"a": {"b"}, "b": {"c"}, "c": set()}
    drawn = rooms()
    assert not any(room in drawn[other] for room, others in drawn.items() for other in others)
