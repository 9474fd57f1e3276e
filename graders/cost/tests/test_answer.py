from __future__ import annotations

import json
from typing import Any

import pytest

from graders.cost.answer import parse
from graders.written import BadAnswer
from scenarios.packs import load_pack

ROW = {"id": "1", "what": "End idle notebooks", "where": {"account": "research-dev"}}


def answer(*rows: dict[str, Any], **sections: str) -> str:
    return json.dumps({"sections": sections, "opportunities": list(rows)})


def test_a_full_row_is_read() -> None:
    row = {
        **ROW,
        "saving": {"kind": "percent", "value": 40, "of": ""},
        "complexity": "low",
        "risk": "state is lost",
        "timeline": "2 weeks",
        "dependency": "",
        "priority": 2,
    }
    (found,) = parse(answer(row)).opportunities
    assert found.where == {"account": ("research-dev",)}
    assert (found.saving.kind, found.saving.value, found.priority) == ("percent", 40.0, 2)


@pytest.mark.parametrize("level", ["junior", "mid", "senior"])
def test_the_template_is_an_empty_answer(level: str) -> None:
    found = parse(load_pack("cost/fleet-bill").template(level)["answer.json"])
    assert found.opportunities == ()
    assert not found.notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "holds one object"),
        ("{", "is not JSON"),
        ('{"opportunities": [NaN]}', "is not JSON"),
        (answer("text"), "opportunities[1] is not an object"),  # type: ignore[arg-type]
        (answer({**ROW, "where": "all"}), "opportunities[1].where is an object"),
        (answer({**ROW, "where": {"colour": "red"}}), "it may have service"),
        (answer({**ROW, "where": {"tag": "team"}}), "is written key=value"),
        (answer({**ROW, "saving": {"kind": "euros"}}), "kind is percent or money"),
        (answer({**ROW, "saving": {"kind": "percent", "value": 140}}), "from 0 to 100"),
        (answer({**ROW, "saving": {"value": -3}}), "a number from 0"),
        (answer({**ROW, "complexity": "hard"}), "one of low, medium, high"),
        (answer({**ROW, "priority": 1.5}), "whole number from 1"),
        (answer(ROW, ROW), "the same id"),
        (json.dumps({"sections": {"reading": 3}}), "sections.reading is not text"),
        (json.dumps({"opportunities": [{}] * 61}), "at most 60"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, said: str) -> None:
    with pytest.raises(BadAnswer) as error:
        parse(text)
    assert said in str(error.value)


def test_keys_that_nobody_knows_become_notes() -> None:
    found = parse(json.dumps({"opportunities": [{**ROW, "colour": "red"}], "score": 1}))
    assert len(found.opportunities) == 1
    assert len(found.notes) == 2
