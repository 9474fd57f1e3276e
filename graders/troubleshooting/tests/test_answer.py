from __future__ import annotations

import json
from typing import Any

import pytest

from graders.kinds import grade
from graders.troubleshooting.answer import parse
from graders.written import BadAnswer
from scenarios.packs import load_pack

PACK = "troubleshooting/slow-training"


def pinned(**pin: Any) -> dict[str, Any]:
    return {"hypotheses": [{"id": "a", "claim": "x", "pins": [pin]}]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("not json", "answer.json is not JSON"),
        ('{"hypotheses": NaN}', "answer.json is not JSON"),
        ("[]", "holds one object"),
        ({"sections": []}, "sections is an object"),
        ({"sections": {"issues": 3}}, "sections.issues is not text"),
        ({"sections": {"issues": "a" * 60_001}}, "longer than 60000 characters"),
        ({"hypotheses": {}}, "at most 200 objects"),
        ({"hypotheses": [{}] * 201}, "at most 200 objects"),
        ({"hypotheses": ["x"]}, "hypotheses[1] is not an object"),
        ({"hypotheses": [{"status": "sure"}]}, "hypotheses[1].status is one of open"),
        ({"hypotheses": [{"hours": "two"}]}, "hypotheses[1].hours is a number or null"),
        ({"hypotheses": [{"hours": True}]}, "hypotheses[1].hours is a number or null"),
        ({"hypotheses": [{"hours": 1e300}]}, "hypotheses[1].hours is a number or null"),
        ({"hypotheses": [{"priority": 1.5}]}, "hypotheses[1].priority is a whole number"),
        ({"hypotheses": [{"id": "a"}, {"id": "a"}]}, "same id"),
        (pinned(kind="photo"), "hypotheses[1].pins[1] is an object whose kind"),
        (pinned(kind="log", path="a"), "lacks line, which a log pin needs"),
        (pinned(kind="log", path="a", line=1.5), "line is a whole number"),
        (pinned(kind="chart", metric="m", from_ms=0, to_ms=1, labels=3), "labels is an object"),
    ],
)
def test_bad_answer_gives_one_sentence_that_names_the_place(data: Any, said: str) -> None:
    with pytest.raises(BadAnswer) as error:
        parse(data if isinstance(data, str) else json.dumps(data))
    assert said in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_bad_answer_is_the_candidates_error_and_measures_nothing() -> None:
    report = grade(PACK, "mid", 1, {"answer.json": "{"})
    assert (report.status, report.measures, report.score) == ("candidate_error", [], None)
    assert report.detail.startswith("Not measured: answer.json is not JSON")
    assert "Traceback" not in report.detail


def test_unknown_keys_are_tolerated_and_noted() -> None:
    found = parse(
        json.dumps(
            {
                "sections": {"issues": "x", "poem": "y"},
                "author": "me",
                "hypotheses": [{"claim": "x", "colour": "red", "pins": []}],
            }
        )
    )
    assert found.sections["poem"] == "y"
    assert found.hypotheses[0].id == "1"
    text = " ".join(found.notes)
    assert "author" in text
    assert "colour" in text
    assert "poem" in text


@pytest.mark.parametrize("text", ["", "{}", '{"sections": {"issues": "  "}, "hypotheses": []}'])
def test_nothing_written_is_silent(text: str) -> None:
    assert parse(text).silent


def test_every_level_hands_out_a_template_that_is_silent() -> None:
    pack = load_pack(PACK)
    for level in pack.levels:
        assert parse(pack.template(level)[pack.entry]).silent
