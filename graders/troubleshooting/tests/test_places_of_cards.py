"""The place in a hypothesis's own field comes before what its words say of places."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graders.troubleshooting.answer import parse
from graders.troubleshooting.tests.boards import (
    answer,
    assessed,
    card,
    measures,
    node_of,
    row,
    state,
    truth,
)

CAUSE = "silent-slow-node"
CLAIM = "A straggler: its compute takes longer than that of the others"


def another() -> str:
    """A node that has nothing to do with the cause."""
    return next(n for n in sorted(truth().machines["node"]) if n != node_of(CAUSE))


def placed(place: str, claim: str = CLAIM, **more: Any) -> dict[str, Any]:
    return answer([card(claim, place=place, hours=1.0, **more)])


def test_a_card_without_the_field_is_read_as_before() -> None:
    assert parse(json.dumps(answer([card(CLAIM)]))).hypotheses[0].place == ""
    assert state(answer([card(CLAIM)]), CAUSE) == "named"
    assert state(answer([card(f"{node_of(CAUSE)}: {CLAIM}")]), CAUSE) == "found"


def test_the_field_places_a_cause_that_its_words_do_not_place() -> None:
    assert state(placed(node_of(CAUSE)), CAUSE) == "found"
    assert state(placed(another()), CAUSE) == "named, wrong place"
    assert (
        measures(placed(node_of(CAUSE)))["causes_found"]
        > 0
        == measures(placed(another()))["causes_found"]
    )


def test_the_field_outweighs_places_in_the_words() -> None:
    """Somebody compares with a sound node, or copies the right name into the words alone."""
    right = placed(node_of(CAUSE), f"A straggler, its compute takes longer than on {another()}")
    wrong = placed(another(), f"{node_of(CAUSE)} is a straggler, its compute takes longer")
    assert state(right, CAUSE) == "found"
    assert state(wrong, CAUSE) == "named, wrong place"


def test_prose_does_not_mend_a_card_that_sends_people_elsewhere() -> None:
    found = placed(another())
    found["sections"]["issues"] = f"{node_of(CAUSE)} is a straggler, its compute takes longer."
    assert state(found, CAUSE) == "named, wrong place"
    found["hypotheses"][0]["place"] = node_of(CAUSE)
    assert state(found, CAUSE) == "found"


@pytest.mark.parametrize("place", ["", "the whole job", "somewhere", "compute"])
def test_a_field_that_names_nothing_leaves_it_to_the_words(place: str) -> None:
    assert state(placed(place, f"{node_of(CAUSE)}: {CLAIM}"), CAUSE) == "found"
    assert state(placed(place, f"{another()}: {CLAIM}"), CAUSE) == "named, wrong place"


def test_every_node_in_the_field_is_no_place() -> None:
    assert state(placed(", ".join(sorted(truth().machines["node"]))), CAUSE) == "named"


def test_a_question_mark_in_the_field_makes_a_guess() -> None:
    sure, asked = measures(placed(node_of(CAUSE))), measures(placed(f"{node_of(CAUSE)}?"))
    assert asked["causes_found"] < sure["causes_found"]


def test_the_evidence_shows_what_the_field_said() -> None:
    first = row(assessed(placed(another())), "cause", CAUSE)["statements"][0]
    assert (first["place"], first["elsewhere"]) == (another(), [another()])
    assert first["sure"] >= 0.9
