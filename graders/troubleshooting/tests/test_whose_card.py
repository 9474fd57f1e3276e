"""What a card proposes helps against what the card claims, and so many machines locate nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graders.troubleshooting.answer import Answer
from graders.troubleshooting.matches import Match, Read
from graders.troubleshooting.matching import spread_out
from graders.troubleshooting.places import SPREAD
from graders.troubleshooting.sentences import statements
from graders.troubleshooting.stance import STATES
from graders.troubleshooting.tests.boards import answer, card, measures, node_of, truth
from graders.troubleshooting.truth import Truth

CAUSE = "silent-slow-node"


def actions(*, on_claim: str = "", on_other: str = "", immediate: str = "") -> float:
    """What the actions come to where the node is claimed on one card and another says something else."""
    claim = card(f"{node_of(CAUSE)} is a straggler, its compute takes 19 % longer", id="claim")
    other = card("Somebody should tidy the wiki.", id="other")
    found: dict[str, Any] = answer(
        [{**claim, "mitigation": on_claim}, {**other, "mitigation": on_other}], immediate=immediate
    )
    return measures(found)["actions"]


def test_a_card_counts_only_for_what_it_claims() -> None:
    cure = f"Drain {node_of(CAUSE)} and restart without it."
    assert actions() == 0
    assert actions(on_claim=cure) > 0
    assert actions(on_other=cure) == 0
    assert (
        actions(immediate=cure) == actions(on_claim=cure) == actions(on_claim=cure, on_other=cure)
    )


@pytest.mark.parametrize("key", [CAUSE, "ib-link-flapping", "ost-rebuild"])
def test_a_subject_is_scattered_beyond_twice_its_own_machines(key: str) -> None:
    """Up to three machines that are not meant, or twice as many as are, may be a slip."""
    _scatters(key, truth(), max(SPREAD, 2 * len(truth().spots[key].names)))
    spot = replace(truth().spots[key], names=frozenset({"a", "b", "c", "d"}))
    _scatters(key, replace(truth(), spots={**truth().spots, key: spot}), 8)


def _scatters(key: str, truth: Truth, most: int) -> None:
    for wrong in (0, most):
        assert spread_out(_said(key, wrong, each=1), truth) == set()
    assert spread_out(_said(key, most + 1, each=1), truth) == {key}
    assert spread_out(_said(key, most + 1, each=most + 1), truth) == {key}


def _said(key: str, wrong: int, *, each: int) -> list[Read]:
    """Statements that together give `key` so many machines that are not meant, `each` at a time."""
    (one,) = statements(Answer({"issues": "It is slow."}, ()))
    names = [f"m{number:03d}" for number in range(wrong)]
    parts = [tuple(names[at : at + each]) for at in range(0, wrong, each)] or [()]
    matches = [Match(one.id, key, STATES, "says so", (), (), (), part) for part in parts]
    return [Read(one, one.text, [match]) for match in matches]
