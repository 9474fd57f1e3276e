"""What every world says it plays on, held against what it imports; a world on nothing says why."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from scenarios.packs import all_packs
from scenarios.worlds import World

WORLDS = {pack.world.name: pack.world for pack in all_packs() if "world" in pack.data}
FOLDER = Path(__file__).parents[1] / "worlds"
ENGINE = "scenarios.simulator."
NOT_ASKED = {"agenda", "streams"}
"""Time and chance, which decide nothing about jobs and machines."""


def imported(folder: Path) -> Iterator[str]:
    """Modules of the simulator that the world's own modules import, tests left out."""
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(ENGINE):
                yield str(node.module).removeprefix(ENGINE)


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_world_imports_what_it_plays_on(name: str) -> None:
    world: World[object] = WORLDS[name]
    assert set(world.plays_on) <= set(imported(FOLDER / name)) - NOT_ASKED
    assert all(find_spec(ENGINE + module) for module in world.plays_on)


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_readme_of_a_world_names_what_it_plays_on_or_what_the_engine_would_cost(name: str) -> None:
    page = FOLDER / name / "README.md"
    if not WORLDS[name].plays_on:
        assert "engine would cost" in page.read_text()
    elif page.exists():
        assert all(f"`{module}`" in page.read_text() for module in WORLDS[name].plays_on)
