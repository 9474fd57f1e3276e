"""No circle of imports anywhere. Which way layers and rooms import each other is in pyproject.toml."""

from __future__ import annotations

import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[3]
KNOWN = {
    "scenarios.worlds.cluster_priorities.world",
    "scenarios.worlds.slurm_fair_partitions.cluster",
    "scenarios.worlds.spot_checkpointing.world",
}
"""Worlds whose parts name them as a type; to be taken apart, and none may be added."""


def test_no_module_imports_itself_round_about() -> None:
    """Tests, imports inside functions and those for types alone count as well."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())
    graph = grimp.build_graph(*options["tool"]["importlinter"]["root_packages"])
    imports = {
        module: graph.find_modules_directly_imported_by(module)
        for module in graph.modules
        if module not in KNOWN
    }
    assert len(imports) > 1000
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle
