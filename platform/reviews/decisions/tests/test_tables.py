"""An opening as CSV and Excel: a row for each rating, nothing that is hidden, nothing that calculates (S5)."""

from __future__ import annotations

import csv
import io
import subprocess
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from accounts.models import User
from assessments.models import Attempt
from assessments.tests.stage import Stage
from reviews.decisions import tables
from reviews.decisions.decisions import decide
from reviews.decisions.workbook import MISSING
from reviews.models import Rating
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, SECRET_SCORE, score_all
from reviews.tests.story import NEXT_DAY, whole


def taken(user: User, stage: Stage, table: str = "ratings") -> list[dict[str, str]]:
    client = Client()
    client.force_login(user)
    url = reverse("admin:opening-csv", args=[stage.opening.pk])
    answer = client.get(url, {"table": table})
    assert answer.status_code == 200
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def workbook(user: User, stage: Stage) -> Any:
    client = Client()
    client.force_login(user)
    answer = client.get(reverse("admin:opening-xlsx", args=[stage.opening.pk]))
    return load_workbook(io.BytesIO(answer.content))


@pytest.fixture
def told(stage: Stage, handed_in: Attempt) -> Attempt:
    return whole(stage, handed_in)


def test_one_row_for_each_rating_that_is_frozen(stage: Stage, told: Attempt) -> None:
    rows = taken(stage.hana, stage)
    assert len(rows) == Rating.objects.count() > 20
    keys = {(row["round"], row["evaluator"], row["criterion"]) for row in rows}
    assert len(keys) == len(rows)
    assert {row["candidate"] for row in rows} == {"Ada Fontaine"}
    open_card = evaluations.correct(
        told.submissions.get(round=1).evaluations.get(evaluator=stage.ines),
        reason="Misread.",
        now=NEXT_DAY,
    )
    fewer = taken(stage.hana, stage)
    assert len(fewer) == len(rows) - open_card.ratings.count()  # neither the old nor the open one


def test_summary_has_the_combination_and_the_decision(stage: Stage, told: Attempt) -> None:
    decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Sound.",
        by=stage.hana,
        now=NEXT_DAY,
    )
    (row,) = taken(stage.hana, stage, "summary")
    work, talks = float(row["work samples"]), float(row["interviews"])
    assert float(row["combined"]) == pytest.approx((work + talks) / 2, abs=1e-3)
    assert (row["decision"], row["decided by"]) == ("Make an offer", "Hana")


def test_measures_and_interviews_have_tables(stage: Stage, told: Attempt) -> None:
    first, second = taken(stage.hana, stage, "measures")
    assert (float(first["score"]), first["held to be"], first["by"]) == (
        SECRET_SCORE,
        "0.6",
        "Ines",
    )
    assert (second["round"], second["held to be"]) == ("2", "")
    talks = taken(stage.hana, stage, "interviews")
    assert [row["about"] for row in talks] == [
        "Fair sharing",
        "Reading nvidia-smi",
        "Work in a team",
    ]


def test_independence_holds_in_files(stage: Stage, handed_in: Attempt) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.otto, level=2)
    for table in tables.TABLES:
        text = str(taken(stage.ines, stage, table))
        assert "Ada" not in text
        assert str(SECRET_SCORE) not in text
        assert "Otto" not in text
    score_all(handed_in, stage.ines)
    rows = taken(stage.ines, stage)
    assert {row["evaluator"] for row in rows} == {"Ines", "Otto"}
    assert {row["candidate"] for row in rows} == {f"Candidate {stage.ada.pseudonym}"}
    assert str(SECRET_SCORE) in str(taken(stage.ines, stage, "measures"))
    assert taken(stage.rhea, stage) == []  # a recruiter reads no scorecard


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
@pytest.mark.by_day(every=6)
def test_text_is_no_formula(stage: Stage, handed_in: Attempt, start: str) -> None:
    attack = f'{start}HYPERLINK("http://x","y")'
    card = score_all(handed_in, stage.ines)
    Rating.objects.filter(evaluation=card).update(note=attack)
    assert {row["note"] for row in taken(stage.hana, stage)} == {f"'{attack}"}
    sheet = workbook(stage.hana, stage)["ratings"]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]


def test_cells_hold_what_a_workbook_can(stage: Stage, handed_in: Attempt) -> None:
    card = score_all(handed_in, stage.ines)
    Rating.objects.filter(evaluation=card).update(note="bell \x07 " + "x" * 40_000)
    book = workbook(stage.hana, stage)
    assert book.sheetnames == ["summary", "ratings", "measures", "interviews"]
    sheet = book["ratings"]
    heads = [cell.value for cell in sheet[1]]
    note = sheet.cell(2, heads.index("note") + 1).value
    assert note.startswith("bell \ufffd x")
    assert note.endswith("(cut here: the whole text is on the site)")
    assert isinstance(sheet.cell(2, heads.index("level") + 1).value, int)


@pytest.mark.parametrize(
    ("code", "said"), [(MISSING, "headnode[reports]"), (1, "can be had as CSV files")]
)
def test_file_that_cannot_be_written_is_said_in_words(
    stage: Stage, handed_in: Attempt, monkeypatch: pytest.MonkeyPatch, code: int, said: str
) -> None:
    failed = subprocess.CompletedProcess([], code, b"half of it", b"A disk is full.")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    client = Client()
    client.force_login(stage.hana)
    url = reverse("admin:opening-xlsx", args=[stage.opening.pk])
    page = client.get(url, follow=True).content.decode()
    assert said in page
    assert "disk" not in page


def test_there_is_no_table_of_another_name(stage: Stage, handed_in: Attempt) -> None:
    client = Client()
    client.force_login(stage.hana)
    answer = client.get(reverse("admin:opening-csv", args=[stage.opening.pk]), {"table": "x"})
    assert answer.status_code == 404


def test_rows_that_lack_a_column_leave_its_cells_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a": 1, "b": None}, {"a": 2, "c": "three"}]
    monkeypatch.setattr(tables, "TABLES", {"some": lambda *_: rows, "none": lambda *_: []})
    nobody: Any = None
    assert tables.as_csv(nobody, nobody, "some") == "a,b,c\r\n1,,\r\n2,,three\r\n"
    assert tables.as_csv(nobody, nobody, "none") == ""
    book = load_workbook(io.BytesIO(tables.as_workbook(nobody, nobody)))
    assert [list(row) for row in book["some"].values] == [
        ["a", "b", "c"],
        [1, None, None],
        [2, None, "three"],
    ]
    assert list(book["none"].values) == []


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff20"])
def test_no_cell_begins_a_formula(start: str) -> None:
    assert tables.safe(f"{start}1+1") == f"'{start}1+1"
    assert tables.safe(f"1{start}1") == f"1{start}1"
