"""The course of the work: every draft, run and answer in order, what changed, and in constant queries."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assessments import attempts
from assessments.models import Attempt, Run
from assessments.tests.stage import NOW, Stage, begin, body, save, submit
from reviews.evidence import work_history
from reviews.evidence.answer_text import side_by_side
from reviews.scoring import evaluations
from reviews.tests.scene import LATER

Clients = dict[str, Client]


@pytest.fixture
def worked(stage: Stage, published: list[Any]) -> Attempt:
    """Three drafts, a run of the second, the answer; Ines scores it."""
    attempt = begin(stage)
    client = uuid4()
    for seq in (1, 2, 3):
        save(attempt, f"Reasons {seq}.", at=NOW + timedelta(minutes=seq), seq=seq, client=client)
    Run.objects.create(
        attempt=attempt,
        round=1,
        draft=attempt.drafts.get(number=2),
        workload="public-1",
        created_at=NOW + timedelta(minutes=2, seconds=30),
        finished_at=LATER,
        result="done",
        report={},
    )
    submit(attempt, "Last reasons.", at=NOW + timedelta(minutes=9))
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=LATER)
    return Attempt.objects.get(pk=attempt.pk)


def at(client: Client, attempt: Attempt, step: object = "") -> str:
    url = reverse("admin:work-history", args=[attempt.pk])
    return client.get(f"{url}?step={step}").content.decode()


def test_steps_come_in_the_order_of_time(worked: Attempt) -> None:
    found = work_history.steps(worked)
    assert [step.title for step in found] == [
        "The exercise as it began",
        "Draft 1",
        "Draft 2",
        "Run of draft 2 on public-1",
        "Draft 3",
        "Draft 4",
        "Round 1 handed in",
    ]
    assert [step.number for step in found] == list(range(1, 8))


def test_each_step_shows_the_work_then_and_what_changed(clients: Clients, worked: Attempt) -> None:
    third = at(clients["ines"], worked, 3)
    assert "Reasons 1." in third  # before
    assert "Reasons 2." in third
    assert "Reasons 3." not in third
    assert 'rel="prev"' in third
    assert 'href="?step=4"' in third
    run = at(clients["ines"], worked, 4)
    assert "the text is the same as one step before" in run
    assert "Open the run" in run
    assert "Last reasons." in at(clients["ines"], worked)  # the newest where none is asked for


@pytest.mark.parametrize("step", ["0", "-3", "x", "99999999999", "9" * 30, "²", "1000"])
@pytest.mark.by_day(every=3)
def test_rubbish_in_the_address_shows_a_step(clients: Clients, worked: Attempt, step: str) -> None:
    assert "of 7" in at(clients["ines"], worked, step)


def test_times_are_not_shown_to_who_scores(clients: Clients, worked: Attempt) -> None:
    """T4: extra time must not be inferable."""
    assert "2 Mar 2026" not in at(clients["ines"], worked, 3)
    assert "2 Mar 2026" in at(clients["adam"], worked, 3)


def test_it_is_for_the_panel_and_who_reads_answers(clients: Clients, worked: Attempt) -> None:
    url = reverse("admin:work-history", args=[worked.pk])
    statuses = {name: client.get(url).status_code for name, client in clients.items()}
    assert statuses == {
        "adam": 200,
        "rhea": 403,
        "ines": 200,
        "otto": 404,
        "hana": 200,
        "nobody": 302,
    }


def test_queries_are_the_same_however_many_drafts(clients: Clients, worked: Attempt) -> None:
    at(clients["ines"], worked, 3)
    with CaptureQueriesContext(connection) as few:
        at(clients["ines"], worked, 3)
    count = len(few)  # later requests empty the log
    client = uuid4()
    attempts.reopen(worked.pk, minutes=30, by=evaluator(worked), reason="x", now=LATER)
    for seq in range(1, 40):
        save(worked, f"More {seq}.", at=LATER + timedelta(seconds=seq), seq=seq, client=client)
    with CaptureQueriesContext(connection) as many:
        assert "Draft 30" in at(clients["ines"], worked, 33)
    assert len(many) <= count


def evaluator(attempt: Attempt) -> Any:
    return attempt.assignments.get().evaluator


def test_late_and_diverged_drafts_say_so(stage: Stage, published: list[Any]) -> None:
    attempt = begin(stage)
    save(attempt, "Mine.", at=NOW + timedelta(minutes=1))
    save(attempt, "Other page.", at=NOW + timedelta(minutes=2), base=0)
    submit(attempt, "Done.", at=NOW + timedelta(minutes=3))
    save(attempt, "Too late.", at=NOW + timedelta(hours=9))
    notes = {step.title: step.note for step in work_history.steps(attempt)}
    assert any("kept beside the main line" in note for note in notes.values())
    assert any("never graded" in note for note in notes.values())


def test_long_texts_are_compared_at_once_and_cut_with_a_word() -> None:
    old = "\n".join(f"line {n}" for n in range(20_000))
    new = "\n".join(f"other {n}" for n in range(20_000))
    found = work_history.changes(
        {"files": {"a": old}, "sections": {}}, {"files": {"a": new}, "sections": {}}, {}
    )
    assert found[0].added == found[0].removed == 20_000
    assert len(found[0].pairs) == work_history.SHOWN_ROWS
    assert found[0].left_out == 20_000 - work_history.SHOWN_ROWS


def test_a_line_changed_far_down_a_long_text_is_found_with_its_numbers() -> None:
    lines = [f"line {n}" for n in range(1, 10_001)]
    changed = [*lines[:4999], "new", *lines[5000:]]
    rows = side_by_side("\n".join(lines), "\n".join(changed))
    differing = [row for row in rows if row.kind not in ("same", "gap")]
    assert [(row.kind, row.left.number, row.right.number) for row in differing] == [
        ("changed", 5000, 5000)
    ]
    assert [row.left.text for row in rows if row.kind == "gap"] == [
        "4995 lines are the same",
        "4996 lines are the same",
    ]


def test_body_at_the_start_is_the_template(worked: Attempt) -> None:
    found = work_history.steps(worked)
    start = work_history.body_at(worked, found, 1)
    assert start["files"] == body(worked, "x")["files"]
