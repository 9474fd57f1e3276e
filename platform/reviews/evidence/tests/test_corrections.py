"""Correcting a match: a person's word beside the machine's reading, its measures, and never in its place."""

from __future__ import annotations

from copy import deepcopy
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage
from reviews.decisions import tables
from reviews.evidence import corrections, readings
from reviews.models import MatchCorrection
from reviews.privacy import erasure
from reviews.privacy.candidate_export import export
from reviews.scoring import overrides
from reviews.tests.scene import LATER, score_all
from reviews.tests.troubleshooting_scene import key, known_causes

Clients = dict[str, Client]


@pytest.fixture
def rated(troubleshooting_attempt: Attempt, stage: Stage) -> Attempt:
    score_all(troubleshooting_attempt, stage.ines)
    return troubleshooting_attempt


def grading(attempt: Attempt) -> GradingRun:
    return GradingRun.objects.get(submission__attempt=attempt)


def url(attempt: Attempt) -> str:
    return reverse("admin:match", args=[attempt.pk, grading(attempt).pk])


def sent(verdict: str, subject: str = "", statement: str = "h:h1") -> dict[str, str]:
    return {
        "statement": statement,
        "subject": subject or known_causes()[0]["key"],
        "verdict": verdict,
    }


def found(attempt: Attempt) -> tuple[Any, Any]:
    """Causes found as the machine measured it, and with the corrections."""
    run = grading(attempt)
    row = next(
        one for one in overrides.beside(run.report, overrides.of(run)) if one.key == "causes_found"
    )
    return row.value, row.corrected.value if row.corrected else None


def page(client: Client, attempt: Attempt) -> str:
    return words_of(client.get(reverse("admin:attempt", args=[attempt.pk])))


@pytest.mark.nightly
def test_one_press_takes_a_match_away_and_another_gives_it_back(
    clients: Clients, rated: Attempt
) -> None:
    before = deepcopy(grading(rated).report)
    of = len(key()["causes"])
    assert found(rated) == (pytest.approx(200 / of, abs=0.1), None)
    answer = clients["ines"].post(url(rated), sent("none") | {"back": "score"})
    assert answer["Location"] == reverse("admin:score", args=[rated.pk, 1]) + "#evidence"
    assert found(rated) == (pytest.approx(200 / of, abs=0.1), pytest.approx(100 / of, abs=0.1))
    said = page(clients["hana"], rated)
    for text in (
        "corrected</span> as Ines read one statement",
        "does not speak of it, says Ines",
        "with the corrected matches",
        "Take the correction back",
    ):
        assert text in said, text
    clients["hana"].post(url(rated), sent("withdrawn"))
    assert found(rated)[1] is None
    assert "2 corrections of matches on record" in page(clients["hana"], rated)
    assert grading(rated).report == before
    assert [row.verdict for row in MatchCorrection.objects.all()] == ["none", "withdrawn"]
    assert LogEntry.objects.filter(change_message__contains="does not speak of").exists()


@pytest.mark.nightly
def test_a_statement_can_be_said_to_name_a_cause(clients: Clients, rated: Attempt) -> None:
    """On the page of its own: the machine missed it, Ines did not."""
    reading = readings.reading_of(grading(rated).report) or {}
    plain = next(row["id"] for row in reading["statements"] if not row["matches"])
    missed = next(c["key"] for c in key()["causes"] if c not in known_causes()[:2])
    shown = words_of(clients["ines"].get(url(rated), {"statement": plain}))
    assert "It fits no cause and no red herring" in shown
    assert f'<option value="{missed}">' in shown
    reason = {"reason": "It says so in other words."}
    clients["ines"].post(url(rated), sent("states", missed, plain) | reason)
    assert found(rated)[1] == pytest.approx(100 if len(key()["causes"]) == 3 else 75)
    said = page(clients["ines"], rated)
    assert "corrected by an interviewer" in said
    assert "It says so in other words." in said
    again = words_of(clients["ines"].get(url(rated), {"statement": plain}))
    assert "names it as a cause, by Ines" in again


