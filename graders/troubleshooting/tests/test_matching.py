"""Whether what people write is understood: the pack's two engineers, the key's own words, and too few words."""

from __future__ import annotations

import pytest

from graders.troubleshooting.answer import Answer
from graders.troubleshooting.assess import assess
from graders.troubleshooting.catalogue import CAUSE, HERRING, kin, subjects
from graders.troubleshooting.makers import _Vague, _words
from graders.troubleshooting.matching import spoken_of
from graders.troubleshooting.patterns import flat, group
from graders.troubleshooting.reading import read
from graders.troubleshooting.tests.boards import answer, assessed, card, node_of, row, state, truth
from scenarios.packs import load_pack

WORDS = _words(load_pack("troubleshooting/slow-training").folder / "goldens")
CAUSES = [key for key, one in subjects().items() if one.kind == CAUSE]
HERRINGS = [key for key, one in subjects().items() if one.kind == HERRING]


def named(text: str) -> set[str]:
    return {subject.key for subject, _ in spoken_of(flat(text))}


@pytest.mark.parametrize("style", [0, 1])
@pytest.mark.parametrize("key", CAUSES)
@pytest.mark.by_day(every=2)
def test_both_engineers_are_understood_without_any_place(key: str, style: int) -> None:
    text = WORDS[key]["issue"][style].format_map(_Vague("some node", 1.0))
    assert key in named(text)


@pytest.mark.parametrize("key", HERRINGS)
def test_herrings_are_understood_whether_blamed_or_put_aside(key: str) -> None:
    for text in (*WORDS[key]["aside"], WORDS[key]["blame"]):
        assert key in named(text.format_map(_Vague("n007", 1.0)))


@pytest.mark.nightly
def test_no_subject_is_met_by_one_group_of_words() -> None:
    for subject in subjects().values():
        assert subject.ways
        assert all(len(way) >= 2 for way in subject.ways), subject.key
        if subject.kind == CAUSE:
            assert subject.mitigate
            assert subject.prevent
            assert subject.topic
            assert subject.signs
        else:
            assert subject.reasons
    assert all(key in subjects() for one in kin() for key in one)
    for subject in subjects().values():
        for way in (*subject.ways, *subject.mitigate, *subject.prevent):
            assert all(group(terms) for terms in way)


@pytest.mark.parametrize(
    "text",
    [
        "The network is slow.",
        "Storage problems.",
        "There is a thermal issue somewhere.",
        "The GPUs are underutilised because of configuration drift after the maintenance.",
        "One of the nodes is a problem and should be looked at.",
        "Checkpointing, data loading and collectives all matter.",
        "We need better monitoring and alerting, and a health check before each job.",
    ],
)
def test_words_that_fit_everything_name_nothing(text: str) -> None:
    assert named(text) == set()


def test_the_keys_own_sentences_are_understood_and_claim_nothing_else() -> None:
    key = truth().key
    found = Answer(
        {
            "issues": "\n\n".join(f"{one.title}. {one.story}" for one in key.causes)
            + "\n\n## Harmless\n\n"
            + "\n\n".join(f"{one.title}. {one.why}" for one in key.herrings),
            "immediate": "\n\n".join(one.mitigation for one in key.causes),
            "long_term": "\n\n".join(one.fix for one in key.causes),
        },
        (),
    )
    values = {one.measure.key: one.value for one in assess(read(found, truth())).measures}
    assert (values["causes_found"], values["claims_hold"]) == (100, 100)
    assert values["actions"] == 100
    assert values["herrings"] >= 80


def test_a_match_says_which_words_and_which_place() -> None:
    node = node_of("silent-slow-node")
    found = assessed(
        answer([card(f"{node} computes 19 % longer than all others at the same clock")])
    )
    one = row(found, "cause", "silent-slow-node")
    assert one["state"] == "found"
    match = one["statements"][0]
    assert match["where"] == "hypothesis 1"
    assert {"longer", "computes"} <= set(match["words"])
    assert node in match["places"]


def test_named_without_a_place_is_worth_a_part_and_a_place_beside_it_counts() -> None:
    vague = "The storage switch drops jumbo frames, MTU is 1500 there."
    switch = truth().key.causes[1].places[0]
    assert state(answer(issues=vague), "mtu-mismatch") == "named"
    assert state(answer(issues=f"{vague} It is {switch}."), "mtu-mismatch") == "found"
    assert state(answer(issues=f"{vague}\n\nIt is {switch}."), "mtu-mismatch") == "named"
    pin = {"kind": "command", "command": "ip link", "host": switch, "text": "mtu 1500"}
    assert state(answer([card(vague, pins=[pin])]), "mtu-mismatch") == "found"


def test_two_sentences_of_a_paragraph_may_name_a_cause_together() -> None:
    node = node_of("silent-slow-node")
    text = f"All ranks of {node} stand out. Their compute takes 19 % longer."
    assert state(answer(issues=text), "silent-slow-node") == "found"


def test_refuted_open_and_aside_are_no_claims() -> None:
    node = node_of("silent-slow-node")
    claim = f"{node} is a straggler, its compute takes longer"
    assert state(answer([card(claim, status="refuted")]), "silent-slow-node") == "put aside"
    assert state(answer([card(claim, status="open")]), "silent-slow-node") == "missed"
    assert state(answer([card(claim, status="open", hours=1.2)]), "silent-slow-node") == "found"
    assert state(answer(issues=f"Ruled out:\n\n- {claim}\n"), "silent-slow-node") == "put aside"
    assert state(answer(long_term=f"{claim}."), "silent-slow-node") == "missed"


def test_the_same_thing_put_aside_elsewhere_contradicts_nothing() -> None:
    node = node_of("silent-slow-node")
    other = min(truth().machines["node"] - {node})
    cards = [
        card(f"{node} is a straggler, its compute takes longer"),
        card(f"{other} is a straggler, its compute takes longer", status="refuted"),
    ]
    assert state(answer(cards), "silent-slow-node") == "found"
    cards[1]["claim"] = cards[0]["claim"] + " always"
    assert state(answer(cards), "silent-slow-node") == "contradicted"
