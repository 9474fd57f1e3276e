"""Ways to look good without having found anything, each of which must not pay."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from graders.measures import total
from graders.troubleshooting.answer import parse
from graders.troubleshooting.catalogue import CAUSE, HERRING, subjects
from graders.troubleshooting.makers import MAKERS, Maker, _Vague, maker_of
from graders.troubleshooting.tests.boards import (
    LEVEL,
    SEED,
    Json,
    answer,
    assessed,
    card,
    measures,
    node_of,
    reading,
    row,
    state,
    truth,
    written,
)
from scenarios.packs import load_pack
from scenarios.troubleshooting.levels import QUIET

CAUSES = [key for key, one in subjects().items() if one.kind == CAUSE]
HERRINGS = [key for key, one in subjects().items() if one.kind == HERRING]


def maker() -> Maker:
    folder = load_pack("troubleshooting/slow-training").folder / "goldens"
    return maker_of(folder, LEVEL, SEED, settings=QUIET[LEVEL])


def score(found: Json) -> float:
    return total(assessed(found).measures) or 0.0


def phrase(key: str, machine: str) -> str:
    text: str = maker().words[key]["issue"][0]
    return text.format_map(_Vague(machine, 1.0))


def competent() -> float:
    return score(MAKERS["competent"](maker()))


def test_naming_every_machine_locates_nothing() -> None:
    nodes = ", ".join(sorted(truth().machines["node"]))
    claim = "is a straggler, its compute takes 19 % longer"
    assert state(answer([card(f"One of {nodes} {claim}")]), "silent-slow-node") == "named"
    first, last = min(truth().machines["node"]), max(truth().machines["node"])
    assert state(answer([card(f"One of {first}-{last} {claim}")]), "silent-slow-node") == "named"
    one_each = [card(f"{node} {claim}") for node in sorted(truth().machines["node"])]
    assert state(answer(one_each), "silent-slow-node") == "named"
    few = [node_of("silent-slow-node"), *sorted(truth().machines["node"])[:2]]
    assert state(answer([card(f"{node} {claim}") for node in few]), "silent-slow-node") == "found"


def test_a_cause_without_its_place_counts_half_where_no_claim_has_one() -> None:
    slow = card("A straggler: the compute of one node takes longer than that of its peers")
    rebuild = card(maker().say("ost-rebuild", "issue", 0))
    one = 100 / len(truth().causes)
    assert measures(answer([slow]))["causes_found"] == pytest.approx(0.4 / 2 * one)
    assert measures(answer([slow, rebuild]))["causes_found"] == pytest.approx((0.4 + 1) * one)


def test_the_order_of_a_list_of_everything_says_nothing() -> None:
    """Two causes of it stand in one order or the other by chance."""
    few = list(truth().causes)
    rest = [key for key in CAUSES if key not in few]
    cards = [
        card(maker().say(key, "issue", 0), priority=number) for number, key in enumerate(few, 1)
    ]
    more = [card(phrase(key, "some node"), priority=len(few) + 1) for key in rest]
    assert measures(answer(cards))["order"] == pytest.approx(100)
    part = 2 * len(few) / len(CAUSES)
    assert measures(answer(cards + more))["order"] <= 100 * part**2 + 1


@pytest.mark.nightly
def test_every_cause_with_every_node_in_sentences_of_their_own() -> None:
    nodes = [node_of("silent-slow-node"), *sorted(truth().machines["node"])[:6]]
    lines = [f"- {phrase(key, node)}" for key in CAUSES for node in nodes]
    for section in ("issues", "first_look", "priorities"):
        found = measures(written({section: "\n".join(lines)}))
        assert found["claims_hold"] <= 16
        assert found["causes_found"] <= 25


@pytest.mark.nightly
def test_claims_hidden_in_sections_that_claim_nothing_gain_nothing() -> None:
    text = "\n".join(f"- {phrase(key, node_of('silent-slow-node'))}" for key in CAUSES)
    found = measures(answer(issues="See below.", immediate=text, long_term=text, business=text))
    assert set(found.values()) == {0}


@pytest.mark.nightly
def test_one_endless_sentence_is_many_claims() -> None:
    text = " and ".join(
        phrase(key, node_of("silent-slow-node")).replace(".", ",") for key in CAUSES
    )
    found = measures(answer(issues=text))
    assert found["claims_hold"] <= 25
    assert found["causes_found"] <= 40


def test_claiming_and_putting_aside_the_same_does_not_pay() -> None:
    claims = [card(phrase(key, "some node"), hours=1, priority=1) for key in CAUSES]
    aside = [{**one, "id": f"no {n}", "status": "refuted"} for n, one in enumerate(claims)]
    both = measures(answer([*claims, *aside]))
    once = measures(answer(claims))
    assert both["causes_found"] < once["causes_found"]
    assert both["claims_hold"] <= once["claims_hold"] <= 16


def test_herrings_claimed_and_put_aside_are_worth_nothing() -> None:
    one = maker()
    both = "\n".join(
        f"- {one.of_herring(key, part)}" for key in one.herrings for part in ("aside", "blame")
    )
    found = measures(answer(issues=both))
    assert found["herrings"] <= 0
    assert found["claims_hold"] == 0


@pytest.mark.nightly
def test_putting_every_herring_of_the_catalogue_aside_counts_in_proportion() -> None:
    words = maker().words
    text = "\n".join(
        f"- {words[key]['aside'][0].format_map(_Vague('n1', 1.0))}" for key in HERRINGS
    )
    mine = MAKERS["expert"](maker())
    assert 0 < measures(answer(issues=text))["herrings"] <= 60
    assert measures(mine)["herrings"] == 100


def test_a_spray_of_numbers_explains_less_than_one_that_is_meant() -> None:
    node, hours = node_of("silent-slow-node"), truth().causes["silent-slow-node"].hours
    claim = f"{node} is a straggler, its compute takes longer"
    sure = measures(answer(issues=f"{claim}: {hours:.1f} h."))["hours_explained"]
    sprayed = "It costs 0.2 h, 0.5 h, 1 h, 1.2 h, 2 h, 3 h, 4 h or 5 h."
    assert 0 < measures(answer(issues=f"{claim}. {sprayed}"))["hours_explained"] < 0.5 * sure
    assert measures(answer(issues=f"{claim}. It costs 5 h."))["hours_explained"] == 0


def test_every_metric_pinned_to_everything_shows_little() -> None:
    board = MAKERS["expert"](maker())
    every = [
        {"kind": "chart", "metric": metric, "from_ms": 0, "to_ms": 9e14}
        for metric in truth().key.metrics
    ]
    lines = [{"kind": "log", "path": path, "line": 1} for path in list(truth().files)[:100]]
    for one in board["hypotheses"]:
        one["pins"] = [*every, *lines]
    found = measures(board)
    assert found["causes_found"] == 100
    assert found["evidence"] <= 25


def test_hypotheses_without_meaning_cost_nothing_and_bring_nothing() -> None:
    junk = [card(f"Something is odd with thing {n}", priority=n, hours=n) for n in range(1, 199)]
    found = assessed(answer(junk))
    assert {one.value for one in found.measures} == {0}
    assert len([one for one in found.evidence if one["kind"] == "unmatched"]) == 60


def test_priorities_by_the_dozen_bring_no_order() -> None:
    board = MAKERS["expert"](maker())
    assert len(board["hypotheses"]) == len(truth().key.causes)
    for one in board["hypotheses"]:
        one["priority"] = 1
    assert measures(board)["order"] == 0
    for number, one in enumerate(board["hypotheses"]):
        one["priority"] = 10 - number
    # what overlaps stands together, and what takes less effort may go first: some pairs are right this way too
    assert measures(board)["order"] < 0


@pytest.mark.parametrize("name", ["guesser", "guesser_everywhere", "herring_chaser", "generic"])
@pytest.mark.by_day(but=["guesser_everywhere"])
def test_who_has_found_nothing_stays_far_below_who_has(name: str) -> None:
    assert score(MAKERS[name](maker())) <= competent() - 0.4


def test_a_herring_as_the_cause_of_everything_is_a_named_finding() -> None:
    found = assessed(MAKERS["herring_chaser"](maker()))
    claims = [one for one in found.evidence if one["kind"] == "claim"]
    assert {one["key"] for one in claims} == set(truth().herrings)
    assert {one["finding"] for one in claims} == {"A herring of this variant."}
    assert row(found, "herring", "clock-ahead")["state"] == "swallowed"


@pytest.mark.nightly
def test_a_long_answer_is_read_in_reasonable_time() -> None:
    text = " ".join(phrase(key, "some node") for key in CAUSES)
    sections: Mapping[str, str] = dict.fromkeys(("issues", "first_look"), (text * 9)[:59_000])
    started = time.process_time()
    reading(written(sections, [card(text[:2_000], id=str(n)) for n in range(40)]))
    assert time.process_time() - started < 20
    assert not parse("{}").hypotheses
