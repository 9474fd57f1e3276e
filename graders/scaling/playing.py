"""Plays plans over the hidden years of a variant; what every answer is measured beside is played once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from scenarios.company.profile import Profile
from scenarios.scaling.demand import draw, median
from scenarios.scaling.draw import scene_of
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.plan import Change, Plan, Purchase, Rented, Retired
from scenarios.scaling.reference_plans import naive, reference
from scenarios.scaling.scene import Scene
from scenarios.scaling.year import play

Json = dict[str, Any]
Progress = Callable[[int, int], None]
Moves = tuple[tuple[Purchase, ...], tuple[Rented, ...], tuple[Retired, ...], tuple[Change, ...]]
MOST_DRAWS = 20


@dataclass(frozen=True, slots=True)
class Anchors:
    """Years of the naive and of the reference plan on the hidden draws, in order."""

    naive: Sequence[Json]
    reference: Sequence[Json]


def draws_of(level: str, asked: int | None) -> int:
    """Number of hidden years. Raises ValueError for one out of range."""
    count = LEVELS[level].draws if asked is None else asked
    if not 1 <= count <= MOST_DRAWS:
        raise ValueError(f"The number of hidden years must be from 1 to {MOST_DRAWS}.")
    return count


@lru_cache(maxsize=96)
def _played(profile: Profile, level: str, seed: int, number: int, round: int, moves: Moves) -> Json:
    """A year of the rows that change something; number 0 is the published median."""
    scene = scene_of(profile, level, seed)
    purchases, cloud, retire, changes = moves
    plan = Plan(purchases, cloud, retire, changes)
    return play(scene, plan, draw(scene, number, round) if number else median(scene)).to_dict()


def _year(scene: Scene, plan: Plan, number: int, round: int = 1) -> Json:
    moves = (plan.purchases, plan.cloud, plan.retire, plan.policies)
    return _played(scene.profile, scene.level, scene.seed, number, round, moves)


def play_hidden(
    scene: Scene, plan: Plan, draws: int, progress: Progress | None = None, round: int = 1
) -> list[Json]:
    """The plan's year on each hidden draw of the round, as `Year.to_dict` has it; not to be changed."""
    found = []
    for number in range(1, draws + 1):
        found.append(_year(scene, plan, number, round))
        if progress is not None:
            progress(number, draws)
    return found


def play_median(scene: Scene, plan: Plan) -> Json:
    """The plan's year with the growth that the documents expect; not to be changed."""
    return _year(scene, plan, 0)


@lru_cache(maxsize=16)
def best_plan(profile: Profile, level: str, seed: int) -> Plan:
    """The reference plan of a variant."""
    return reference(scene_of(profile, level, seed))


@lru_cache(maxsize=8)
def anchors_of(profile: Profile, level: str, seed: int, draws: int, round: int = 1) -> Anchors:
    """Naive and reference on the hidden draws of a variant in the round."""
    scene = scene_of(profile, level, seed)
    plans = naive(scene), best_plan(profile, level, seed)
    return Anchors(*(play_hidden(scene, plan, draws, round=round) for plan in plans))


def expected_naive(profile: Profile, level: str, seed: int) -> Json:
    """The naive plan's year on the published median, which candidates see beside their own."""
    scene = scene_of(profile, level, seed)
    return play_median(scene, naive(scene))


def unchanged(profile: Profile, level: str, seed: int) -> Json:
    """The published median with nothing changed."""
    return play_median(scene_of(profile, level, seed), Plan())


def figures(years: Sequence[Json]) -> list[Mapping[str, float]]:
    """The measures of each year."""
    return [year["measures"] for year in years]
