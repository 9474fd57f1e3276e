"""Which tests a second database repeats: all statements of the site, and each in as few tests as can be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction

from accounts.roles import sync_roles
from headnode.tests import statements
from headnode.tests.statements import enough, known, listening, shape

pytest_plugins = ["pytester"]


def asked(**tests: str) -> statements.Known:
    """Tests of a second each; every letter is something that is asked."""
    return {name: (1.0, frozenset(letters)) for name, letters in tests.items()}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a WHERE b IN (%s, %s)", "SELECT a WHERE b IN (%s, %s, %s, %s)"),
        ("VALUES (%s, %s), (%s, %s)", "VALUES (%s, %s), (%s, %s), (%s, %s)"),
        ('SAVEPOINT "s140_x1"', 'SAVEPOINT "s99_x27"'),
    ],
)
def test_how_many_values_there_are_makes_no_other_statement(one: str, other: str) -> None:
    assert shape(one) == shape(other)
    assert shape(one) != shape("SELECT a WHERE c IN (%s)")


@pytest.mark.django_db
def test_what_the_site_asks_is_heard_and_what_the_test_asks_is_not() -> None:
    found: set[tuple[str, str, str]] = set()
    with listening(found):
        Group.objects.filter(name="mine").exists()
    assert found == set()
    with listening(found):
        sync_roles()
    places = {place for place, _, _ in found}
    assert places == {"/accounts/roles.py:sync_roles"}
    before = set(found)
    Group.objects.filter(name="nobody listens").exists()
    sync_roles()
    assert found == before


@pytest.mark.django_db
def test_a_statement_that_fails_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    found: set[tuple[str, str, str]] = set()
    monkeypatch.setattr(statements, "_place", lambda: "/reviews/x.py:f")
    with listening(found):
        Group.objects.create(name="once")
        with pytest.raises(IntegrityError), transaction.atomic():
            Group.objects.create(name="once")
    assert {outcome for _, sql, outcome in found if sql.startswith("INSERT")} == {
        "",
        "IntegrityError",
    }


def test_few_tests_ask_everything() -> None:
    tests = asked(whole="abcd", part="ab", other="de", none="")
    assert enough(tests) == {"whole", "other"}
    assert enough({}) == set()


def test_the_quicker_of_two_is_chosen_and_always_the_same() -> None:
    tests = {"slow": (9.0, frozenset("ab")), "quick": (0.1, frozenset("ab"))}
    assert enough(tests) == {"quick"}
    assert enough(asked(b="ab", a="ab")) == enough(asked(a="ab", b="ab")) == {"a"}


def test_only_tests_that_pass_are_kept(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_good(): pass\ndef test_bad(): assert False\n")
    folder = Path(pytester.path) / "kept"
    done = pytester.runpytest_inprocess(
        "-p", "no:django", "-p", "no:cacheprovider", plugins=[statements.Recorder(folder)]
    )
    done.assert_outcomes(passed=1, failed=1)
    rows = [json.loads(line) for path in folder.iterdir() for line in path.open()]
    assert [(row["test"].split("::")[1], row["asked"]) for row in rows] == [("test_good", [])]
    assert list(known(folder)) == [rows[0]["test"]]


def test_where_nothing_was_kept_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No test's statements"):
        known(tmp_path)
