"""What the scoring tools keep of a candidate is given out on request and goes with the rest (S7)."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from assessments import attempts, spoken
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage
from reviews.feedback import defence
from reviews.models import (
    Acquaintance,
    Defence,
    DefenceQuestion,
    Feedback,
    MeasureOverride,
    Pin,
    PinWording,
    SpokenNotes,
)
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import erase
from reviews.scoring import blindness, overrides, pins
from reviews.tests.scene import LATER

PHRASE = "quokkas balance the queue"
KEPT: list[Any] = [
    Acquaintance,
    Defence,
    DefenceQuestion,
    MeasureOverride,
    Pin,
    PinWording,
    SpokenNotes,
]


@pytest.fixture
def tooled(scored: Attempt, stage: Stage) -> Stage:
    """A pin that feedback points to, a defence, an override, a spoken revision: all with the phrase."""
    blindness.declare(attempt=scored, person=stage.ines, how=PHRASE, now=LATER)
    run = GradingRun.objects.get()
    spots = [
        pins.Spot("line", "answer", "controller.py", 1, 1),
        pins.Spot("time", f"graded-{run.pk}-0", "", 0, 300),
    ]
    made = [
        pins.keep(
            key=uuid4(),
            attempt=scored,
            round=1,
            author=stage.ines,
            spot=spot,
            text=PHRASE,
            now=LATER,
        )
        for spot in spots
    ]
    put = [defence.Put("Why?", PHRASE)]
    defence.hold(attempt=scored, by=stage.ines, questions=put, notes=PHRASE, level=3, now=LATER)
    overrides.override(
        run, measure="wait_high_p95", score=0.5, reason=PHRASE, by=stage.ines, now=LATER
    )
    Feedback.objects.create(
        attempt=scored, author=stage.ines, strength_pin=made[0], written_at=LATER
    )
    attempts.open_revision(
        scored.pk, strength="a", improvement="b", focus="", start_now=True, by=stage.ines, now=LATER
    )
    answer = spoken.hand_in_notes(
        scored.pk, notes=PHRASE, by=stage.ines, now=LATER + timedelta(minutes=1)
    )
    SpokenNotes.objects.create(submission=answer, typed_by=stage.ines, typed_at=LATER)
    return stage


def test_export_holds_what_was_written_and_names_no_hidden_workload(tooled: Stage) -> None:
    with zipfile.ZipFile(io.BytesIO(export(tooled.ada))) as archive:
        data = json.loads(archive.read("data.json"))
    attempt = data["attempts"][0]
    assert data["known_to_evaluators"][0]["how"] == PHRASE
    assert attempt["explain_and_defend"][0]["notes"] == PHRASE
    first = attempt["submissions"][0]
    places = sorted(pin["place"] for pin in first["pins"])
    assert places == ["a hidden workload", "controller.py, line 1"]
    assert first["measures_overridden"][0]["reason"] == PHRASE
    assert first["measured"]["measures"][0]["score"] == pytest.approx(0.4321)
    assert attempt["submissions"][1]["body"]["sections"] == {spoken.NOTES: PHRASE}


def test_erasing_leaves_none_of_it(tooled: Stage) -> None:
    assert all(model.objects.exists() for model in KEPT)
    erase(tooled.ada, mode="erase", by=tooled.rhea, now=LATER)
    assert [model.__name__ for model in KEPT if model.objects.exists()] == []
