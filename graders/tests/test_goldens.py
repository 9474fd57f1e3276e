from __future__ import annotations

import tomllib
from functools import cache

import pytest

from graders.anchors import anchor_figures
from graders.inprocess import run_trusted
from graders.measures import Measured, measure_days, total
from graders.session import EpisodeSession
from graders.workloads import hidden_workloads
from scenarios.packs import Pack, all_packs, load_pack
from scenarios.profile import DEFAULT

SEEDS = (11, 12)
MARGINS = {
    ("do_nothing", "naive"): 1.0,
    ("naive", "competent"): 0.6,
    ("thrasher", "competent"): 0.3,
    ("spendthrift", "competent"): 0.5,
    ("competent", "expert"): 0.1,
}
"""Least distance of the unclipped means, in the way from the existing script to the reference."""


def goldens(pack: Pack) -> dict[str, dict[str, list[float]]]:
    return tomllib.loads((pack.folder / "goldens" / "goldens.toml").read_text())


CASES = [
    (pack.name, level, name)
    for pack in all_packs()
    for level in pack.levels
    for name, bounds in goldens(pack).items()
    if bounds
]


@cache
def played(pack_name: str, level: str, golden: str, seed: int) -> tuple[Measured, ...]:
    pack = load_pack(pack_name)
    source = (pack.folder / "goldens" / f"{golden}.py").read_text()
    days = hidden_workloads(pack, level, seed)
    anchors = [anchor_figures(pack, day, DEFAULT) for day in days]
    figures = []
    for day in days:
        episode = day.open(DEFAULT)
        run_trusted(source, EpisodeSession(episode))
        figures.append(episode.figures())
    naive, reference = [a for a, _ in anchors], [b for _, b in anchors]
    return tuple(measure_days(pack.measures(level), figures, naive, reference))


def unclipped(pack: str, level: str, golden: str) -> float:
    scores = [m.score for seed in SEEDS for m in played(pack, level, golden, seed)]
    return sum(scores) / len(scores)


def clipped(pack: str, level: str, golden: str) -> float:
    return sum(total(played(pack, level, golden, seed)) or 0.0 for seed in SEEDS) / len(SEEDS)


@pytest.mark.parametrize(("pack", "level", "golden"), CASES)
def test_golden_comes_out_within_its_bounds(pack: str, level: str, golden: str) -> None:
    bounds = goldens(load_pack(pack))[golden]
    low, high = bounds["total"]
    assert low <= clipped(pack, level, golden) <= high
    low, high = bounds["mean"]
    assert low <= unclipped(pack, level, golden) <= high


@pytest.mark.parametrize(
    ("pack", "level"), [(pack.name, level) for pack in all_packs() for level in pack.levels]
)
def test_goldens_are_ordered_with_the_stated_margins(pack: str, level: str) -> None:
    for (worse, better), margin in MARGINS.items():
        distance = unclipped(pack, level, better) - unclipped(pack, level, worse)
        assert distance >= margin, (worse, better, distance)


@pytest.mark.parametrize(
    ("pack", "level"), [(pack.name, level) for pack in all_packs() for level in pack.levels]
)
def test_candidates_of_equal_skill_differ_little_between_seeds(pack: str, level: str) -> None:
    for golden in ("competent", "expert"):
        scores = [total(played(pack, level, golden, seed)) or 0.0 for seed in SEEDS]
        assert max(scores) - min(scores) < 0.08
