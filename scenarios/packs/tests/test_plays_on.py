"""Every pack is asked which part of the simulator decides who runs where, and whether it really does."""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, all_packs
from scenarios.worlds.refusal import Refused

ROOT = Path(__file__).parents[3]
TICKS = 300
NO_QUEUE = {"troubleshooting", "cost", "gpu", "live-slurm"}
"""Kinds of packs without a simulated queue: what happened is told, or a real GPU or a real Slurm runs it."""
TOO_DEAR = {"scaling-plan": "benchmarks/whatif.json"}
"""Kinds that schedule by themselves, and where it is measured what the engine would cost them."""
WITHOUT = {"automation/gpu-idle-alerts"}
"""Packs whose worlds do without, and whose README says what the engine would cost."""

PLAYED = [pack for pack in all_packs() if pack.kind not in NO_QUEUE | set(TOO_DEAR)]


def source(module: str) -> str:
    """The file of a module below scenarios.simulator."""
    found = find_spec(f"scenarios.simulator.{module}")
    assert found is not None, f"There is no scenarios.simulator.{module}."
    assert found.origin, f"There is no file of scenarios.simulator.{module}."
    return found.origin


def send_home(episode: Any, events: list[list[Any]]) -> None:
    """Every job that was submitted goes to the primary cluster, where there is room in its queue."""
    for _, kind, subject in events:
        if kind == "submitted":
            with contextlib.suppress(Refused):
                episode.submit(int(subject), "primary", f"job-{subject}")


def preempt(episode: Any, events: list[list[Any]]) -> None:
    """Whoever has run longest is sent back to the queue now and then."""
    if episode.now % 1_800 == 0 and episode.world.running:
        with contextlib.suppress(Refused):
            episode.preempt(min(episode.world.running))


def start_gangs(episode: Any, events: list[list[Any]]) -> None:
    """Who waits for whole GPUs gets the first that nobody holds."""
    free = [gpu.name for gpu in episode.world.core.fleet.gpus if gpu.whole]
    for number, gang in enumerate(episode.world.training.gangs):
        if len(free) >= gang.spec.gpus:
            with contextlib.suppress(Refused):
                episode.start_gang(number, free[: gang.spec.gpus])


def let_pass(episode: Any, events: list[list[Any]]) -> None:
    """Nobody does anything: time and what happens in it are enough."""


ACTS = {
    "automation/queue-autoscaler": preempt,
    "automation/cloud-bursting": send_home,
    "automation/mig-sharing": start_gangs,
}


def forget() -> None:
    """What tests before this one had worked out would otherwise be known, and nothing of it run."""
    for one in gc.get_objects():
        # Asking a lazy object of Django for its class would evaluate it: isinstance does, type does not.
        if type(one) is functools._lru_cache_wrapper and one.__module__.startswith("scenarios."):
            one.cache_clear()


def files_used_by(pack: Pack, act: Callable[[Any, list[list[Any]]], None]) -> set[str]:
    """Source files of the simulator whose functions run while part of a workload passes."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and "/scenarios/simulator/" in frame.f_code.co_filename:
            seen.add(frame.f_code.co_filename)

    forget()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        episode: Any = pack.world.open(
            DEFAULT, pack.settings("mid"), "failure-heavy", "7", faults=False
        )
        for _ in range(TICKS):
            act(episode, episode.tick()["events"])
    finally:
        sys.setprofile(before)
    return seen


@pytest.mark.parametrize("pack", PLAYED, ids=lambda pack: str(pack.name))
def test_pack_plays_on_the_parts_of_the_simulator_that_its_world_names(pack: Pack) -> None:
    named = pack.world.plays_on
    assert named or pack.name in WITHOUT
    folder = ROOT / "scenarios/worlds" / pack.world.name
    imported = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    for module in named:
        assert Path(source(module)).exists()
        parent, _, last = module.rpartition(".")
        direct = f"from scenarios.simulator.{module} import"
        by_name = f"from scenarios.simulator{'.' if parent else ''}{parent} import {last}"
        assert direct in imported or by_name in imported, module


@pytest.mark.parametrize("pack", PLAYED, ids=lambda pack: str(pack.name))
def test_readme_of_a_world_names_its_parts_or_what_the_engine_would_cost(pack: Pack) -> None:
    page = ROOT / "scenarios/worlds" / pack.world.name / "README.md"
    if pack.name in WITHOUT:
        assert "engine would cost" in page.read_text(encoding="utf-8")
    elif page.exists():
        assert all(
            f"`{module}`" in page.read_text(encoding="utf-8") for module in pack.world.plays_on
        )


@pytest.mark.parametrize("pack", PLAYED, ids=lambda pack: str(pack.name))
@pytest.mark.by_day(ids=["automation/queue-autoscaler", "automation/spot-checkpointing"])
def test_what_is_named_runs_while_a_workload_passes(pack: Pack) -> None:
    used = files_used_by(pack, ACTS.get(pack.name, let_pass))
    assert {source(module) for module in pack.world.plays_on} <= used


def test_kind_that_schedules_by_itself_measures_what_the_engine_would_cost() -> None:
    kinds = {pack.kind for pack in all_packs()}
    assert kinds >= set(TOO_DEAR) | NO_QUEUE
    for path in TOO_DEAR.values():
        sizes = json.loads((ROOT / path).read_text(encoding="utf-8"))
        timed = [row for row in sizes.values() if isinstance(row, dict) and "what_if_cpu_s" in row]
        assert timed
        assert all(row["plain_simulator_cpu_s"]["median"] > 0 for row in timed)
