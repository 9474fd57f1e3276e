"""Every mark of the key can be seen in the series that it names, on thirty seeds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.signals.history import METRICS
from scenarios.troubleshooting.signals.stage import slow_stage
from scenarios.troubleshooting.tests.board import Board, Compare, View, names_of
from scenarios.troubleshooting.tests.claims import CLAIMS
from scenarios.troubleshooting.truth import make_incident

COUNT = {"junior": 20, "mid": 6, "senior": 4}
EVERY = [(level, seed) for level in LEVELS for seed in range(COUNT[level])]
# Chosen so that they show whatever one of the thirty shows.
BY_DAY = [
    *(("junior", seed) for seed in (0, 3, 5, 6, 10, 12, 13, 18, 19)),
    ("mid", 3),
    *(("senior", seed) for seed in (0, 1, 3)),
]


@pytest.mark.by_day("level,seed", BY_DAY)
@pytest.mark.parametrize(("level", "seed"), EVERY)
def test_every_mark_shows_what_it_says(level: str, seed: int) -> None:
    incident = make_incident(DEFAULT, LEVELS[level], seed)
    marks = list(incident.marks())
    names = names_of(marks)
    board = Board(slow_stage(incident), names)
    base = Compare(incident, names)
    stories = {story.key: story for story in board.stage.stories}
    unseen = []
    for key, mark in marks:
        view = View(board, mark, stories[key], base)
        assert view.own.size, (key, mark.metric, dict(mark.labels))
        if not CLAIMS[key, mark.metric](view):
            unseen.append((key, mark.metric, dict(mark.labels), mark.shows))
    assert unseen == []


@pytest.mark.nightly
def test_what_is_looked_at_by_day_shows_every_mark_of_the_thirty() -> None:
    shown = {
        (level, seed): {(key, mark.metric) for key, mark in made.marks()}
        for level, seed in EVERY
        for made in [make_incident(DEFAULT, LEVELS[level], seed)]
    }
    assert set().union(*(shown[one] for one in BY_DAY)) == set().union(*shown.values())


OF_THE_RUN = {"checkpoint-too-often", "checkpoint-on-capacity-pool", "fabric-neighbour"}
"""Shown by the steps or by another job, which stay when only the condition is put right."""
ALIKE = {"host-port-wait", "page-cache-full", "load-average"}
"""Harmless because every node of the job shows it."""


@pytest.mark.parametrize("seed", [1, 6])
@pytest.mark.by_day(but=["6"])
def test_a_mark_is_gone_when_its_cause_is_put_right(seed: int) -> None:
    incident = make_incident(DEFAULT, LEVELS["junior"], seed)
    marks = list(incident.marks())
    stage = slow_stage(incident)
    names, shown, checked = names_of(marks), [], 0
    compare = Compare(incident, names)
    for key in {key for key, _ in marks} - OF_THE_RUN - ALIKE:
        story = next(one for one in stage.stories if one.key == key)
        board = Board(
            replace(
                stage,
                condition=stage.condition.without(key),
                stories=tuple(one for one in stage.stories if one.key != key),
                traces=tuple(trace for trace in stage.traces if trace.tag != key),
            ),
            names,
        )
        for mark in (mark for other, mark in marks if other == key):
            calm = (key, mark.metric) == ("silent-slow-node", "DCGM_FI_DEV_SM_CLOCK")
            if mark.metric.startswith("train_") or calm:
                continue
            checked += 1
            if CLAIMS[key, mark.metric](View(board, mark, story, compare)):
                shown.append((key, mark.metric, dict(mark.labels)))
    assert shown == []
    assert checked >= 3


def test_claims_name_metrics_of_the_catalogue() -> None:
    known = {metric.name for metric in METRICS}
    assert {metric for _, metric in CLAIMS} <= known
    assert len(known) == len(METRICS)
