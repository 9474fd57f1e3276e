"""What the texts say of the history, of prices and of other sites holds in the data."""

from __future__ import annotations

import re
import tomllib

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.scaling import forecast
from scenarios.scaling.diagrams import topology
from scenarios.scaling.documents import colleagues, documents
from scenarios.scaling.draw import scene_of
from scenarios.scaling.history import DAYS
from scenarios.scaling.notes import notes
from scenarios.scaling.speeds import speed
from scenarios.scaling.symptoms import symptoms
from scenarios.scaling.traces import history

LEVELS = ("junior", "mid", "senior")
PACK = load_pack("scaling-plan/growth-year")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(1, 9))
def test_notes_are_filled_for_staff_as_for_candidates(level: str, seed: int) -> None:
    scene = scene_of(DEFAULT, level, seed)
    told = {path: text for path, _, text in documents(scene)}["documents/notes.md"]
    for one in colleagues(scene):
        assert "{" not in one.text + one.why
        assert one.text in told


@pytest.mark.nightly
def test_no_brief_says_that_the_cluster_is_full_where_the_history_has_free_gpus() -> None:
    """In no variant is it: on a usual working day a third of the GPUs stands free."""
    for level in LEVELS:
        traces = history(scene_of(DEFAULT, level, 3), DAYS)
        held = [sum(hour) for hour in zip(*traces.running.values(), strict=True)]
        assert sum(held) / len(held) < 0.8 * scene_of(DEFAULT, level, 3).gpus
        brief = (PACK.folder / level / "brief.md").read_text(encoding="utf-8")
        assert "full on" not in brief
    words = tomllib.loads((PACK.folder / "goldens/words.toml").read_text(encoding="utf-8"))
    assert "full" not in words["solid"]["current"]


@pytest.mark.parametrize("seed", [1, 4, 5, 6])
@pytest.mark.by_day(but=["6"])
def test_the_key_does_not_deny_uplinks_that_are_full_at_the_second_site(seed: int) -> None:
    scene = scene_of(DEFAULT, "senior", seed)
    traces = history(scene, DAYS)
    second = scene.places[1].site.name
    full = 100 * sum(load > 1 for load in traces.spine[second]) / traces.hours
    said = symptoms(scene, traces)["spine"].said
    assert f"those of {second} in {full:.0f} %" in said
    assert ("who names them is right" in said) == (full >= 4)
    assert all(one.who != "Network engineer" for one in notes(scene))


def test_uplinks_of_one_site_are_said_as_before() -> None:
    scene = scene_of(DEFAULT, "mid", 7)
    said = symptoms(scene, history(scene, DAYS))["spine"].said
    assert said.endswith("% of the hours")


@pytest.mark.parametrize("level", LEVELS)
def test_parts_and_sums_of_a_table_agree(level: str) -> None:
    for seed in range(1, 9):
        scene = scene_of(DEFAULT, level, seed)
        told = {path: text for path, _, text in documents(scene)}
        for part, gpus in re.findall(
            r"\| ([\d.]+) % \((\d+) GPUs\)", told["documents/policies.md"]
        ):
            assert float(part) * scene.gpus / 100 == pytest.approx(int(gpus), abs=0.6)
        for offer in scene.offers:
            row = next(
                line
                for line in told["documents/buying.md"].splitlines()
                if f"| {offer.name} |" in line
            )
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            price, each = (float(re.sub(r"[^\d]", "", cells[at])) for at in (3, 4))
            assert float(cells[2]) == speed(offer.gpu, scene.profile.gpu)
            assert price / (offer.gpus * float(cells[2])) == pytest.approx(each, abs=1)
        assert f"Prices are of {scene.months[0].start:%B %Y};" in told["documents/buying.md"]


def test_racks_free_are_never_more_than_there_is_floor_for_and_never_less_than_stand() -> None:
    scene = scene_of(DEFAULT, "senior", 3)
    rows = next(one.rows for one in forecast.tables(scene) if one.path == forecast.LIMITS)
    found = {(row[0], row[1]): row[2:] for row in rows}
    for place in scene.places:
        limit, free = found[place.site.name, "racks"]
        most, left = found[place.site.name, "racks when all floor space is used"]
        assert float(most) - float(limit) == place.floor_free
        assert float(left) - float(free) == place.floor_free


def test_late_serving_is_counted_twice_and_the_columns_say_so() -> None:
    """Served and unserved together are more than what was asked for: the next hour asks again."""
    scene = scene_of(DEFAULT, "mid", 7)
    traces = history(scene, DAYS)
    served = sum(traces.running["inference"]) + sum(traces.late)
    work = next(work for work in scene.work if work.job_class == "inference")
    assert served / DAYS > work.gpu_hours_day
    told = {path: text for path, _, text in documents(scene)}
    assert "add up to more than the demand" in told["documents/columns.md"]
    assert "can be more" in told["documents/growth.md"]


def test_one_spine_is_one() -> None:
    place = scene_of(DEFAULT, "mid", 7).places[0]
    assert place.fabric.spine_switches == 1
    assert "; 1 spine with 64 of 64 ports" in topology.described(place)
    assert " 4 spines with " in topology.described(scene_of(DEFAULT, "senior", 7).places[0])


def test_running_costs_name_the_unit_of_each_figure() -> None:
    """A factor and a percentage are no dollars."""
    running = next(
        one
        for one in forecast.tables(scene_of(DEFAULT, "junior", 1))
        if one.path == forecast.RUNNING
    )
    assert tuple(running.head) == ("what", "unit", "value")
    units = {str(row[0]): str(row[1]) for row in running.rows}
    assert units["Support of hardware"].startswith("% ")
    assert not units["PUE of Site A"].startswith("USD")
    assert all(
        unit.startswith("USD a ")
        for name, unit in units.items()
        if name.startswith(("E", "L", "C"))
    )
