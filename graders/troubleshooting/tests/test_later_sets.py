"""What the last sets of blind answers showed: hours in words, letters, tables, leads, conditions."""

from __future__ import annotations

import pytest

from graders.troubleshooting.figures import hours_said
from graders.troubleshooting.labels import by_label, in_places, named_in
from graders.troubleshooting.scoring import order_of
from graders.troubleshooting.tests.test_rules_of_reading import ALL, reading, states

MORE = "GPU 3 of node-g004 lost lanes of its PCIe link, x8, 1.0 h."


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("0.77 s/step, i.e. 2 h 34 min", [2.567, 2.567]),
        ("P1 (4 h 46 back, 1 line)", [4.767]),
        ("Two hours and twelve minutes, by subtraction", [2.2]),
        ("Two hours and a quarter.", [2.25]),
        ("a bit more than two and a half hours", [2.5]),
        ("four hours and three quarters for one line", [4.75]),
        ("That cost an hour twenty-six.", [1.433]),
        ("Seventy minutes or so.", [1.167]),
        ("rund 2 Stunden 34 Minuten", [2.567]),
        ("Zweieinviertel Stunden", [2.25]),
        ("deux heures et demie", [2.5]),
        ("unas dos horas y media largas", [2.5]),
        ("Un'ora e cinquantaquattro minuti", [1.9]),
        ("Un'ora e dieci", [1.167]),
        ("It climbs from 0.10 to 0.95 s, 0.43 s on average.", [1.433]),
        ("spenti dalle 19:27 ora locale", []),
        ("every two hours", []),
        ("its clock is UTC, so one hour less there", []),
        ("on average 12 nodes", []),
        ("2 h 20 nodes", [2.0]),
        ("Two point one hours.", [2.1]),
        ("1 h-n019 mlx5_6 is bad", []),
        ("écrit depuis 12 h 03", []),
        ("cron depuis lundi 18h40", []),
        ("after Wednesday 21 h", []),
    ],
)
def test_hours_that_are_spelled_or_put_together(text: str, hours: list[float]) -> None:
    assert hours_said(text, 8.0, ()) == pytest.approx(hours, abs=0.001)


def test_letters_stand_for_what_is_said_after_them() -> None:
    labels = by_label(
        [
            (0, "X - node-g004.", []),
            (0, "Its link has half its lanes.", [("link", 2)]),
            (0, "Y - /home.", [("nfs", 1)]),
            (1, "A remark", [("nfs", 3)]),
        ]
    )
    assert labels == {"X": ["link"], "Y": ["nfs"]}
    assert in_places("Y and X together, then (y)", labels) == "2 and 1 together, then 2"
    assert named_in("X to Y no longer stand.", labels) == ["X", "Y"]
    assert named_in("A restart", {"A": ["one"], "B": ["two"]}) == []


def test_findings_are_taken_back_by_their_letters() -> None:
    found = ALL.replace("Job 93542", "A. Job 93542").replace("activation", "B. activation", 1)
    later = states(f"{found}\nOn second thought: B was wrong as well.\n")
    assert later["recompute-turned-on"] == "put aside"
    assert later["fabric-neighbour"] == "found"


@pytest.mark.parametrize(
    "back",
    [
        "Please ignore this whole answer.",
        "I am certain now that all of this was wrong: I take everything back.",
        "It would be wrong to keep them, so I take all of the above back.",
    ],
)
def test_what_an_answer_as_a_whole_takes_back(back: str) -> None:
    found = states(f"{ALL}\n\n{back}\n")
    assert {found["fabric-neighbour"], found["recompute-turned-on"]} == {"put aside"}


def test_a_column_of_hours_is_one() -> None:
    table = (
        "| # | what | s/step | h |\n|---|---|---|---|\n"
        "| 1 | activation_checkpointing is full in our config.yaml | 0.6 | 2.0 |\n"
    )
    [row] = [one for one in reading(table)["statements"] if one["matches"]]
    assert row["matches"][0]["hours"] == pytest.approx([2.0, 2.0])


def test_proved_with_a_guess_at_the_reason_is_no_guess() -> None:
    found = f"{ALL}\nProved; why somebody did it is a guess.\n"
    matches = [m for one in reading(found)["statements"] for m in one["matches"]]
    assert not any(match["guess"] for match in matches)


@pytest.mark.parametrize(
    "more",
    [
        "I would be wrong about 1 if data_time stayed up after the job is gone.",
        "With only one of them mended you gain 0.04 s.",
        "I'm sure about all four; what I cannot say yet is what is wrong inside that array.",
    ],
)
def test_conditions_and_shares_take_nothing_back_and_are_no_doubt(more: str) -> None:
    found = f"{ALL}\n{more}\n"
    kept = [m for one in reading(found)["statements"] for m in one["matches"]]
    assert states(found)["fabric-neighbour"] == "found"
    assert not any(match["guess"] for match in kept)


