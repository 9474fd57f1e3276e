"""The picture of a replay: whole, the same each time, safe, and right about what it shows."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.evidence.replay_shape import DAY, Shape, round_top, shape, thinned
from reviews.evidence.replay_svg import drawn
from reviews.tests.scene import REPORT

SVG = "{http://www.w3.org/2000/svg}"
DAY_1: dict[str, Any] = REPORT["evidence"][0]["replay"]
EMPTY: dict[str, Any] = {"t": [], "series": [], "marks": [], "gantt": {"rows": [], "bars": []}}
STEPS = EMPTY | {
    "axis": "step",
    "t": [0, 1, 2, 3],
    "series": [
        {
            "key": "loss",
            "label": "Loss",
            "unit": "",
            "group": "loss",
            "values": [4.0, 3.0, None, None],
        }
    ],
}

kinds = st.sampled_from(["high", "low", "fault", "vision"])
bars = st.tuples(st.integers(0, 5), st.integers(0, 900), st.integers(1, 300), st.text(), kinds)
series = st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), min_size=3, max_size=3)
texts = st.text(max_size=30)


@st.composite
def replays(draw: st.DrawFn) -> dict[str, Any]:
    found = draw(st.lists(bars, max_size=30))
    return {
        "t": [0, 300, draw(st.integers(301, 20 * DAY))],
        "series": [
            {
                "key": "queue_high",
                "label": draw(texts),
                "unit": draw(texts),
                "group": draw(texts),
                "values": draw(series),
            }
        ],
        "marks": [{"t": t, "kind": draw(kinds), "text": draw(texts)} for t in (5, 70)],
        "gantt": {
            "rows": [draw(texts) for _ in range(6)],
            "bars": [
                [row, begin, begin + length, label, kind]
                for row, begin, length, label, kind in found
            ],
        },
    }


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314  our own words


def texts_of(svg: str) -> list[str]:
    return [node.text or "" for node in parsed(svg).iter(f"{SVG}text")]


def test_everything_is_named() -> None:
    svg = drawn(DAY_1, "Hidden day 1, round 1", "KeyError at 00:05.")
    said = texts_of(svg)
    for wanted in ("Hidden day 1, round 1", "KeyError at 00:05.", "Faults 1", "Jobs waiting"):
        assert wanted in said
    assert "High priority waiting 2" in said
    assert "Cost so far (USD)" in said
    assert "od-001" in said


def test_text_alternative_says_what_is_drawn() -> None:
    root = parsed(drawn(DAY_1, "Hidden day 1"))
    assert root.get("role") == "img"
    title, words = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == "Hidden day 1"
    assert words is not None
    assert words.text == (
        "From 00:00 to 00:10. Jobs waiting (jobs) at the end: High priority waiting 2. "
        "Cost so far (USD) at the end: Spent so far 16.4. Marks: faults 1. 1 machines with 1 bars."
    )


def test_nothing_in_it_runs_or_is_fetched() -> None:
    replay = DAY_1 | {"gantt": {"rows": ["<script>alert(1)</script>\x00"], "bars": []}}
    svg = drawn(replay, '"><script>alert(1)</script>', "a & b \x1b[31m")
    root = parsed(svg)
    assert {node.tag.removeprefix(SVG) for node in root.iter()} <= {
        "svg",
        "title",
        "desc",
        "rect",
        "text",
        "path",
        "circle",
    }
    for node in root.iter():
        assert not [name for name in node.attrib if name.startswith("on") or "href" in name]
        assert "style" not in node.attrib
    assert "url(" not in svg


@pytest.mark.parametrize("replay", [EMPTY, {}, STEPS, EMPTY | {"t": [0]}, DAY_1 | {"series": []}])
def test_odd_replays_are_drawn_too(replay: dict[str, Any]) -> None:
    svg = drawn(replay, "Odd")
    assert "nan" not in svg
    assert "inf" not in svg
    parsed(svg)


@settings(max_examples=60, deadline=None)
@given(replays(), texts)
def test_any_replay_gives_a_whole_picture_and_the_same_bytes(
    replay: dict[str, Any], heading: str
) -> None:
    svg = drawn(replay, heading)
    assert drawn(replay, heading) == svg
    parsed(svg)
    assert not re.search(r"\bnan\b|\binf\b|\de[+-]\d", re.sub(r">[^<]*<", "><", svg))


@settings(max_examples=60, deadline=None)
@given(replays())
def test_bars_of_one_lane_never_overlap(replay: dict[str, Any]) -> None:
    for row in shape(replay).rows:
        for lane in range(row.lanes):
            spans = sorted((begin, end) for at, begin, end, _ in row.bars if at == lane)
            assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert sum(len(row.bars) for row in shape(replay).rows) == len(replay["gantt"]["bars"])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=500), st.integers(5, 40))
def test_thinning_keeps_the_extremes_the_end_and_the_order(values: list[float], most: int) -> None:
    times = list(range(len(values)))
    kept = thinned(times, values, most)
    assert {min(values), max(values)} <= {value for _, value in kept}
    assert kept[-1] == (times[-1], values[-1])
    assert [at for at, _ in kept] == sorted({at for at, _ in kept})
    assert len(kept) <= max(3 * most, len(values) if len(values) <= 2 * most else 0)


@given(st.floats(1e-6, 1e12))
def test_axis_ends_at_or_just_above_the_highest_value(value: float) -> None:
    assert value <= round_top(value) * (1 + 1e-12)
    assert round_top(value) <= 2.1 * value


def spanning(end: int) -> Shape:
    return shape(EMPTY | {"t": [0, end]})


@pytest.mark.parametrize("end", [600, 3600, DAY, 3 * DAY, 14 * DAY, 400 * DAY])
def test_ticks_are_few_and_say_the_day_where_days_pass(end: int) -> None:
    ticks = spanning(end).ticks(14)
    assert 3 <= len(ticks) <= 15
    words = [spanning(end).tick(at) for at in ticks]
    assert any(word.startswith("day ") for word in words) == (end > DAY)
    assert len(set(words)) == len(words) or end > DAY or words[0] == words[-1] == "00:00"


def test_moments_name_the_day_in_spans_of_days() -> None:
    assert spanning(DAY).moment(51_600) == "14:20"
    assert spanning(3 * DAY).moment(DAY + 51_600) == "day 2, 14:20"
    assert shape(STEPS).moment(2) == "step 2"


def test_a_kind_has_the_colour_of_its_series() -> None:
    named = DAY_1 | {
        "series": [
            {
                "key": f"queue_{key}",
                "label": key,
                "unit": "jobs",
                "group": "queue",
                "values": [0, 0, 0],
            }
            for key in ("low", "high")
        ],
        "gantt": {"rows": ["a"], "bars": [[0, 0, 9, "", "other"], [0, 9, 20, "", "high"]]},
    }
    assert shape(named).colours == {"other": 0, "high": 1}


def test_what_was_not_kept_is_said() -> None:
    said = texts_of(drawn(DAY_1 | {"cut": {"bars": 300}}, "Cut"))
    assert "More bars than are kept: none that began after 00:05." in said
