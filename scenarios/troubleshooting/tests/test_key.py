"""The key says what was wrong, and every line and chart it names shows it."""

from __future__ import annotations

import json

import pytest

from scenarios.troubleshooting.key import (
    CAUSAL,
    MISLEADING,
    NEUTRAL,
    SUPPORTING,
    CauseKey,
    HerringKey,
    spans,
)
from scenarios.troubleshooting.tests.built import WHOLE, Built, build


@pytest.fixture(scope="module", params=WHOLE, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def built(request: pytest.FixtureRequest) -> Built:
    """Each variant once: all tests that look at it run one after the other."""
    return build(*request.param)


def _stories(built: Built) -> tuple[CauseKey | HerringKey, ...]:
    return (*built.key.causes, *built.key.herrings)


@pytest.mark.by_day(ids=["junior-0"])
def test_hours_of_causes_add_up_to_the_gap(built: Built) -> None:
    key = built.key
    assert sum(cause.hours for cause in key.causes) == pytest.approx(key.gap_hours, abs=0.01)
    assert sum(cause.part for cause in key.causes) == pytest.approx(1.0, abs=0.001)
    assert key.hours - key.baseline_hours == pytest.approx(key.gap_hours, rel=0.01)
    assert 14.0 <= key.hours <= 16.5
    every = " + ".join(sorted(cause.key for cause in key.causes))
    assert key.hours_without[""] - key.hours_without[every] == pytest.approx(
        key.gap_hours, abs=0.01
    )


@pytest.mark.by_day(but=["junior-1", "mid-0", "senior-0", "senior-1"])
def test_every_cause_shows_in_two_files_and_a_metric_and_every_herring_in_one(built: Built) -> None:
    for cause in built.key.causes:
        assert len({place.path for place in cause.lines}) >= 2, cause.key
        assert cause.charts, cause.key
    for herring in built.key.herrings:
        assert herring.lines, herring.key


@pytest.mark.by_day(but=["junior-1", "mid-0", "senior-0", "senior-1"])
def test_lines_that_the_key_names_read_as_it_says(built: Built) -> None:
    for story in _stories(built):
        for place in story.lines:
            text = built.lines(place.path)
            assert text[place.spans[0][0] - 1] == place.first
            assert place.spans[-1][1] <= len(text)
            assert sum(last - first + 1 for first, last in place.spans) == place.count


def test_charts_lie_within_what_was_recorded(built: Built) -> None:
    calendar = built.incident.calendar
    for story in _stories(built):
        for chart in story.charts:
            assert chart.from_ms < chart.to_ms
            assert chart.from_ms < calendar.window_end
            assert chart.to_ms > calendar.window_start


def test_sentences_are_whole(built: Built) -> None:
    for cause in built.key.causes:
        for text in (cause.story, cause.test, cause.mitigation, cause.fix, cause.risk):
            assert text.endswith(".")
            assert "{" not in text
    for herring in built.key.herrings:
        assert herring.why.endswith(".")
        assert "{" not in herring.why + herring.test


def test_no_file_gives_a_cause_away_in_the_keys_words(built: Built) -> None:
    titles = [story.title for story in _stories(built)]
    keys = [story.key for story in _stories(built)]
    for path, text in built.texts.items():
        assert not [title for title in titles if title in text], path
        assert not [key for key in keys if key in text], path


def test_every_file_has_its_worth(built: Built) -> None:
    worth = built.key.artefacts
    assert set(worth) == {material.path for material in built.materials}
    assert set(worth.values()) <= {CAUSAL, SUPPORTING, NEUTRAL, MISLEADING}
    named = {place.path for cause in built.key.causes for place in cause.lines}
    assert {path for path, value in worth.items() if value == CAUSAL} == named
    assert worth["runs/baseline/train.log"] == SUPPORTING
    assert worth["people/runbook.md"] == NEUTRAL


def test_the_key_can_be_stored_as_json(built: Built) -> None:
    text = json.dumps(built.key.plain(), sort_keys=True)
    assert json.loads(text)["job"] == built.incident.slow.id


def test_line_numbers_are_told_as_spans() -> None:
    assert spans([1, 2, 3, 7, 9, 10]) == ((1, 3), (7, 7), (9, 10))
    assert spans([]) == ()
