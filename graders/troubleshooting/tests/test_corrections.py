from __future__ import annotations

import json

import pytest

from graders.kinds import Asked, grade
from graders.troubleshooting.grading import KIND
from graders.troubleshooting.makers import write_golden
from graders.troubleshooting.tests.boards import (
    LEVEL,
    SEED,
    answer,
    assessed,
    card,
    measures,
    node_of,
    reading,
    row,
    truth,
)
from graders.written import BadCorrection
from scenarios.packs import load_pack

PACK = "troubleshooting/slow-training"
KEY = "silent-slow-node"


@pytest.mark.nightly
def test_a_word_of_the_interviewer_adds_a_match_that_was_not_seen() -> None:
    odd = answer([card("The new board makes it dawdle", id="a", hours=1.2, priority=1)])
    assert measures(odd)["causes_found"] == 0
    said = [{"statement": "h:a", "subject": KEY, "verdict": "states"}]
    found = assessed(odd, said)
    one = row(found, "cause", KEY)
    assert one["state"] == "found"
    assert one["statements"][0]["corrected"]
    values = {m.measure.key: m.value for m in found.measures}
    assert values["causes_found"] == pytest.approx(25)
    assert values["claims_hold"] == 100
    assert values["hours_explained"] > 0


@pytest.mark.nightly
def test_a_word_of_the_interviewer_takes_a_match_back_or_turns_it() -> None:
    claim = f"{node_of(KEY)} is a straggler, its compute takes longer"
    mine = answer([card(claim, id="a")])
    none = [{"statement": "h:a", "subject": KEY, "verdict": "none"}]
    aside = [{"statement": "h:a", "subject": KEY, "verdict": "dismisses"}]
    assert measures(mine)["causes_found"] == 25
    assert measures(mine, none)["causes_found"] == 0
    assert row(assessed(mine, aside), "cause", KEY)["state"] == "put aside"
    assert measures(mine, [*none, {**none[0], "verdict": "states"}])["causes_found"] == 25


def test_a_blamed_herring_can_be_put_right() -> None:
    text = "The clock of hgx-009 is ahead and slows the job."
    before = row(assessed(answer(issues=text)), "herring", "clock-ahead")
    assert before["state"] == "swallowed"
    said = [{"statement": "issues:1", "subject": "clock-ahead", "verdict": "dismisses"}]
    assert (
        row(assessed(answer(issues=text), said), "herring", "clock-ahead")["state"] == "dismissed"
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"statement": "issues:99"}, "no statement 'issues:99'"),
        ({"subject": "gremlins"}, "no cause or herring 'gremlins'"),
        ({"verdict": "perhaps"}, "A verdict is one of"),
    ],
)
def test_a_correction_of_nothing_is_refused(wrong: dict[str, str], said: str) -> None:
    good = {"statement": "issues:1", "subject": KEY, "verdict": "states"}
    with pytest.raises(BadCorrection, match=said):
        assessed(answer(issues="A sentence of some words."), [{**good, **wrong}])


@pytest.mark.nightly
def test_a_kept_report_is_corrected_without_its_variant() -> None:
    files = write_golden(load_pack(PACK), LEVEL, "competent", SEED)
    first = grade(PACK, LEVEL, SEED, files).to_dict()
    again = grade(PACK, LEVEL, SEED, files).to_dict()
    assert json.dumps(first) == json.dumps(again)
    kept = json.loads(json.dumps(first))
    missed = next(r for r in kept["evidence"] if r["kind"] == "cause" and r["state"] == "missed")
    said = [{"statement": "h:1", "subject": missed["key"], "verdict": "states"}]
    quick = KIND.reassess(kept, said)
    asked = Asked(load_pack(PACK), LEVEL, SEED, files)
    whole = KIND.assess(KIND.read(KIND.parse(files["answer.json"]), asked)[0], said)
    assert quick.measures == whole.measures
    assert json.dumps(quick.evidence[:-1]) == json.dumps(whole.evidence)
    before = next(one["value"] for one in first["measures"] if one["key"] == "causes_found")
    after = next(one.value for one in whole.measures if one.measure.key == "causes_found")
    assert after > before
    undone = KIND.reassess({"evidence": quick.evidence}, ())
    assert [one.to_dict() for one in undone.measures] == first["measures"]


def test_a_report_without_a_reading_cannot_be_corrected() -> None:
    with pytest.raises(LookupError):
        KIND.reassess({"evidence": []}, ())


def test_corrections_leave_the_reading_as_it_is() -> None:
    found = reading(answer([card("Something odd", id="a")]))
    before = json.dumps(found)
    assessed(
        answer([card("Something odd", id="a")]),
        [{"statement": "h:a", "subject": KEY, "verdict": "states"}],
    )
    assert json.dumps(found) == before


def test_a_cause_has_the_minute_in_which_it_came_on_the_board() -> None:
    claim = f"{node_of(KEY)} is a straggler, its compute takes longer"
    board = answer([card(claim, opened_min=7.5), card("x", id="late", opened_min=2)])
    found = assessed(board)
    assert row(found, "cause", KEY)["minute"] == 7.5
    order = next(one for one in found.evidence if one["kind"] == "investigation")["order"]
    assert [one["minute"] for one in order] == [2, 7.5]
    assert order[1]["subjects"] == [KEY]


@pytest.mark.nightly
def test_evidence_explains_itself() -> None:
    report = grade(
        PACK, LEVEL, SEED, write_golden(load_pack(PACK), LEVEL, "expert", SEED)
    ).to_dict()
    kinds = {one["kind"] for one in report["evidence"]}
    assert {"cause", "herring", "investigation", KIND.reading} <= kinds
    for one in report["evidence"]:
        if one["kind"] == "cause":
            assert one["hours"]["near"] == [1.0] * len(one["hours"]["said"])
            assert all(rows for rows in one["actions"].values())
            assert all(match["words"] and match["why"] for match in one["statements"])
    assert len([one for one in report["evidence"] if one["kind"] == "cause"]) == len(truth().causes)
    assert report["versions"]["sdk"] == report["versions"]["image"] == ""
