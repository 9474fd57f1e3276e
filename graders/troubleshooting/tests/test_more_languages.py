"""Polish and Japanese sentences, places that say enough, and lists that are put aside as a whole."""

from __future__ import annotations

import pytest

from graders.troubleshooting.figures import hours_said
from graders.troubleshooting.languages import denials, says, spoken
from graders.troubleshooting.patterns import Hit
from graders.troubleshooting.sentences import _END
from graders.troubleshooting.short import written_out
from graders.troubleshooting.stance import DISMISSES, STATES, points_back, told

MACHINES = frozenset({"hgx-003", "hgx-011", "hgx-016", "leaf01", "lake-OST0011"})


def test_a_language_is_known_by_its_small_words_or_its_signs() -> None:
    assert spoken("Katalog z checkpointami leży w puli capacity i nie jest szybki") == "pl"
    assert spoken("gn018 の mlx5_2 のリンクが切れる") == "ja"
    assert spoken("I could make a case for each, and I cannot prove one") == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("To nie ma wpływu na czas kroku.", "pl"),
        ("Zerwania łącza nic nas nie kosztują.", "pl"),
    ],
)
def test_a_denial_is_read_in_polish(text: str, language: str) -> None:
    assert denials(text, (language, "en"), ())


@pytest.mark.parametrize(
    ("kind", "text", "language"),
    [
        ("aside", "dpatel の find は原因ではない。", "ja"),
        ("aside", "リンク切れは遅さと関係ない。", "ja"),
        ("guesses", "gn018 の mlx5_2 の可能性もある。", "ja"),
        ("undecided", "どれが原因かは分からない。", "ja"),
        ("retracts", "上の三つの指摘はすべて撤回する。", "ja"),
        ("everything", "上の三つの指摘はすべて撤回する。", "ja"),
        ("guesses", "Być może to kabel.", "pl"),
        ("retracts", "Wycofuję wszystkie trzy ustalenia.", "pl"),
        ("everything", "Wycofuję wszystkie trzy ustalenia.", "pl"),
    ],
)
def test_doubts_and_retractions_are_read(kind: str, text: str, language: str) -> None:
    assert says(kind, text, (language, "en"))


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("data_time が 0.10 から 0.40 s になった。", [1.0]),
        ("data_time wzrósł z 0,10 do 0,40 s.", [1.0]),
        ("data_time 0,10 auf 0,40 s.", [1.0]),
        ("2.35 時間の損失。", [2.35]),
        ("1時間に2回で警告する。", []),
        ("It goes down three times an hour.", []),
        ("Kosztuje to 2,35 godz.", [2.35]),
    ],
)
def test_figures_are_read_in_the_language_of_their_sentence(text: str, hours: list[float]) -> None:
    assert hours_said(text, 0.0, ()) == pytest.approx(hours)


def test_a_day_of_the_month_ends_no_sentence_and_a_full_stop_without_a_blank_does() -> None:
    assert len(_END.split("Die Takte stehen seit dem 8. Oktober fest. Sonst 1860.")) == 2
    assert [one for one in _END.split("原因だ。次に進む。") if one] == ["原因だ。", "次に進む。"]


def test_the_bare_number_of_a_machine_is_written_out_and_a_fraction_is_not() -> None:
    assert written_out("off 003/016, then 011", MACHINES) == "off hgx-003/hgx-016, then hgx-011"
    assert written_out("0.011 s at 16:23:05,011", MACHINES) == "0.011 s at 16:23:05,011"


def test_what_leads_a_list_puts_all_of_it_aside_unless_it_costs_something() -> None:
    text = "Ohne Bedeutung sind der Lüfter in hgx-010, die Uhr von hgx-003 und OpenSSL."
    fan, clock = (Hit(text.index(w), text.index(w) + len(w), w) for w in ("Lüfter", "Uhr"))
    assert told(text, [clock], [fan], ("de", "en")) == (DISMISSES, True)
    text = "Harmless fan of hgx-010, slow link of hgx-014 costs 2 h."
    fan, link = (Hit(text.index(w), text.index(w) + len(w), w) for w in ("fan", "link"))
    assert told(text, [link], [fan], ("en",))[0] == STATES


def test_a_sentence_without_a_subject_rules_out_the_one_before_it() -> None:
    assert points_back("NCCL goes over the other seven rails; I rule it out.", ("en",))
    assert not points_back("NCCL goes over the other seven rails.", ("en",))
