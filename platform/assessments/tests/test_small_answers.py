"""What small functions hand on: without a database, each by itself."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assessments import ledger, parts
from assessments.cost import api, lines
from assessments.tests.stage import NOW
from assessments.troubleshooting import answerer
from assessments.troubleshooting.metrics_answers import Bad


@pytest.mark.parametrize(("given", "credited"), [(1, True), (0, False)])
def test_whether_time_was_given_back_is_said(
    given: int, credited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "credit_all", lambda attempts, **_: given)
    attempt = cast(Any, SimpleNamespace(awaiting_round=1))
    found = ledger.credit(attempt, began=NOW, ended=NOW, reason="Ours.", now=NOW)
    assert found is credited


def test_other_workers_are_told_of_every_part_but_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Rows:
        def exclude(self, **given: int) -> Rows:
            assert given == {"number": 1}
            return self

        def values_list(self, *_: str, **__: bool) -> list[int]:
            return [12, 13]

    told: list[tuple[Any, ...]] = []
    made = SimpleNamespace(objects=SimpleNamespace(bulk_create=lambda rows, **_: None))
    part = type("Part", (), {"objects": made.objects, "__init__": lambda self, **_: None})
    monkeypatch.setattr(parts, "GradingPart", part)
    monkeypatch.setattr(parts, "unplayed", lambda run: Rows())
    monkeypatch.setattr(parts, "publish", lambda *given, expires: told.append((*given, expires)))
    parts.open_parts(cast(Any, SimpleNamespace(hidden_workloads=3)))
    assert told == [
        ("assessments.tasks.execute_part", 12, 60),
        ("assessments.tasks.execute_part", 13, 60),
    ]


def test_rows_of_a_bill_are_told_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [{"id": "o1", "usd": 3.5}]
    monkeypatch.setattr(lines, "groups_of", lambda file: ())
    monkeypatch.setattr(lines, "told", lambda groups, rows: told)
    request = SimpleNamespace(data={"opportunities": []}, headers={}, META={})
    monkeypatch.setattr(api, "packed", lambda request, body, kind: (body, kind))
    body, kind = cast(
        Any,
        api.LinesView.post(cast(Any, SimpleNamespace(file="")), cast(Any, request), cast(Any, 1)),
    )
    assert (json.loads(body), kind) == (told, api.JSON)


def test_a_question_that_cannot_be_answered_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def bad(folder: Path, given: Any) -> bytes:
        raise Bad("That time is outside the recording.")

    monkeypatch.setitem(answerer.QUESTIONS, "series", bad)
    kind, body = answerer.answered(
        cast(Any, {"question": "series", "folder": f"{tmp_path}", "given": {}})
    )
    assert kind == answerer.REFUSED
    assert json.loads(body) == {"detail": "That time is outside the recording.", "position": None}
