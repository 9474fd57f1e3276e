"""After an erasure no page, table, report or file has a word of the person left, interviews included (S7)."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from accounts.audit import note_action
from assessments.models import Attempt
from assessments.tests.stage import Stage
from hiring.models import Candidate
from reviews.decisions import tables
from reviews.decisions.decisions import decide
from reviews.models import AskedQuestion, Defence, InterviewScore, InterviewSession, MeasureOverride
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import erase, rows_of
from reviews.privacy.tests.test_retention import everything
from reviews.tests.scene import LATER
from reviews.tests.story import NEXT_DAY, PHRASE, remark, whole

TRACES = ("Fontaine", "ada@example.com", PHRASE)


@pytest.fixture
def told(stage: Stage, handed_in: Attempt) -> Attempt:
    attempt = whole(stage, handed_in)
    remark(stage, attempt)
    decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="decline",
        reasons=f"Since {PHRASE}.",
        by=stage.hana,
        now=NEXT_DAY,
    )
    note_action(stage.hana, attempt, f"Spoke of {PHRASE}.")
    return attempt


def pages(stage: Stage, attempt: Attempt) -> dict[str, str]:
    """What staff can read of the person, page by page: its text, "" where it is gone."""
    found = {}
    opening = stage.opening.pk
    search = f"?q={stage.ada.name.split()[-1]}"
    session = InterviewSession.objects.first()
    for name, key, query in (
        ("report", attempt.pk, ""),
        ("decision", attempt.pk, ""),
        ("attempt", attempt.pk, ""),
        ("comparison", opening, ""),
        ("opening-csv", opening, "?table=ratings"),
        ("opening-csv", opening, "?table=summary"),
        ("opening-csv", opening, "?table=interviews"),
        ("opening-csv", opening, "?table=measures"),
        ("hiring_opening_change", opening, ""),
        ("interviews", None, ""),
        ("interview", session.pk if session else None, ""),
        ("hiring_candidate_changelist", None, search),
        ("assessments_attempt_changelist", None, search),
    ):
        if name == "interview" and key is None:
            continue
        client = Client()
        client.force_login(stage.hana)
        url = reverse(f"admin:{name}", args=[key] if key is not None else [])
        answer: Any = client.get(url + query)
        text = answer.content.decode() if answer.status_code == 200 else ""
        found[name + query] = text.replace(search.removeprefix("?q="), "", text.count("value="))
    return found


def test_interviews_and_reports_go_with_the_rest(
    stage: Stage, told: Attempt, settings: LazySettings
) -> None:
    before = pages(stage, told)
    assert PHRASE in before["report"]
    assert PHRASE in before["opening-csv?table=interviews"]
    assert all(trace in everything() for trace in TRACES)
    kinds = set(rows_of(stage.ada))
    assert kinds >= {InterviewSession, AskedQuestion, InterviewScore, Defence, MeasureOverride}
    erase(stage.ada, mode="erase", by=stage.rhea, now=LATER)
    assert [trace for trace in TRACES if trace in everything()] == []
    for name, text in pages(stage, told).items():
        assert [trace for trace in TRACES if trace in text] == [], name
    assert pages(stage, told)["report"] == ""
    book = tables.as_workbook(stage.hana, stage.opening)
    with zipfile.ZipFile(io.BytesIO(book)) as sheets:
        text = " ".join(sheets.read(name).decode() for name in sheets.namelist())
    assert [trace for trace in TRACES if trace in text] == []
    kept = [
        path
        for path in Path(settings.DATA).rglob("*")
        if path.is_file() and path.suffix != ".sqlite3"
    ]
    assert [path for path in kept if PHRASE.encode() in path.read_bytes()] == []


def test_pseudonymised_interviews_that_name_the_person_are_erased_instead(
    stage: Stage, told: Attempt
) -> None:
    InterviewScore.objects.update(reasons="Ada listens.")
    stone = erase(stage.ada, mode="pseudonymise", by=None, now=LATER)
    assert stone.mode == "erase"
    assert not InterviewSession.objects.exists()
    assert not Candidate.objects.filter(pk=stage.ada.pk).exists()


def test_export_for_the_person_has_interviews_without_names_or_keys(
    stage: Stage, told: Attempt
) -> None:
    with zipfile.ZipFile(io.BytesIO(export(stage.ada))) as archive:
        data = json.loads(archive.read("data.json"))
    (talk,) = data["interviews"]
    assert [row["score"] for row in talk["questions"]] == [3, 4]
    assert PHRASE in talk["summary"]
    assert data["interview_scores"][0]["reasons"].startswith("Listens")
    assert "expected_points" not in str(data)
    assert "Hana" not in str(data)
