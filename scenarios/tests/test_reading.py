from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import pytest

from scenarios.worlds import dcgm, reading
from scenarios.worlds.averages import incident_rows, mean_over, rounded, trouble_answered
from scenarios.worlds.reading import Between


@dataclass(frozen=True)
class Plan:
    nodes: Annotated[int, Between(1, 8)]
    names: tuple[str, ...]
    share: Annotated[float, Between(0, 1)] = 0.5
    plain: bool = False
    title: str = ""


def test_a_table_becomes_a_dataclass() -> None:
    plan = reading.settings(Plan, {"nodes": 3, "names": ("a",), "share": 1})
    assert plan == Plan(3, ("a",), 1)
    assert replace(plan, share=0.5) == reading.settings(Plan, {"nodes": 3, "names": ("a",)})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"node": 3}, "Unknown setting node;"),
        ({"nodes": 9}, "nodes must be a number from 1 to 8"),
        ({"nodes": 2.5}, "nodes must be a whole number, not 2.5"),
        ({"nodes": True}, "nodes must be a whole number, not True"),
        ({"share": "much"}, "share must be a number"),
        ({"plain": 1}, "plain must be true or false, not 1"),
        ({"title": 1}, "title must be a text"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        reading.settings(Plan, {"nodes": 3, "names": (), **change})


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="The setting names is missing"):
        reading.settings(Plan, {"nodes": 3})


def test_words_are_filled_in_with_their_names() -> None:
    words = {"step{mark}_s": "{plan.nodes:,} s", "share": "{plan.share:.2f}"}
    plan = Plan(3000, ())
    assert reading.spoken(words, plan=plan, mark=2) == {"step2_s": "3,000 s", "share": "0.50"}


def test_a_scrape_has_help_type_and_samples() -> None:
    labels = dcgm.labels(1, "one", ("1B", "43"), "H100", "n01", 'GPU_I_ID="7",')
    text = dcgm.scrape([("up", "Whether it is up.", [(labels, 1)])])
    assert text.startswith("# HELP up Whether it is up.\n# TYPE up gauge\nup{gpu=")
    assert 'pci_bus_id="00000000:43:00.0",device="nvidia1",modelName="H100",GPU_I_ID="7",' in text
    assert text.endswith(f'Hostname="n01",DCGM_FI_DRIVER_VERSION="{dcgm.DRIVER}"}} 1\n')
    assert dcgm.uuid("one") == dcgm.uuid("one") != dcgm.uuid("two")
    assert [len(part) for part in dcgm.uuid("one").split("-")] == [3, 8, 4, 4, 4, 12]


def test_much_trouble_of_one_kind_hides_no_other() -> None:
    rows = [[0, "notice", "n1", True]] * 3 + [[9, "node down", "n2", False]]
    quiet: dict[str, Any] = {"incidents": [], "broken_rules": []}
    span = {**quiet, "incidents": rows}
    assert trouble_answered([quiet]) is None
    assert trouble_answered([span, quiet]) == 50
    assert trouble_answered([{**span, "broken_rules": ["one"]}]) == pytest.approx(100 / 3)
    assert incident_rows(span)[-1] == {
        "t": 9,
        "kind": "node down",
        "subject": "n2",
        "handled": False,
    }
    assert mean_over(lambda one: float(len(one["incidents"])))([span, quiet]) == 2


def test_figures_are_rounded_wherever_they_are() -> None:
    assert rounded({"a": 1.234, "b": [2, 3.456], "c": None}, 1) == {
        "a": 1.2,
        "b": [2, 3.5],
        "c": None,
    }
