"""What answers of a stranger showed: places of the job itself, advice, notes, numbers, pasted lines."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from graders.troubleshooting.answer import Answer, parse
from graders.troubleshooting.assess import assess
from graders.troubleshooting.figures import hours_said
from graders.troubleshooting.makers import write_golden
from graders.troubleshooting.matching import spoken_of
from graders.troubleshooting.patterns import flat, hits
from graders.troubleshooting.places import Spot, limits_in
from graders.troubleshooting.reading import read
from graders.troubleshooting.scoring import Said, nearness, order_of
from graders.troubleshooting.sentences import statements
from graders.troubleshooting.stance import heads_aside, stance
from graders.troubleshooting.truth import Truth, truth_of
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.troubleshooting.levels import LEVELS, QUIET
from scenarios.troubleshooting.truth import make_incident

NEIGHBOUR = "Job 93542 of tokafor fills the uplinks with its all-to-all, 2.5 h."
NAMES = "10.20.0.53 was retired, and every node's resolver still asks it first, 1.5 h."
REBUILD = "md120 on oss01 rebuilds, so scratch-OST0000 is slow, 1.3 h."
RECOMPUTE = "activation_checkpointing is full in our config.yaml, 2.0 h."
ALL = f"{NEIGHBOUR}\n\n{RECOMPUTE}\n\n{NAMES}\n\n{REBUILD}\n"


@cache
def variant() -> Truth:
    return truth_of(DEFAULT, "mid", 61, QUIET["mid"])


def reading(issues: str, *cards: dict[str, Any], **sections: str) -> dict[str, Any]:
    answer = {"sections": {"issues": issues, **sections}, "hypotheses": list(cards)}
    return read(parse(json.dumps(answer)), variant())


def states(issues: str, *cards: dict[str, Any], **sections: str) -> dict[str, str]:
    """Cause or herring -> what became of it."""
    rows = assess(reading(issues, *cards, **sections)).evidence
    return {row["key"]: row["state"] for row in rows if row["kind"] in ("cause", "herring")}


@pytest.mark.parametrize(
    ("cause", "text", "swap"),
    [
        ("fabric-neighbour", NEIGHBOUR, {"93542": "93528", "tokafor": "fgarcia"}),
        ("name-service-slow", NAMES, {"10.20.0.53": "10.20.0.54"}),
        ("ost-rebuild", REBUILD, {"md120": "md123", "oss01": "oss03", "OST0000": "OST0013"}),
        ("recompute-turned-on", RECOMPUTE, {"our config.yaml": "job 93383 of lrossi"}),
    ],
)
@pytest.mark.by_day(every=2)
def test_a_cause_at_another_address_array_or_job_is_at_a_wrong_place(
    cause: str, text: str, swap: dict[str, str]
) -> None:
    assert states(text)[cause] == "found"
    for old, new in swap.items():
        text = text.replace(old, new)
    assert states(text)[cause] == "named, wrong place"


def test_the_job_and_its_owner_are_the_place_of_what_stands_in_the_job() -> None:
    ours = "jtanaka's job 93539 has activation_checkpointing full, unlike 93383 of lrossi."
    assert states(ours)["recompute-turned-on"] == "found"
    assert states(NEIGHBOUR.replace("fills", "slows 93539 of jtanaka and fills"))[
        "fabric-neighbour"
    ] == ("found")


def test_advice_that_says_not_does_not_put_its_cause_aside() -> None:
    moved = "Ask tokafor to move 93542 to nodes that do not share our uplinks."
    assert states(NEIGHBOUR, immediate=moved)["fabric-neighbour"] == "found"
    harmless = "The uplinks of 93542 have no effect on us."
    assert states(NEIGHBOUR, immediate=harmless)["fabric-neighbour"] == "contradicted"


def test_a_herring_without_its_place_is_not_blamed_in_a_sentence_on_a_cause() -> None:
    said = (
        "After an out-of-memory jtanaka set activation_checkpointing: full in config.yaml, 2.0 h."
    )
    assert states(said)["page-cache-full"] == "ignored"
    assert states("node-g002 is out of memory, free memory is low, 2.0 h.")["page-cache-full"] == (
        "swallowed"
    )


@pytest.mark.parametrize(
    ("more", "state"),
    [("", "found"), ("Rack A03 is not hot, that is harmless.", "contradicted")],
)
def test_a_word_that_a_herring_shares_with_a_cause_does_not_put_the_cause_aside(
    more: str, state: str
) -> None:
    """Its sensors read as those of its rack: a rack of this variant is too hot."""
    pack = load_pack("troubleshooting/slow-training")
    answer = json.loads(write_golden(pack, "senior", "prose", 104)[pack.entry])
    assert "the same as those of its rack" in answer["sections"]["issues"]
    answer["sections"]["issues"] += f"\n\n{more}\n"
    truth = truth_of(DEFAULT, "senior", 104)
    rows = assess(read(parse(json.dumps(answer)), truth)).evidence
    [found] = [row["state"] for row in rows if row.get("key") == "rack-inlet-hot"]
    assert found == state


def test_a_letter_of_a_finding_means_all_that_is_said_up_to_the_next() -> None:
    """ "(a) Uplinks." opens a finding whose cause stands a sentence later."""
    found = f"(a) Uplinks. {NEIGHBOUR} Proved.\n(b) Recomputation. {RECOMPUTE}\n(c) Names. {NAMES}"
    order = reading(found, priorities="(b) first, no restart. (a) next. (c) after that.")["order"]
    assert order == [["recompute-turned-on"], ["fabric-neighbour"], ["name-service-slow"]]


def test_no_old_event_log_speaks_of_fans_where_one_has_failed() -> None:
    """Whoever takes such events for the cause would be right for the wrong reason."""
    met = 0
    for seed in range(1, 80):
        drawn = make_incident(DEFAULT, LEVELS["mid"], seed)
        fans = [one.fault.places() for one in drawn.causes if one.key == "fan-failure"]
        nodes = {place.split("/")[0] for places in fans for place in places}
        logs = {
            one.host for one in drawn.herrings if one.key in ("fan-elsewhere", "sel-clock-unset")
        }
        assert not nodes & logs
        met += bool(nodes and logs)
    assert met


@pytest.mark.parametrize(
    ("text", "guessed"),
    [
        (
            "93542 of tokafor fills uplinks, 10.20.0.53 is the dead name server, md120 rebuilds",
            False,
        ),
        ("93542 on the uplinks or the dead name server 10.20.0.53 or the rebuild of md120", True),
    ],
)
def test_or_is_read_in_the_sentence_s_own_language(text: str, guessed: bool) -> None:
    found = [match for row in reading(text)["statements"] for match in row["matches"]]
    assert len(found) >= 3
    assert {match["guess"] for match in found} == {guessed}


@pytest.mark.parametrize(
    ("heading", "language"),
    [("Odd, but without any effect", "en"), ("Auffällig, aber ohne Wirkung", "de"), ("OK", "en")],
)
def test_headings_that_put_aside_in_other_words(heading: str, language: str) -> None:
    assert heads_aside(heading, (language, "en"))


def test_what_a_sentence_is_without_puts_nothing_aside() -> None:
    said = flat("Its clocks are locked without any slowdown reason.")
    assert stance(said, hits("clocks|locked", said)) == "states"


def test_lines_that_end_with_a_cost_are_notes_of_their_own() -> None:
    notes = "uplinks full since 18:03: .74 s, 2.5h\nname server gone, 15 s stalls: 1.5h\nnoise: fan"
    found = statements(Answer({"issues": notes}, ()))
    assert [one.text for one in found] == notes.split("\n")
    wrapped = "The uplinks are full\nsince 18:03, which takes\n0.74 s per step and 2.5 h\nfrom us."
    assert len(statements(Answer({"issues": wrapped}, ()))) == 1


def test_brackets_belong_to_their_entry_and_a_lone_number_is_no_list() -> None:
    inside = "DNS first (no risk, 1.5h), then 93542 (2.5h, ask), config.yaml (2h), md120 rebuild"
    assert [key for (key,) in reading(ALL, priorities=inside)["order"]] == [
        "name-service-slow",
        "fabric-neighbour",
        "recompute-turned-on",
        "ost-rebuild",
    ]
    numbers = "3) before 1) before 2) and 4), which share a restart."
    assert reading(ALL, priorities=numbers)["order"] == [
        ["name-service-slow"],
        ["fabric-neighbour"],
        ["recompute-turned-on", "ost-rebuild"],
    ]


def test_numbers_and_the_next_sentence_say_what_is_taken_back() -> None:
    some = states(f"{ALL}\nPlease strike points 1 to 2, they were wrong.\n")
    assert some["fabric-neighbour"] == some["recompute-turned-on"] == "put aside"
    assert some["name-service-slow"] == some["ost-rebuild"] == "found"
    whole = states(f"{ALL}\nI must withdraw something. None of them survives a second look.\n")
    assert {whole[key] for key in variant().causes} == {"put aside"}


def test_lines_pasted_one_after_the_other_are_a_copy() -> None:
    pasted = " ".join(variant().files["servers/oss01/mdstat.txt"].text.split())
    found = reading(f"{pasted}\n\nmd120 rebuilds on oss01.")["statements"]
    assert any(row["copied"] for row in found[:-1])
    assert not [match for row in found[:-1] for match in row["matches"]]
    assert found[-1]["copied"] == ""
    assert reading("nameserver 10.20.0.53 is gone, see resolv.conf")["statements"][0]["copied"] == (
        ""
    )


def test_the_field_of_a_card_may_have_the_only_word_of_the_trade() -> None:
    card = {
        "id": "1",
        "claim": "Esto va más lento",
        "place": "uplinks, 93542",
        "status": "supported",
    }
    assert states("", card)["fabric-neighbour"] == "found"


def test_a_limit_is_found_as_people_write_it() -> None:
    spot = Spot(("gpu-n007", "425 W"), "node", frozenset(["gpu-n007"]), ("425 W",))
    assert [hit.words for hit in limits_in(spot, "held at 425W")] == ["425W"]
    assert not limits_in(spot, "1425 W or 425 WARN")


def test_a_remark_in_brackets_claims_no_other_cause() -> None:
    said = f"{NEIGHBOUR[:-1]} (its owner waits for a power supply that is out)."
    assert states(said)["fabric-neighbour"] == "found"
    keys = [row["key"] for row in assess(reading(said)).evidence if row["kind"] == "claim"]
    assert keys == []
    assert "power-brake" in [
        row["key"]
        for row in assess(reading(f"{NEIGHBOUR} A power supply is out.")).evidence
        if row["kind"] == "claim"
    ]


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("That is about an hour.", [1.0]),
        ("It costs half an hour in all.", [0.5]),
        ("Das macht anderthalb Stunden.", [1.5]),
        ("Une bonne perte, deux heures.", [2.0]),
        ("It runs every hour and began one hour ago.", []),
    ],
)
def test_hours_are_read_in_words_too(text: str, hours: list[float]) -> None:
    assert hours_said(text, 8.0, ()) == hours


@pytest.mark.parametrize(
    "priorities",
    [
        "1. config.yaml: one line. 2. the resolver, 1.5 h. 3. md120, wait. 4. tokafor, ask.",
        "config.yaml and the resolver today. Then md120, then talk to tokafor.",
    ],
)
def test_an_order_is_read_from_one_line(priorities: str) -> None:
    first, *_, last = reading(ALL, priorities=priorities)["order"]
    assert first[0] == "recompute-turned-on"
    assert last == ["fabric-neighbour"]
    assert "name-service-slow" not in last


def test_quick_things_of_one_entry_go_together_before_slow_ones() -> None:
    rows = [
        {"key": "a", "hours": 0.5, "effort": 1},
        {"key": "b", "hours": 0.5, "effort": 1},
        {"key": "slow", "hours": 2.4, "effort": 3},
    ]
    worth = {"a": 1.0, "b": 1.0, "slow": 1.0}
    assert order_of({"a": 1, "b": 1, "slow": 2}, worth, rows)[1:3] == (2, 0)
    assert order_of({"a": 1, "slow": 2, "b": 3}, worth, rows)[1:3] == (2, 1)


def test_no_peermem_is_a_finding_and_no_denial() -> None:
    text = "gpu-n004: driver 550.90.12, no nvidia_peermem, thus staged through host memory."
    words = {subject.key: words for subject, words in spoken_of(text)}
    assert stance(text, words["driver-mismatch"]) == "states"
    heading = "No part in it: free memory of gpu-n009"
    assert heads_aside(heading.partition(":")[0])


def test_one_figure_for_two_that_overlap_counts_although_one_is_given_a_part_beside_it() -> None:
    links = {"key": "a", "hours": 2.0, "alone": 1.1, "last": 2.9, "overlaps": ["b"]}
    switch = {"key": "b", "hours": 0.9, "alone": 0.0, "last": 1.8, "overlaps": ["a"]}

    def told(hours: float) -> Said:
        row = {"id": "1", "hours": [hours], "hypothesis": ""}
        return Said(states=[(row, {"hours": [hours]})])

    said = {"a": told(2.8), "b": told(2.3)}
    together = [{"statement": "2", "subjects": ["a", "b"], "hours": [2.8]}]
    causes = [links, switch]
    assert nearness("a", said, causes, {"hypotheses": []}) == 0
    of_both = {"hypotheses": [], "together": together}
    assert [nearness(key, said, causes, of_both) for key in "ab"] == [1.0, 1.0]
