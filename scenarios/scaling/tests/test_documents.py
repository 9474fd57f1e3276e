from __future__ import annotations

import json
import re

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling import forecast, site_descriptions
from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.documents import documents
from scenarios.scaling.draw import scene_of
from scenarios.scaling.facts import facts_of
from scenarios.scaling.items import items
from scenarios.scaling.notes import notes
from scenarios.scaling.policies import policies
from scenarios.scaling.reading import parse_object
from scenarios.scaling.tables import slugs
from scenarios.scaling.template import start
from scenarios.scaling.wording import figure, table

LEVELS = ("junior", "mid", "senior")
SMALL = Profile(cluster="vale", nodes=8, gpus_per_node=4, gpu="A100")


def texts_of(level: str, seed: int, profile: Profile = DEFAULT) -> dict[str, str]:
    return {path: text for path, _, text in documents(scene_of(profile, level, seed))}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("profile", [DEFAULT, SMALL], ids=["default", "small"])
def test_documents_are_filled_and_their_tables_are_square(level: str, profile: Profile) -> None:
    for path, text in texts_of(level, 2, profile).items():
        assert text.startswith("# "), path
        assert "{" not in text.replace("{{", "{"), path
        for block in re.findall(r"(?:^\|.*\n?)+", text, flags=re.M):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in block.strip().split("\n")}
            assert len(widths) == 1, (path, block)


def test_only_juniors_get_a_way_in() -> None:
    assert "documents/reading.md" in texts_of("junior", 1)
    for level in ("mid", "senior"):
        assert "documents/reading.md" not in texts_of(level, 1)


@pytest.mark.parametrize("level", ["mid", "senior"])
@pytest.mark.parametrize("seed", range(1, 9))
def test_no_document_names_what_holds_work_up(level: str, seed: int) -> None:
    told = " ".join(texts_of(level, seed).values()).lower()
    assert "bottleneck" not in told
    assert "refuted" not in told
    assert "supported:" not in told
    for kind in BOTTLENECKS.values():
        assert kind.title.lower() not in told
        assert "_" not in kind.key or kind.key not in told


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(1, 9))
def test_notes_are_right_about_what_is_there_and_wrong_about_what_is_not(
    level: str, seed: int
) -> None:
    scene = scene_of(DEFAULT, level, seed)
    there = {one.key for one in scene.bottlenecks}
    found = notes(scene)
    kinds = [one.kind for one in found]
    assert kinds.count("right") >= 1
    assert kinds.count("wrong") >= 2
    for note in found:
        assert (note.about in there) == (note.kind != "wrong")
        assert note.why.startswith("Supported") == (note.kind == "right")
    about = [one.about for one in found if one.about]
    assert len(about) == len(set(about))
    assert found == notes(scene)


def test_sites_say_the_same_as_their_tables() -> None:
    scene = scene_of(DEFAULT, "senior", 3)
    told = site_descriptions.described(scene)
    limits = {
        (row[0], row[1]): row[2:]
        for table in forecast.tables(scene)
        if table.path == forecast.LIMITS
        for row in table.rows
    }
    for place in scene.places:
        limit, free = limits[place.site.name, "ports of leaves"]
        assert limit == place.fabric.leaf_switches * place.fabric.switch_ports
        assert free == place.leaf_ports_free
        assert f"| leaves | {place.fabric.leaf_switches} | {limit:,} |" in told
        assert limits[place.site.name, "kW for all IT equipment"][1] == place.power_free_kw
        assert f"| free | {place.racks_free} | {figure(round(place.power_free_kw, 1))} |" in told


@pytest.mark.parametrize("level", LEVELS)
def test_growth_begins_at_the_present_demand_and_its_band_opens(level: str) -> None:
    scene = scene_of(DEFAULT, level, 5)
    grown = next(one for one in forecast.tables(scene) if one.path == forecast.GROWTH)
    assert len(grown.rows) == 12 * len(scene.work)
    width: dict[object, list[float]] = {}
    for month, name, low, middle, high in grown.rows:
        assert float(low) <= float(middle) <= float(high)
        width.setdefault(name, []).append(float(high) - float(low))
        if month == scene.months[0].name:
            now = next(work.gpu_hours_day for work in scene.work if work.job_class == name)
            assert float(middle) == pytest.approx(now, rel=0.06)
    assert all(one[-1] > 2 * one[0] for one in width.values())


def test_what_is_announced_is_in_the_median() -> None:
    scene = scene_of(DEFAULT, "junior", 5)
    launch = next(one for one in scene.events if one.kind == "launch")
    work = next(one for one in scene.work if one.job_class == launch.subject)
    before, after = (forecast.expected(scene, work, launch.month + at) for at in (-1, 0))
    assert after / before == pytest.approx(launch.factor * (1 + work.monthly), rel=0.01)
    assert (
        f"**{scene.months[launch.month].start:%B %Y}**"
        in texts_of("junior", 5)["documents/business.md"]
    )


@pytest.mark.parametrize("level", LEVELS)
def test_tables_have_no_cell_that_a_simple_reader_would_split(level: str) -> None:
    for one in forecast.tables(scene_of(DEFAULT, level, 1)):
        for line in one.text().splitlines():
            assert line.count(",") == len(one.head) - 1, line


@pytest.mark.parametrize("level", LEVELS)
def test_facts_say_what_can_be_bought_and_changed_and_nothing_more(level: str) -> None:
    scene = scene_of(DEFAULT, level, 1)
    told = facts_of(scene)
    assert [one["item"] for one in told["items"]] == list(items(scene))
    assert [one["policy"] for one in told["policies"]] == list(policies(scene))
    assert len(told["months"]) == 12
    assert {one["site"] for one in told["node_types"]} == {one["name"] for one in told["sites"]}
    secret = ("bottlenecks", "seed", "spread", "strength", "quota", "factor", "io", "net")
    assert not [one for one in secret if f'"{one}":' in json.dumps(told)]


@pytest.mark.parametrize(
    ("level", "phases", "risks"), [("junior", 6, 5), ("mid", 6, 0), ("senior", 0, 0)]
)
def test_a_plan_begins_with_what_the_level_gives(level: str, phases: int, risks: int) -> None:
    plan = start(level)
    assert len(plan["phases"]) == phases  # type: ignore[arg-type]
    assert len(plan["risks"]) == risks  # type: ignore[arg-type]
    ids = [row["id"] for row in plan["phases"]]  # type: ignore[attr-defined]
    assert all(one in ids for row in plan["phases"] for one in row["depends"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("level", LEVELS)
def test_the_plan_to_begin_with_can_be_read_as_a_plan(level: str) -> None:
    plan = parse_object(start(level))
    assert plan.purchases == ()


def test_names_become_columns_and_tables_keep_bars() -> None:
    names = {"Site A": "site_a", "site-a": "site_a_2", "***": "unnamed"}
    assert slugs(list(names)) == names
    assert table(("a|b",), [("c",)]) == "| a\\|b |\n| --- |\n| c |"
    said: dict[PolicyValue, str] = {True: "yes", 1240: "1,240", 3.45: "3.45", 2.0: "2", "EU": "EU"}
    assert {one: figure(one) for one in said} == said
