from __future__ import annotations

import pytest

from graders.troubleshooting.answer import Answer
from graders.troubleshooting.figures import hours_said
from graders.troubleshooting.patterns import flat, group, hits, way_met
from graders.troubleshooting.sentences import Statement, statements
from graders.troubleshooting.stance import points_back, sets_aside, stance


def divided(text: str) -> list[Statement]:
    return statements(Answer({"issues": text}, ()))


def test_sentences_bullets_and_rows_are_statements_of_their_own() -> None:
    text = (
        "## Findings\n\nGPU 3 is hot, e.g. 87 C. It throttles.\n\n"
        "- First point\n  - its detail\n- Second point;\n  it goes on\n\n"
        "| where | what |\n|---|---|\n| n007 | fan dead |\n"
    )
    found = divided(text)
    assert [one.text for one in found] == [
        "Findings",
        "GPU 3 is hot, e.g. 87 C.",
        "It throttles.",
        "First point",
        "its detail",
        "Second point; it goes on",
        "where , what",
        "n007 , fan dead",
    ]
    assert found[1].block == found[2].block
    assert found[3].block == found[4].block != found[5].block
    assert {one.under for one in found} == {"Findings"}
    assert [one.id for one in found[:2]] == ["issues:1", "issues:2"]


def test_line_that_leads_in_a_list_stands_above_its_entries() -> None:
    found = divided("Ruled out:\n\n- ECC errors\n- load average\n\nA new paragraph.\n")
    assert [one.under for one in found] == ["", "Ruled out:", "Ruled out:", ""]


def test_a_sentence_without_an_end_is_cut() -> None:
    found = divided("fan rack cable " * 3_000)
    assert max(len(one.text) for one in found) <= 700
    assert sum(len(one.text.split()) for one in found) == 9_000


def test_patterns_know_endings_gaps_numbers_and_borders() -> None:
    assert hits("throttl*", "Throttled, throttling")
    assert not hits("fan", "infant")
    assert hits("cpus per task", "cpus-per-task")
    assert hits("kill ~ loop", "kill the endless find loop")
    assert not hits("kill ~ loop", "kill a b c d e f g h loop")
    assert hits("every # steps", "every 1,000 steps")
    assert group("a*b").search("axxb")
    assert way_met(["gpu*", "gpu*|hot"], "one GPU") is None
    assert flat("**GPU** `x`") == "  GPU    x "


@pytest.mark.parametrize(
    ("text", "words", "verdict"),
    [
        ("The fan failed.", "fan*", "states"),
        ("It is not the fan.", "fan*", "dismisses"),
        ("The fan is not the cause.", "fan*", "dismisses"),
        ("The fan was ruled out.", "fan*", "dismisses"),
        ("The fan alarm is a red herring.", "fan*", "dismisses"),
        ("The fan looks fine.", "fan*", "dismisses"),
        ("No sign of a bad cable.", "cable*", "dismisses"),
        ("Not only the fan but the cable too.", "fan*", "states"),
        ("Nor do the two fans in the rear of gpu-n010 of that rack matter.", "fans", "dismisses"),
        ("srun no longer inherits it.", "srun", "states"),
        ("MTU is 1500 instead of 9216.", "mtu", "states"),
        ("It runs at 405 W rather than 700.", "405 w", "states"),
        ("It waits for the network rather than the fan.", "fan*", "dismisses"),
    ],
)
def test_stance_of_a_sentence(text: str, words: str, verdict: str) -> None:
    assert stance(flat(text), hits(words, flat(text))) == verdict


def test_two_subjects_of_one_sentence_have_each_their_own_clause() -> None:
    text = "The swap is harmless, but the fan of n007 failed"
    swap, fan = hits("swap", text), hits("fan", text)
    assert stance(text, swap, fan) == "dismisses"
    assert stance(text, fan, swap) == "states"


def test_a_sentence_may_speak_of_the_one_before_it() -> None:
    assert points_back("It is harmless: nothing moved.")
    assert points_back("Ruled out.")
    assert points_back("All fine.")
    assert not points_back("All others wait for it.")
    assert not points_back("The cable is harmless.")
    assert sets_aside("Looked at and put aside:")


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("costs 2.4 h", [2.4]),
        ("about 1,5 hours of it", [1.5]),
        ("0.6 s/step", [2.0]),
        ("600 ms per step", [2.0]),
        ("1.8 to 2.2 h", [1.8, 2.2]),
        ("25 % of the gap", [2.0]),
        ("the run took 16 h instead of 8 h, a gap of 8 h", []),
        ("it began 2 h before the start", []),
        ("GPU 3 at 1275 MHz", []),
        ("each save takes 351 s instead of 45 s", []),
        ("compute takes 1.35 s instead of 0.75 s", [2.0]),
        ("Clocks were locked, that is some 105 minutes.", [1.75]),
        ("Der Treiber auf zwei Knoten: rund 84-90 Minuten", [1.4, 1.5]),
        ("abt. 120 min, all ranks alike", [2.0]),
        ("It saves every 30 minutes and came back after 45 min.", []),
        ("Each save takes six minutes now, five minutes of work, 20 min in all.", []),
        ("The alarm came 90 minutes later and 40 min into the run.", []),
    ],
)
def test_hours_that_a_sentence_gives(text: str, hours: list[float]) -> None:
    assert hours_said(text, 8.0, (16.0, 8.0)) == pytest.approx(hours)
