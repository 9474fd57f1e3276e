"""What the database does not let through for a moment is tried again, and not for longer than anybody waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import OperationalError, transaction
from pytest_django import DjangoDbBlocker

from assessments import ledger


@pytest.fixture
def verb(
    monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> Iterator[Callable[[int], Callable[[], int]]]:
    """A verb that fails so many times; it says how often it was tried."""
    monkeypatch.setattr(ledger, "PAUSES_S", (0.0, 0.0))

    def failing(times: int) -> Callable[[], int]:
        tries = 0

        @ledger.persistent
        def tried() -> int:
            nonlocal tries
            tries += 1
            if tries <= times:
                raise OperationalError("database is locked")
            return tries

        return tried

    with django_db_blocker.unblock():  # outside of any test's transaction
        yield failing


def test_verb_gets_through_at_the_third_try(verb: Callable[[int], Callable[[], int]]) -> None:
    assert verb(0)() == 1
    assert verb(2)() == 3
    with pytest.raises(OperationalError):
        verb(3)()


def test_whoever_waited_for_long_is_told_so(
    verb: Callable[[int], Callable[[], int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "PATIENCE_S", -1.0)
    with pytest.raises(OperationalError):
        verb(1)()


@pytest.mark.django_db
def test_half_of_a_transaction_is_not_tried_again(
    verb: Callable[[int], Callable[[], int]],
) -> None:
    with pytest.raises(OperationalError), transaction.atomic():
        verb(1)()
