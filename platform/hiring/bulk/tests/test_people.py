"""What becomes of each row of a list, and that all of it is added once or not at all."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.not_possible import NotPossible
from hiring.bulk import people
from hiring.bulk.people import KNOWN, NEW, WRONG, add, check, factor_of
from hiring.bulk.reading import Record, read
from hiring.models import Accommodation, Candidate
from hiring.tests.desk import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def rhea() -> User:
    return User.objects.create_user("rhea", is_staff=True)


@pytest.fixture
def ada() -> Candidate:
    return Candidate.objects.create(name="Ada Fontaine", email="ada@example.com", created_at=NOW)


def everybody() -> Any:
    return Candidate.objects.all()


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (("", "a@b.de"), "The name is missing."),
        (("A" * 151, "a@b.de"), "longer than 150 characters"),
        (("A\nB", "a@b.de"), "Write it on one line"),
        (("A", ""), "The address is missing."),
        (("A", "a@b"), "“a@b” is no e-mail address."),
        (("A", "a@b.de", "Europe/Berlyn"), "“Europe/Berlyn” is no time zone"),
        (("A", "a@b.de", "", "much"), "Write extra time as 25 % or 1.25"),
        (("A", "a@b.de", "", "500%"), "Write extra time as 25 % or 1.25"),
        (("A", "a@b.de", "", "0.25"), "Write extra time as 25 % or 1.25"),
    ],
)
def test_each_wrong_row_says_what_to_do(row: tuple[str, ...], sentence: str) -> None:
    (found,) = check([Record(1, *row)], everybody())
    assert found.kind == WRONG
    assert sentence in found.problem


@pytest.mark.parametrize(
    ("text", "factor"),
    [("", "1"), ("25 %", "1.25"), ("25", "1.25"), ("1,25", "1.25"), ("x1.5", "1.5"), ("+50%", "1.5"),
     ("keine", "1"), ("4", "4"), ("10%", "1.1")],
)  # fmt: skip
def test_extra_time_is_read_as_people_write_it(text: str, factor: str) -> None:
    assert factor_of(text) == Decimal(factor)


@pytest.mark.parametrize("text", ["nan", "inf", "-25", "1e9", "--", "25 % more"])
def test_extra_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        factor_of(text)


def test_the_same_address_twice_is_wrong_the_second_time() -> None:
    rows = check(read("Bo,bo@example.com\nBob,BO@example.com").records, everybody())
    assert [row.kind for row in rows] == [NEW, WRONG]
    assert rows[1].problem == "Row 1 has the same address: keep one of them."


def test_who_is_there_already_keeps_the_name_and_gets_what_is_missing(
    ada: Candidate, rhea: User
) -> None:
    records = [Record(1, "A. Fontaine", "ADA@example.com", "europe/paris", "25%")]
    (row,) = check(records, everybody())
    assert row.kind == KNOWN
    assert row.notes == [
        "stays Ada Fontaine",
        "gets the time zone Europe/Paris",
        "extra time 1 becomes 1.25",
    ]
    assert add(records, everybody(), by=rhea, now=NOW) == ([ada.pk], 0)
    ada.refresh_from_db()
    assert (ada.name, ada.time_zone, ada.multiplier()) == (
        "Ada Fontaine",
        "Europe/Paris",
        Decimal("1.25"),
    )


def test_somebody_who_may_not_be_named_is_not_named(ada: Candidate) -> None:
    (row,) = check([Record(1, "X", "ada@example.com")], Candidate.objects.none())
    assert row.problem == people.OF_SOMEBODY_ELSE
    assert "Ada" not in row.problem


def test_right_rows_are_added_with_extra_time_and_a_trail_and_once(rhea: User) -> None:
    records = read(
        "Bo,bo@example.com,,\nCleo,cleo@example.com,Europe/Rome,50%\nWrong,nowhere"
    ).records
    added = add(records, everybody(), by=rhea, now=NOW)
    assert added.new == 2
    cleo = Candidate.objects.get(email="cleo@example.com")
    assert (cleo.time_zone, cleo.multiplier()) == ("Europe/Rome", Decimal("1.5"))
    assert Accommodation.objects.get().granted_by == rhea
    assert LogEntry.objects.filter(change_message__startswith="Added.").count() == 2
    again = add(records, everybody(), by=rhea, now=NOW)
    assert again == (added.candidates, 0)
    assert Candidate.objects.count() == 2
    assert Accommodation.objects.count() == 1


def test_nothing_is_added_where_one_row_meets_a_person_of_the_same_moment(
    rhea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = read("Bo,bo@example.com\nAda,ada@example.com").records
    rows = check(records, everybody())
    Candidate.objects.create(name="Ada", email="ada@example.com", created_at=NOW)
    monkeypatch.setattr(people, "check", lambda *_: rows)
    with pytest.raises(NotPossible, match="Nothing was added"):
        add(records, everybody(), by=rhea, now=NOW)
    assert Candidate.objects.count() == 1
    assert not LogEntry.objects.exists()


def test_a_thousand_rows_ask_as_little_as_ten(rhea: User, ada: Candidate) -> None:
    def rows(count: int) -> list[Record]:
        lines = [f"P {n},p{n}-{count}@example.com,UTC,10%" for n in range(count - 1)]
        return read("\n".join([*lines, "Ada,ada@example.com"])).records

    asked = []
    for count in (10, 1000):
        with CaptureQueriesContext(connection) as looked:
            check(rows(count), everybody())
        with CaptureQueriesContext(connection) as added:
            add(rows(count), everybody(), by=rhea, now=NOW)
        asked.append((len(looked), len(added)))
    (look_few, add_few), (look_many, add_many) = asked
    assert look_few == look_many == 3
    assert add_many <= add_few + 40  # rows go in by batches
    assert Candidate.objects.count() == 1 + 9 + 999
