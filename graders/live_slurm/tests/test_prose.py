"""The texts beside a cluster: causes with their place, what only looks wrong, prevention, and corrections."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from graders.kinds import Asked
from graders.live_slurm.goldens import GOLDENS
from graders.live_slurm.grading import LiveSlurmGrader
from graders.live_slurm.makers import write_golden
from graders.live_slurm.prose import WRITTEN, catalogue, parse, read
from graders.live_slurm.told import STATE, TEXTS, assess, with_texts
from graders.written import BadAnswer, BadCorrection, Told
from scenarios.live_slurm.faults import NAMES
from scenarios.live_slurm.scene import DRAWN_NODES, LEVELS, Scene, draw, oddities, scene_of
from scenarios.packs import load_pack

PACK = "troubleshooting/jobs-do-not-start"
PHRASINGS = tomllib.loads(
    Path(__file__)
    .with_name("phrasings.toml")
    .read_text(encoding="utf-8")
    .replace("{node}", DRAWN_NODES[0])
)


def measured(scene: Scene, **sections: str) -> dict[str, float]:
    """What each measure of the texts comes to."""
    reading = read(sections, scene) | {"state": [], "measures": measures_of("mid")}
    return {one.measure.key: one.value for one in assess(reading).measures}


def measures_of(level: str) -> list[dict[str, Any]]:
    pack = load_pack(PACK)
    rows = [one for one in pack.measures(level) if one.key not in STATE]
    return [
        {name: getattr(one, name) for name in type(one).__slots__ if hasattr(one, name)}
        for one in rows
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.by_day(but=["allow-groups"])
def test_each_fault_is_understood_as_an_engineer_puts_it(name: str) -> None:
    said = PHRASINGS[name]
    found = measured(scene_of([name]), issues=said["says"], prevention=said["prevents"])
    assert found == {"causes": 100.0, "prevention": 100.0}


@pytest.mark.parametrize("name", NAMES)
def test_each_fault_is_understood_in_the_words_of_its_key(name: str) -> None:
    [fault] = scene_of([name]).faults
    texts = {
        "issues": f"{fault.title}. {fault.what}",
        "prevention": f"{fault.title}: {fault.prevent}",
    }
    assert measured(scene_of([name]), **texts)["causes"] == 100.0


@pytest.mark.parametrize(
    ("level", "seed"), [("junior", 1), ("mid", 2), ("senior", 3), ("senior", 8)]
)
def test_all_of_a_drawn_cluster_in_four_lines(level: str, seed: int) -> None:
    scene = draw(level, seed)
    issues = "\n\n".join(f"{one.title}. {one.what}" for one in scene.faults)
    assert measured(scene, issues=issues)["causes"] == 100.0


def test_what_is_named_without_its_place_counts_half() -> None:
    scene = scene_of(["slurmd-stopped"])
    assert measured(scene, issues="A slurmd was not running.")["causes"] == 50.0
    assert measured(scene, done="I looked at sinfo.")["causes"] == 0.0


def test_whoever_names_everything_has_named_nothing() -> None:
    scene = draw("senior", 1)
    everything = "\n\n".join(one["says"] for one in PHRASINGS.values())
    assert measured(scene, issues=everything)["causes"] < 25.0


def test_what_only_looks_wrong_may_be_put_aside() -> None:
    drawn = [draw("senior", seed) for seed in range(50)]
    scene = next(one for one in drawn if "noisy-fan" in {odd.name for odd in one.oddities})
    for text, state in (
        ("The fan of gpu-n001 is noisy but harmless.", "put aside"),
        ("The fan of gpu-n001 is broken and stops the jobs.", "taken for a cause"),
        ("", "not mentioned"),
    ):
        reading = read({"issues": text}, scene) | {"state": [], "measures": []}
        [row] = [one for one in assess(reading).evidence if one["key"] == "noisy-fan"]
        assert (row["kind"], row["state"]) == ("oddity", state), text


def test_a_cause_that_is_denied_is_not_claimed() -> None:
    scene = scene_of(["max-nodes"])
    denied = "MaxNodes on train is fine and not the cause."
    assert measured(scene, issues=denied)["causes"] == 0.0


def test_a_german_text_is_read() -> None:
    scene = scene_of(["partition-max-time"])
    said = "Auf der Partition train steht MaxTime=60, also eine Stunde, darum starten die langen Jobs nicht."
    then = "Jede Änderung an MaxTime prüfen und mit einem Testjob vergleichen."
    assert measured(scene, issues=said, prevention=then) == {"causes": 100.0, "prevention": 100.0}


def test_people_correct_what_was_read_and_the_state_stays() -> None:
    pack = load_pack(PACK)
    asked = Asked(pack, "mid", 2, {})
    fault = draw("mid", 2).faults[0]
    state = [
        Told(one, 80.0, 0.0, 100.0, "As it was.")
        for one in pack.measures("mid")
        if one.key in STATE
    ]
    texts = {"issues": "Something odd was there.", "prevention": "Talk more."}
    found, evidence = with_texts(texts, asked, state)
    assert [one.measure.key for one in found] == [*STATE, "causes", "prevention"]
    assert [one.value for one in found] == [80.0] * 4 + [0.0, 0.0]
    kept = {"evidence": [{"kind": "fault", "key": fault.name}, *evidence]}
    word = {"statement": "issues:1", "subject": fault.name, "verdict": "states"}
    again = TEXTS.reassess(kept, [word])
    values = {one.measure.key: one.value for one in again.measures}
    assert values["start"] == 80.0
    assert values["causes"] == pytest.approx(100 / 3)
    assert {"fault", "cause", "texts"} <= {row["kind"] for row in again.evidence}
    more = {"statement": "prevention:1", "subject": fault.name, "verdict": "states"}
    [both] = [
        one.value
        for one in TEXTS.reassess(kept, [word, more]).measures
        if one.measure.key == "prevention"
    ]
    assert both == pytest.approx(100 / 3)
    with pytest.raises(BadCorrection, match="no statement"):
        TEXTS.reassess(kept, [word | {"statement": "issues:9"}])
    with pytest.raises(BadCorrection, match="no fault or oddity"):
        TEXTS.reassess(kept, [word | {"subject": "weather"}])


@pytest.mark.parametrize("level", LEVELS)
def test_texts_of_a_golden_tell_what_its_script_mends(level: str) -> None:
    pack, scene = load_pack(PACK), draw(level, 7)
    found = {}
    for name in ("nothing", "competent", "expert"):
        files = write_golden(pack, level, name, 7)
        found[name] = measured(scene, **parse(files[WRITTEN]))["causes"]
        assert files[pack.entry] == GOLDENS[name](scene)
    assert found["nothing"] == 0.0
    assert found["nothing"] < found["competent"] < found["expert"] == 100.0


def test_texts_beside_a_script_are_checked_before_anything_is_played() -> None:
    pack = load_pack(PACK)
    files = {pack.entry: "sinfo\n", WRITTEN: '{"sections": {"issues": 3}}'}
    report = LiveSlurmGrader().grade(Asked(pack, "mid", 7, files))
    assert report.status == "candidate_error"
    assert report.score is None


def test_texts_are_checked() -> None:
    assert parse("") == {}
    with pytest.raises(BadAnswer):
        parse('{"sections": {"issues": 3}}')
    assert len(catalogue()) == len(NAMES) + len(oddities())
