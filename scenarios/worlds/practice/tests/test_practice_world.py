"""The practice room's miniature can be done in two lines, and uses nothing that an exercise uses."""

from __future__ import annotations

from typing import Any

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.packs import all_packs, load_pack
from scenarios.worlds.practice import Setting, WarmHour
from scenarios.worlds.refusal import Refused

KINDS = ("automation", "troubleshooting", "cost", "scaling-plan")


def hour(seed: str) -> WarmHour:
    return WarmHour(DEFAULT, Setting(), "warm", seed)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_looking_on_is_too_hot_and_two_lines_are_enough(seed: str) -> None:
    left, kept = hour(seed), hour(seed)
    left.run_out()
    done = False
    while not done:
        answer: Any = kept.nodes()
        for name, temperature, state in answer["rows"]:
            if state == "serving" and temperature > 80:
                kept.drain(node=name)
            if state == "drained" and temperature < 60:
                kept.resume(node=name)
        done = bool(kept.tick()["done"])
    assert left.figures()["minutes_hot"] > 5
    assert kept.figures()["minutes_hot"] == 0
    assert kept.figures()["node_minutes_served"] > 150
    assert kept.replay()["gantt"]["bars"]


def test_mistakes_are_said() -> None:
    with pytest.raises(Refused, match="no node"):
        hour("1").drain(node="linnet99")
    with pytest.raises(Refused, match="serving already"):
        hour("1").resume(node="linnet01")


def test_practice_packs_are_in_no_list_and_load_by_name() -> None:
    listed = {pack.name for pack in all_packs()}
    worlds = {pack.data.get("world") for pack in all_packs()}
    for kind in KINDS:
        pack = load_pack(f"practice/{kind}")
        assert (pack.kind, pack.levels) == (kind, ["junior"])
        assert pack.name not in listed
        # what a variant and its key are written from
        texts = ["guide.md", *(row["file"] for row in pack.level("junior")["documents"])]
        assert [one for one in texts if not (pack.folder / "junior" / one).is_file()] == []
    assert "practice" not in worlds
