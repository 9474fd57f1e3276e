from __future__ import annotations

import json

import pytest

from graders.scaling.answer import LONGEST, parse, plan_of
from graders.written import BadAnswer
from scenarios.packs import load_pack
from scenarios.scaling.reading import to_json

ORDER = {"id": "p1", "month": "2026-02", "item": "spine", "count": 2, "site": "Site A"}


@pytest.mark.parametrize("level", ["junior", "mid", "senior"])
def test_the_template_is_an_answer_that_changes_nothing(level: str) -> None:
    pack = load_pack("scaling-plan/growth-year")
    found = parse(pack.template(level)["answer.json"])
    assert found.changes == 0
    assert found.notes == ()
    schema = json.loads(pack.template(level)["answer.schema.json"])
    assert list(found.sections) == [one.key for one in pack.sections(level)]
    assert list(schema["properties"]["sections"]["properties"]) == list(found.sections)
    assert set(to_json(found.plan)) == set(schema["properties"]["plan"]["properties"])


def test_sections_and_plan_are_read() -> None:
    found = parse(json.dumps({"sections": {"money": "Two"}, "plan": {"purchases": [ORDER]}}))
    assert found.sections == {"money": "Two"}
    assert [one.count for one in found.plan.purchases] == [2]
    assert found.changes == 1


def test_a_row_that_is_not_finished_is_kept_out_and_said() -> None:
    found = parse(json.dumps({"plan": {"purchases": [ORDER, {**ORDER, "count": None}]}}))
    assert len(found.plan.purchases) == 1
    assert "Row 2 of purchases" in found.plan.left_out[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "holds one object"),
        ("{", "answer.json is not JSON (line 1)"),
        ('{"plan": {"claims": {"capex_usd": NaN}}}', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"sections": []', "is not JSON"),
        ('{"sections": [1]}', "sections is an object"),
        ('{"sections": {"money": 3}}', "sections.money is not text"),
        (json.dumps({"sections": {"money": "a" * 60_001}}), "longer than 60000"),
        ('{"plan": [1]}', "must hold an object"),
        ('{"plan": {"purchases": {"a": 1}}}', "purchases in plan.json must be a list"),
        ('{"plan": {"phases": [3]}}', "Row 1 of phases"),
        (" " * 5 + "a" * (LONGEST + 1), "longer than 2,000,000"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(BadAnswer) as error:
        parse(text)
    assert said in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_keys_that_nobody_knows_become_notes() -> None:
    found = parse(json.dumps({"sections": {"poem": "x"}, "score": 1}))
    assert len(found.notes) == 2


def test_a_draft_has_its_plan_in_a_file_of_its_own() -> None:
    answer = json.dumps({"plan": {"purchases": [ORDER]}})
    assert len(plan_of({"answer.json": answer}).purchases) == 1
    both = {"answer.json": answer, "plan.json": json.dumps({"purchases": [ORDER, ORDER]})}
    assert len(plan_of(both).purchases) == 2
    assert plan_of({}).purchases == ()
    assert plan_of({"plan.json": "  "}).purchases == ()
    with pytest.raises(BadAnswer, match=r"plan\.json is not JSON"):
        plan_of({"plan.json": "{,"})
