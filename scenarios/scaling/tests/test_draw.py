"""The scene follows from profile, level and seed, and fits every sane profile."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.company.profile.defaults import node_type
from scenarios.company.profile.tables import Facility, Site, Tables
from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.draw import MOST_GPUS, present_usd_month, scene_of
from scenarios.scaling.items import items
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.policies import policies
from scenarios.scaling.scene import Scene

SMALL = Profile(nodes=8, gpus_per_node=4, gpu="A100")
LARGE = Profile(nodes=100)


def two_sites() -> Profile:
    sites = (
        Site("North", "Oslo", 12, 22.0, 200.0),
        Site("South", "Madrid", 10, 22.0, 150.0),
    )
    nodes = (
        replace(node_type("Old", 9, "A100", 8), site="North", purchased="2022-03"),
        replace(node_type("New", 8, "H100", 8), site="South"),
    )
    facility = Facility(14, 12, 10, 8, 30, sites)
    return replace(DEFAULT, nodes=8, given=Tables(node_types=nodes, facility=facility))


def same(one: Scene, other: Scene) -> bool:
    names = [field.name for field in dataclasses.fields(Scene)]
    return all(getattr(one, name) == getattr(other, name) for name in names)


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_gives_the_same_scene(level: str) -> None:
    first = scene_of(DEFAULT, level, 3)
    scene_of.cache_clear()
    again = scene_of(DEFAULT, level, 3)
    assert first is not again
    assert same(first, again)
    assert not same(first, scene_of(DEFAULT, level, 4))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("profile", [DEFAULT, SMALL, LARGE, two_sites()])
def test_every_sane_profile_has_a_year(profile: Profile, level: str) -> None:
    settings = LEVELS[level]
    for seed in range(6):
        scene = scene_of(profile, level, seed)
        assert len(scene.months) == 12
        assert len(scene.places) >= settings.sites
        assert 1 <= len(scene.bottlenecks) <= settings.bottlenecks
        families = [BOTTLENECKS[one.key].family for one in scene.bottlenecks]
        assert len(families) == len(set(families))
        assert set(policies(scene)) == set(settings.policies)
        assert {"node", "leaf", "spine", "rack", "power"} <= {
            one.kind for one in items(scene).values()
        }
        day = sum(one.gpu_hours_day for one in scene.work)
        assert 0 < day < 24 * scene.gpus


def test_the_default_has_as_many_bottlenecks_as_its_level() -> None:
    for level, settings in LEVELS.items():
        kinds = set()
        for seed in range(12):
            found = scene_of(DEFAULT, level, seed).bottlenecks
            assert len(found) == settings.bottlenecks
            assert any(BOTTLENECKS[one.key].hard for one in found)
            assert any(not BOTTLENECKS[one.key].hard for one in found)
            kinds |= {one.key for one in found}
        assert len(kinds) >= 5, "seeds draw different bottlenecks"


@pytest.mark.parametrize("profile", [DEFAULT, SMALL, LARGE, two_sites()])
def test_the_budget_pays_what_stands_there(profile: Profile) -> None:
    scene = scene_of(profile, "mid", 1)
    profile = scene.profile  # of a large company the part that is planned for
    running = 3 * present_usd_month(profile, scene.places)
    assert all(one.opex_usd > running for one in scene.quarters)
    for given, ours in zip(profile.budget.quarters, scene.quarters, strict=True):
        assert ours.capex_usd == given.capex_usd


def test_ports_and_power_add_up() -> None:
    for profile in (DEFAULT, SMALL, LARGE, two_sites()):
        for place in scene_of(profile, "senior", 2).places:
            fabric = place.fabric
            down = sum(count for kind, count in place.nodes if kind.gpus) * fabric.rails
            leaf, spine = (
                fabric.leaf_switches * fabric.switch_ports,
                fabric.spine_switches * fabric.switch_ports,
            )
            assert down + place.uplinks + place.leaf_ports_free <= leaf
            assert place.uplinks + place.spine_ports_free == spine
            drawn = sum(kind.power_kw * count for kind, count in place.nodes)
            assert drawn + place.power_free_kw < place.site.total_kw
            assert 0 <= place.racks_free <= place.site.racks


def test_a_cluster_that_is_too_small_is_told_so_and_a_large_one_is_planned_in_part() -> None:
    few = replace(DEFAULT, nodes=4, gpus_per_node=2)
    with pytest.raises(ValueError, match="at least 16 GPUs; this one has 8"):
        scene_of(few, "mid", 1)
    planned = scene_of(replace(DEFAULT, nodes=2000), "mid", 1).profile.node_types
    assert sum(one.gpus * one.count for one in planned) == MOST_GPUS
    with pytest.raises(ValueError, match="no level expert"):
        scene_of(DEFAULT, "expert", 1)
