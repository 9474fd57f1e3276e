"""What is drawn goes together, is told apart, and is the same for the same seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.live_slurm import variant
from scenarios.live_slurm.faults import FAMILIES, NAMES, FaultInvalid, all_faults, fault_of, parse
from scenarios.live_slurm.files import edited, healthy
from scenarios.live_slurm.scene import LEVELS, PROTECTED, draw, oddities, scene_of
from scenarios.packs import all_packs, build, load_pack

PACK = "troubleshooting/jobs-do-not-start"
SEEDS = range(150)


def test_there_are_thirty_faults_in_six_families() -> None:
    families = Counter(fault.family for fault in all_faults())
    assert set(families) == set(FAMILIES)
    assert sum(families.values()) >= 30
    assert min(families.values()) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_fits_the_files_and_fills_its_words(name: str) -> None:
    scene = scene_of([name])
    [fault] = scene.faults
    read = edited(healthy(), scene.edits(unread=True))
    assert (read != healthy()) == bool(fault.edits)
    told = [fault.what, fault.ticket, fault.change, *fault.signs, *fault.cure, *fault.state]
    told += [job.args for job in (*scene.waiting, *scene.running)]
    assert not any(word in text for text in told for word in ("{node}", "{other", "{port}", "{{"))
    assert ": " in fault.ticket
    assert len(fault.signs) >= 2


@pytest.mark.parametrize("level", LEVELS)
def test_drawn_faults_go_together(level: str) -> None:
    many, odd = LEVELS[level]
    met: set[str] = set()
    for seed in SEEDS:
        scene = draw(level, seed)
        assert len(scene.faults) == many == len({fault.family for fault in scene.faults})
        touched = [thing for fault in scene.faults for thing in fault.touches]
        assert len(touched) == len(set(touched))
        assert sum(fault.restart_cures for fault in scene.faults) <= 1
        assert 2 <= len(scene.oddities) <= odd
        names = [job.name for job in (*scene.running, *scene.wide, *scene.waiting)]
        assert len(names) == len(set(names))
        assert edited(healthy(), scene.edits(unread=True)).keys() == healthy().keys()
        met |= {fault.name for fault in scene.faults}
    assert met == {*NAMES}


def test_same_seed_same_scene_and_another_seed_another() -> None:
    assert draw("senior", 4) == draw("senior", 4)
    assert len({tuple(fault.name for fault in draw("senior", seed).faults) for seed in SEEDS}) > 100


def test_the_protected_run_is_nobodys_fault() -> None:
    for fault in all_faults():
        assert not any(holder.name == PROTECTED for holder in fault.holders)
        assert "node:gpu-n006" not in fault.touches
        assert "partition:prod" not in fault.touches
    assert all(one.clears for one in oddities())


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("famly", "x", "unknown key famly"),
        ("family", "weather", "family is one of"),
        ("cure", [], "a fault has something that breaks"),
    ],
)
def test_a_fault_that_is_wrong_is_named(key: str, value: object, named: str) -> None:
    data = {
        "family": "nodes",
        **dict.fromkeys(("title", "what", "prevent", "about", "where", "ticket", "change"), "x"),
        **{key: ["x"] for key in ("touches", "signs", "cure", "state")},
        "jobs": [{"user": "ana", "args": "", "count": 1}],
    }
    assert parse("x.toml", "x", data).name == "x"
    with pytest.raises(FaultInvalid, match=f"x.toml: {named}"):
        parse("x.toml", "x", {**data, key: value})
    with pytest.raises(FaultInvalid, match="no fault 'nobody'"):
        fault_of("nobody")


def test_the_command_line_builds_what_a_candidate_sees(tmp_path: Path) -> None:
    assert PACK in [pack.name for pack in all_packs()]
    pack = load_pack(PACK)
    for level in pack.levels:
        key = tmp_path / f"{level}.json"
        manifest = build(PACK, level, 3, tmp_path / level, key_file=key)
        again = build(PACK, level, 3, tmp_path / "again")
        assert manifest == again
        assert "until_restart" in key.read_text()
        shown = "".join(
            path.read_text() for path in (tmp_path / level).rglob("*") if path.is_file()
        )
        for fault in draw(level, 3).faults:
            assert fault.what not in shown
            assert fault.name not in shown
        assert pack.guide(level)
        assert {one.key for one in pack.rubric(level).criteria} >= {"technical", "revision"}


def test_tickets_tell_who_may_be_stopped_and_changes_what_was_done() -> None:
    scene = scene_of(["whole-node-one-gpu", "partition-max-time"])
    assert "Stop it whenever you like" in variant.tickets(scene)
    assert "Please do not touch it" in variant.tickets(scene)
    assert "limits of the partitions reviewed" in variant.changes(scene)
    assert variant.words(DEFAULT, "mid", 1) == {}
