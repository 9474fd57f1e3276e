"""Bottlenecks are seen in the history where they are planted, and not where they are not."""

from __future__ import annotations

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.draw import scene_of
from scenarios.scaling.history import DAYS
from scenarios.scaling.symptoms import symptoms
from scenarios.scaling.traces import history

LARGE = Profile(cluster="ridge", nodes=48)


@pytest.mark.parametrize("level", ["junior", "mid", "senior"])
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.by_day(ids=["1-junior", "3-mid", "4-mid"])
def test_what_is_planted_shows_and_what_is_not_does_not(level: str, seed: int) -> None:
    scene = scene_of(DEFAULT, level, seed)
    there = {one.key for one in scene.bottlenecks}
    found = symptoms(scene, history(scene, DAYS))
    assert set(found) == set(BOTTLENECKS)
    assert {key: one.value for key, one in found.items() if one.shows != (key in there)} == {}


def test_it_shows_in_another_company_too() -> None:
    scene = scene_of(LARGE, "mid", 2)
    there = {one.key for one in scene.bottlenecks}
    found = symptoms(scene, history(scene, DAYS))
    assert {key for key, one in found.items() if one.shows} == there
