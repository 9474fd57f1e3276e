"""The bank as files: what goes out comes back the same, what is wrong is named by its line."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from accounts.roles import INTERVIEWER, RECRUITER
from library.bank import load_questions, shipped_questions
from library.exchange import COLUMNS, FORMULA, Unreadable, as_csv, as_json, neutral, plain, read
from library.importing import carry_out, plan
from library.models import Question
from library.versions import ReplacedMeanwhile, replace, same_content

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
WRONG: dict[str, Any] = {
    "topic_id": "OWN1",
    "topic": "Ours",
    "section": "Ours",
    "level": "expert",
    "question": "Why?",
    "expected_points": [],
}


def signed_in(role: str) -> Client:
    user = User.objects.create_user(role.lower(), is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client


def own(**fields: Any) -> Question:
    values: dict[str, Any] = {
        "topic_id": "OWN1",
        "topic": "Our racks",
        "section": "Ours",
        "text": "Which rack is the warmest?",
        "level": "junior",
        "expected_points": ["Rack 4."],
        "created_at": NOW,
    }
    return Question(**values | fields)


@given(st.text(max_size=30))
def test_no_cell_is_a_formula_and_every_cell_comes_back(cell: str) -> None:
    assert not neutral(cell).startswith(FORMULA)
    assert plain(neutral(cell)) == cell


@pytest.mark.parametrize("write", [as_csv, as_json])
def test_what_goes_out_comes_back_the_same(write: Any) -> None:
    rows = [
        own(text='=HYPERLINK("x")', tags=["+1", "rack; “row”"]),
        own(text="Second,\nin two lines", hints=["'=1"], optional=True, related_exercise="gpu"),
    ]
    back = read(write(rows))
    assert [row.problems for row in back] == [[], []]
    assert all(same_content(row.as_question(), one) for row, one in zip(back, rows, strict=True))


def test_csv_is_safe_for_spreadsheets() -> None:
    cells = list(csv.reader(io.StringIO(as_csv([own(text="=1+1", tags=["@SUM(A1)"])]))))
    assert cells[0] == list(COLUMNS)
    assert [cell for row in cells for cell in row if cell.startswith(FORMULA)] == []
    assert "'=1+1" in cells[1]


def test_mistakes_are_named_with_their_line_in_csv() -> None:
    text = as_csv([own(text="Two\nlines"), own(text="Other?", level="expert")])
    good, bad = read(text)
    assert (good.line, good.problems) == (2, [])
    assert (bad.line, bad.problems) == (4, ["level is one of: junior, mid, senior."])


def test_mistakes_are_named_with_their_line_in_json() -> None:
    text = json.dumps([WRONG | {"level": "mid", "expected_points": ["One."]}, WRONG], indent=0)
    good, bad = read(text)
    assert (good.line, good.problems) == (2, [])
    assert bad.line == 12
    assert bad.problems[0] == "level is one of: junior, mid, senior."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ('{"topic_id": "Q1"}', "list of questions"),
        ("[1, 2", "Line 1: a comma or the end"),
        ("[\n1,\n]", "Line 3: this is not JSON"),
        ("[1] more", "after the end"),
        ("[" * 100_000, "nested"),
        ("topic_id,topic\n1,2\n", "headings are missing: section"),
        ("topic_id,topic_id,topic,section,level,question,expected_points\n", "twice"),
        ('a,"b', "Line 1"),
        ("\x00", "not text"),
        (",".join(COLUMNS), "no question in the file"),
    ],
)
def test_file_that_cannot_be_read_says_why(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        read(text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"topic": ""}, "topic needs a text."),
        ({"topic_id": "x" * 21}, "longer than 20"),
        ({"question": "\ud800"}, "cannot be kept"),
        ({"expected_points": "one"}, "expected_points is a list of texts."),
        ({"expected_points": []}, "needs one point"),
        ({"hints": ["two\nlines"]}, "every entry is one line"),
        ({"optional": "perhaps"}, "optional is true or false."),
        ({"related_exercise": "chess"}, "related_exercise is one of"),
        ({"shipped": True}, "Unknown: shipped"),
    ],
)
def test_wrong_value_is_one_sentence(change: dict[str, Any], said: str) -> None:
    values = WRONG | {"level": "mid", "expected_points": ["One."]} | change
    (row,) = read(json.dumps([values]))
    assert any(said in problem for problem in row.problems)


def test_same_question_twice_is_named() -> None:
    first, second = read(as_json([own(), own(topic="Elsewhere")]))
    assert first.problems == []
    assert second.problems == ["The same question is in line 2."]


@pytest.mark.django_db
def test_import_adds_changes_and_leaves_alone() -> None:
    load_questions(now=NOW)
    by = User.objects.create_user("ines")
    kept, old = own(text="Stays?", topic="Stays"), own()
    kept.save()
    old.save()
    shipped = Question.objects.get(family="Q1")
    text = as_json([kept, own(text="Which rack is the coldest?"), own(topic="New"), shipped])
    assert [row.kind for row in plan(text)] == ["same", "changed", "new", "same"]
    counts = carry_out(text, by=by, now=NOW)
    assert counts == {"new": 1, "changed": 1, "same": 2, "wrong": 0}
    new = Question.objects.get(family=old.family, version=2)
    assert (new.text, new.changed_by) == ("Which rack is the coldest?", by)
    old.refresh_from_db()
    assert (old.text, old.replaced_at) == ("Which rack is the warmest?", NOW)
    assert set(carry_out(text, by=by, now=NOW).values()) == {0, 4}


@pytest.mark.django_db
def test_import_never_changes_a_shipped_question() -> None:
    load_questions(now=NOW)
    by = User.objects.create_user("ines")
    shipped = Question.objects.get(family="Q1")
    words, shipped.text = shipped.text, "Other words?"
    carry_out(as_json([shipped]), by=by, now=NOW)
    assert Question.objects.get(pk=shipped.pk).text == words
    assert Question.objects.get(text="Other words?").shipped is False


@pytest.mark.django_db
def test_second_change_of_the_same_version_is_refused() -> None:
    by = User.objects.create_user("ines")
    old = own()
    old.save()
    first = replace(old, own(text="One?"), by=by, now=NOW)
    assert (first.version, first.family) == (2, old.family)
    with pytest.raises(ReplacedMeanwhile, match="newest version"):
        replace(old, own(text="Two?"), by=by, now=NOW)
    assert replace(first, own(text="One?"), by=by, now=NOW) == first


@pytest.mark.django_db
def test_import_page_shows_first_and_imports_then() -> None:
    client = signed_in(INTERVIEWER)
    url = reverse("admin:question-import")
    file = SimpleUploadedFile("bank.json", as_json([own()]).encode())
    page = client.post(url, {"file": file})
    assert "1 of 1 questions would be imported" in page.content.decode()
    assert not Question.objects.exists()
    assert client.post(url, {"text": page.context["text"], "confirm": "yes"}).status_code == 302
    assert Question.objects.get().text == "Which rack is the warmest?"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff\xfe", "not UTF-8"), (b"[1", "Line 1"), (b"", "")]
)
def test_import_page_says_what_is_wrong(content: bytes, said: str) -> None:
    client = signed_in(INTERVIEWER)
    file = SimpleUploadedFile("bank.json", content)
    page = client.post(reverse("admin:question-import"), {"file": file}).content.decode()
    assert 'role="alert"' in page
    assert said in page


@pytest.mark.django_db
def test_export_is_for_readers_and_import_for_writers() -> None:
    load_questions(now=NOW)
    client = signed_in(RECRUITER)
    answer = client.get(reverse("admin:question-export-csv"))
    assert answer["Content-Disposition"] == 'attachment; filename="question-bank.csv"'
    count = len(shipped_questions())
    assert len(read(answer.content.decode())) == count
    assert len(client.get(reverse("admin:question-export-json")).json()) == count
    assert client.get(reverse("admin:question-import")).status_code == 403
    assert Client().get(reverse("admin:question-export-json")).status_code == 302


FORM: dict[str, Any] = {
    "topic_id": "OWN1",
    "topic": "Our racks",
    "section": "Ours",
    "level": "junior",
    "text": "Which rack is the coldest?",
    "expected_points": "Rack 4.",
    "follow_ups": "",
    "hints": "",
    "discussion_points": "",
    "tags": "",
    "related_exercise": "",
}


@pytest.mark.django_db
def test_changed_question_is_a_new_version_and_the_old_one_is_shown() -> None:
    client = signed_in(INTERVIEWER)
    old = own()
    old.save()
    url = reverse("admin:library_question_change", args=[old.pk])
    assert client.post(url, FORM).status_code == 302
    new = Question.objects.get(version=2)
    assert new.text == "Which rack is the coldest?"
    page = client.get(reverse("admin:library_question_change", args=[new.pk])).content.decode()
    assert "Which rack is the warmest?" in page
    assert client.post(url, FORM).status_code == 302  # the old one is no longer there to change
    assert Question.objects.count() == 2


@pytest.mark.django_db
def test_topics_are_offered_within_a_section() -> None:
    load_questions(now=NOW)
    client, url = signed_in(INTERVIEWER), reverse("admin:library_question_changelist")
    assert 'data-filter-title="topic"' not in client.get(url).content.decode()
    page = client.get(url, {"section__exact": "Scheduling"}).content.decode()
    assert 'data-filter-title="topic"' in page
    one = {"section__exact": "Scheduling", "topic": "Choosing a scheduler"}
    assert [q.topic_id for q in client.get(url, one).context["cl"].result_list] == ["Q22"] * 6
