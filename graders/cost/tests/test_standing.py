"""Rows that propose nothing any more, rows that only think, and rows that speak of another place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import bill_readings
from graders.cost.quoting import facts_of, numbers, quoted
from graders.cost.standing import beside
from graders.cost.tests.test_readings import LEVEL, SEED, graded, statement
from graders.kinds import grade
from graders.standing import ASIDE, BACK, GUESS, PROPOSED, standing
from scenarios.company.profile import DEFAULT
from scenarios.cost.model import model_of

SUITE = {"service": "AI software suite"}


@pytest.mark.parametrize(
    ("stands", "what"),
    [
        (PROPOSED, "Hours that bring us nothing should not be renewed"),
        (PROPOSED, "It is not worth paying for what nobody opens: cool class"),
        (
            PROPOSED,
            "Keeping them warm saves nothing, but switching them off after the last job does",
        ),
        (PROPOSED, "Zwei der Knoten zurückgeben, sie bringen nichts"),
        (PROPOSED, "Anular las direcciones que nadie usa"),
        (PROPOSED, "Evaluation could run on the small card"),
        (PROPOSED, "Jobs may run for perhaps 20 % longer, hardly anybody would notice"),
        (PROPOSED, "Do not keep machines warm between trainings"),
        (PROPOSED, "People book GPUs and go to lunch; take them back when nothing runs on them"),
        (PROPOSED, "Old states are held for nobody and might be deleted"),
        (PROPOSED, "Let the ancient data slide down, and keep your hands off the bits people read"),
        (PROPOSED, "Il ne faut pas garder ces volumes un an de plus"),
        (PROPOSED, "Zwei Knoten zurückgeben, das bringt 80.000 im Jahr"),
        (ASIDE, "Fewer seats are not worth the talk"),
        (ASIDE, "Do not touch the licences"),
        (ASIDE, "I would not remount anything here"),
        (ASIDE, "Die Lizenzen würde ich nicht anrühren"),
        (ASIDE, "Résilier l'engagement ne servirait à rien"),
        (ASIDE, "No tocaría los nodos alquilados"),
        (ASIDE, "Weniger Plätze lohnen sich nicht"),
        (ASIDE, "Réduire les licences ne rapporterait rien"),
        (ASIDE, "Reducir las licencias no ahorra nada"),
        (ASIDE, "The nightly pipeline should not go to spot"),
        (ASIDE, "Die Platten werden nicht entfernt, das lohnt den Aufwand nicht"),
        (ASIDE, "An den Plätzen rütteln wir nicht"),
        (ASIDE, "Ein Zwischenspeicher hilft uns nicht, der Verkehr muss sein"),
        (ASIDE, "Il ne faut pas réduire ces heures en mars"),
        (BACK, "Fewer hours from March on -- cancelled, the customer grows"),
        (BACK, "Platten entfernen. Hat sich erledigt"),
        (BACK, "Weniger Plätze. Nehme ich wieder heraus"),
        (GUESS, "It looks oversized, and I have no forecast to hold against it"),
        (GUESS, "Spot may work or may not"),
        (GUESS, "Quizá se pueda prescindir de ellos, pero no he averiguado de quién son"),
        (BACK, "Fewer seats. I take this back"),
        (BACK, "Weniger Plätze: ziehe ich hiermit zurück"),
        (BACK, "Moins de licences. Je retire cette ligne"),
        (BACK, "Menos licencias. Retiro esta fila"),
        (GUESS, "Perhaps the seats, perhaps the support"),
        (GUESS, "Vielleicht weniger Plätze"),
        (GUESS, "Peut-être moins de licences"),
        (GUESS, "Quizás menos licencias"),
    ],
)
def test_a_row_stands_as_it_says(stands: str, what: str) -> None:
    assert standing(what)[0] == stands


def test_a_written_part_takes_back_the_rows_of_which_it_speaks() -> None:
    assert set(beside({"risks": "I take rows 2 and 4 back."}, 5)) == {1, 3}
    assert set(beside({"risks": "We withdraw the whole table."}, 3)) == {0, 1, 2}
    assert not beside({"risks": "Capping power saves nothing. The other rows are not worth it."}, 3)
    assert not beside({"risks": "The whole bill has no saving in the colocation."}, 3)


def expert() -> dict[str, Any]:
    return bill_readings.expert(LEVEL, SEED)


@pytest.mark.nightly
def test_a_row_that_is_taken_back_counts_neither_way() -> None:
    answer = expert()
    whole = grade(bill_readings.PACK, LEVEL, SEED, {"answer.json": json.dumps(answer)})
    row = {**answer["opportunities"][0], "id": "more", "what": "All GPUs to 500 W: not worth it"}
    answer["opportunities"].append(row)
    more = grade(bill_readings.PACK, LEVEL, SEED, {"answer.json": json.dumps(answer)})
    assert more.score == whole.score
    said = next(one for one in more.evidence if one.get("id") == "more")
    assert "put aside" in said["why"]
    assert "not worth" in said["why"]
    notes = [one["text"] for one in more.evidence if one["kind"] == "note"]
    rows = len(answer["opportunities"])
    assert notes == [f"1 of {rows} rows are put aside or taken back by the answer itself."]


@pytest.mark.nightly
def test_a_result_says_how_many_rows_were_not_read() -> None:
    report = graded({"what": "Talk to everybody"}, {"what": "Fewer seats", "where": SUITE})
    notes = [one["text"] for one in report.evidence if one["kind"] == "note"]
    assert notes == ["1 of 2 rows were not read; they count neither way."]


def test_a_guess_is_named_and_its_figure_counts_for_nothing() -> None:
    rows = [{**row, "what": f"Perhaps this: {row['what']}"} for row in expert()["opportunities"]]
    assert 0 < (graded(*rows).score or 0) < 0.2


def test_words_of_another_place_leave_the_filter_its_lever_and_take_the_figure() -> None:
    found = statement("Remove the orphaned volumes", SUITE)["matches"][0]
    assert found["subject"] == "licences"
    assert found["against"]
    assert not statement("Fewer seats", SUITE)["matches"][0]["against"]


def test_figures_that_are_one_levers_own_say_which_is_meant_in_any_language() -> None:
    told = {key: saving.how for key, saving in model_of(DEFAULT, LEVEL, SEED).savings.items()}
    idle = f"{numbers(told['idle_reap'])[0][0]:,.0f}"
    found = statement(f"{idle} timmar", {"account": "cluster-burst"})["matches"]
    assert [one["subject"] for one in found] == ["idle_reap"]
    assert not quoted("2026-04-01, 68 of them, 54,000 USD", facts_of(told), told)


def test_a_figure_is_as_exact_as_it_is_written() -> None:
    facts = facts_of({"a": "54,460 GPU-hours", "b": "31,228 of 185,032", "c": "185,032 in all"})
    assert set(quoted("54k", facts, facts)) == {"a"}
    assert set(quoted("31.000 Stunden", facts, facts)) == {"b"}
    assert not quoted("55k and 185,032", facts, facts)