@pytest.mark.nightly
def test_newest_word_counts_and_an_override_stands_above(
    clients: Clients, rated: Attempt, stage: Stage
) -> None:
    run = grading(rated)
    for verdict in ("none", "none", "states"):  # the second press of one button changes nothing
        clients["ines"].post(url(rated), sent(verdict))
    held = corrections.of(run)
    assert [row.verdict for row in held.log] == ["none", "states"]
    assert [row.verdict for row in held.newest.values()] == ["states"]
    clients["ines"].post(url(rated), sent("none"))
    overrides.override(
        run, measure="causes_found", score=1.0, reason="Clear enough.", by=stage.ines, now=LATER
    )
    both = overrides.of(run)
    rows = {row.key: row for row in overrides.beside(run.report, both)}
    corrected = [
        row.corrected.score
        for name, row in rows.items()
        if row.corrected and name != "causes_found"
    ]
    clipped = [min(1.0, max(0.0, score or 0.0)) for score in corrected]
    assert both.total == pytest.approx((sum(clipped) + 1) / len(rows), abs=1e-3)


def test_it_waits_for_the_own_scorecard_and_for_the_role(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    got = {
        name: one.post(url(troubleshooting_attempt), sent("none")).status_code
        for name, one in clients.items()
    }
    assert got == {"adam": 302, "hana": 302, "ines": 404, "rhea": 403, "otto": 404, "nobody": 302}
    assert {row.by.username for row in MatchCorrection.objects.all()} == {"adam", "hana"}
    with pytest.raises(NotPossible, match="hidden until then"):
        corrections.correct(
            grading(troubleshooting_attempt), **sent("none"), reason="", by=stage.ines, now=LATER
        )
    evidence = page(clients["ines"], troubleshooting_attempt)
    assert "corrected</span>" not in evidence  # what others held of it is not shown before either
    assert "This says something else" not in evidence


def test_what_there_is_not_is_refused(clients: Clients, rated: Attempt) -> None:
    for wrong, status in (
        (sent("none", statement="h:no"), 409),
        (sent("none", subject="no-such-cause"), 409),
        (sent("perhaps"), 409),
        (sent("withdrawn"), 409),
        (sent("none") | {"reason": "x" * 501}, 400),
        (sent("none") | {"reason": "\x00"}, 400),
    ):
        assert clients["ines"].post(url(rated), wrong).status_code == status, wrong
    assert clients["ines"].get(url(rated), {"statement": "no"}).status_code == 302
    assert not MatchCorrection.objects.exists()


def test_reports_and_tables_say_when_corrected(
    clients: Clients, rated: Attempt, stage: Stage
) -> None:
    clients["ines"].post(url(rated), sent("none"))
    report = words_of(clients["hana"].get(reverse("admin:report", args=[rated.pk])))
    assert "corrected</span> as Ines read one statement" in report
    rows = {row["measure"]: row for row in tables.measures(stage.hana, stage.opening)}
    row = rows["causes_found"]
    assert row["corrected by"] == "Ines"
    assert row["score after corrections"] < row["score"]
    decision = words_of(clients["hana"].get(reverse("admin:decision", args=[rated.pk])))
    assert "as Ines read one statement" in decision


def test_candidate_gets_it_without_the_key_and_erasing_takes_it_along(
    clients: Clients, rated: Attempt, stage: Stage
) -> None:
    clients["ines"].post(url(rated), sent("none") | {"reason": "Too vague to count."})
    with ZipFile(BytesIO(export(stage.ada))) as archive:
        data = archive.read("data.json").decode()
    assert "Too vague to count." in data
    cause = known_causes()[0]
    assert f'"{cause["key"]}"' not in data
    MatchCorrection.objects.update(
        quote="nothing of theirs"
    )  # so that the row goes for what it hangs on
    erasure.erase(stage.ada, mode="erase", by=stage.rhea, now=LATER)
    assert not MatchCorrection.objects.exists()


def test_a_regrade_is_read_anew(clients: Clients, rated: Attempt) -> None:
    clients["ines"].post(url(rated), sent("none"))
    first: Any = grading(rated)
    second = GradingRun.objects.create(
        submission=first.submission,
        hidden_workloads=1,
        created_at=LATER,
        finished_at=LATER,
        result="done",
        report=first.report,
    )
    assert corrections.of(second).newest == {}
    assert corrections.of(first).newest != {}