def test_a_finding_is_taken_back_by_its_number() -> None:
    found = states(
        f"{ALL}\nNach nochmaliger Durchsicht:\n\nZu 2: falsch, ich hatte mich verlesen.\n"
    )
    assert found["recompute-turned-on"] == "put aside"
    assert found["fabric-neighbour"] == "found"


@pytest.mark.parametrize(
    "aside",
    [
        "Isn't it the swap in use on node-g004? No, nothing moves in or out.",
        "The following were examined and dismissed. The swap in use on node-g004 is old.",
        "The swap in use on node-g004 is irrelevant to the job.",
        "And what I looked at and threw out is the swap in use on node-g004, it is old.",
        "I also chased some dead ends. The swap in use on node-g004 cost us seconds.",
        "NO CAUSE | swap in use on node-g004 (old), load average (same everywhere)",
    ],
)
def test_ways_to_put_a_herring_aside(aside: str) -> None:
    one = next(
        match
        for row in reading(f"{ALL}\n\n{aside}\n")["statements"]
        for match in row["matches"]
        if match["subject"] == "swap-used"
    )
    assert one["verdict"] == "dismisses"


def test_a_question_blames_nothing() -> None:
    rows = reading(f"{ALL}\n\nThe swap in use on node-g004?\n")["statements"]
    verdicts = {m["verdict"] for row in rows for m in row["matches"] if m["subject"] == "swap-used"}
    assert verdicts <= {"mentions"}


def test_the_figure_of_a_finding_may_stand_beside_its_label() -> None:
    found = "F1, 2.0 h.\nactivation_checkpointing is full in our config.yaml.\nF2, 1.5 h.\nNothing else."
    [row] = [one for one in reading(found)["statements"] if one["matches"]]
    assert row["matches"][0]["hours"] == [2.0]


def test_what_grew_says_less_than_what_it_cost() -> None:
    found = "activation_checkpointing is full in our config.yaml. Steps go from 0.1 to 0.9 s. That is 2.0 h."
    [row] = [one for one in reading(found)["statements"] if one["matches"]]
    assert row["matches"][0]["hours"] == [2.0]


def test_an_entry_that_only_counts_means_the_finding_that_is_left() -> None:
    later = "Then the config of ours, after that the dead name server and the rebuild of md120."
    order = reading(ALL, priorities=f"First what jams our network links. {later}")["order"]
    assert order[0] == ["fabric-neighbour"]


def test_bare_numbers_count_where_they_run_on() -> None:
    notes = [(0, "1 node-g004 link bad", [("link", 2)]), (0, "2 /home slow", [("nfs", 1)])]
    assert by_label(notes) == {"1": ["link"], "2": ["nfs"]}
    assert by_label([(0, "2 nodes are slow", [("link", 2)])]) == {}


@pytest.mark.parametrize(
    "immediate",
    [
        "Give up if there are too few nodes: then take node-g004 back first. Way back: drop the option.",
        "Tell them: we have found what was wrong and are removing it tonight.",
    ],
)
def test_what_is_done_with_nodes_and_options_takes_no_finding_back(immediate: str) -> None:
    assert states(ALL, immediate=immediate)["fabric-neighbour"] == "found"


def test_entries_may_stand_by_the_hours_that_each_of_them_gives() -> None:
    """A pair of 3.6 h in one entry goes before 2.2 and 1.8 h, though these two overlap."""
    hours = {"nvlink": 2.09, "cable": 1.49, "writes": 2.24, "mtu": 1.79}
    laps = {"writes": ["mtu"], "mtu": ["writes"]}
    causes = [{"key": k, "hours": h, "overlaps": laps.get(k, [])} for k, h in hours.items()]
    places = {"nvlink": 1, "cable": 1, "writes": 2, "mtu": 3}
    assert order_of(places, dict.fromkeys(hours, 1.0), causes) == (1.0, 4, 0, 4)
    turned = {"mtu": 1, "writes": 2, "nvlink": 3, "cable": 4}
    assert order_of(turned, dict.fromkeys(hours, 1.0), causes)[2] == 0


@pytest.mark.parametrize(
    "denied",
    [
        "Am Uplink von 93542 (tokafor) liegt es nicht.",
        "The uplinks that job 93542 of tokafor fills are fine.",
    ],
)
def test_denials_with_places_between(denied: str) -> None:
    assert states(denied)["fabric-neighbour"] != "found"
