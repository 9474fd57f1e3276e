"""Voluntary answers about oneself, and the adverse-impact report that is all they are for."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from math import comb
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage, begin, enter, make_stage
from hiring.models import Candidate, Invitation, Opening
from reviews.fairness import adverse_impact, self_descriptions
from reviews.fairness.adverse_impact import ALONE, LEAST, fisher, report, to_hide
from reviews.models import Decision, SelfDescription
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import erase
from reviews.tests.scene import LATER

URL = "/admin/settings/adverse-impact/"


def about(stage: Stage) -> str:
    return reverse("about-you", args=[stage.invitation.pk])


@pytest.fixture
def ada(stage: Stage, handed_in: Attempt, client: Client) -> Client:
    enter(client, stage.token)
    return client


def test_candidate_may_say_it_change_it_and_take_it_back(ada: Client, stage: Stage) -> None:
    page = ada.get(about(stage)).content.decode()
    assert "voluntary" in page
    assert page.count("I prefer not to say") == 2
    assert ada.post(about(stage), {"gender": "woman"}).status_code == 302
    assert SelfDescription.objects.get().answers == {"gender": "woman"}
    assert "Your answers are kept" in ada.get(about(stage)).content.decode()
    ada.post(about(stage), {"gender": "prefer-not-to-say", "age": "30-39"})
    assert SelfDescription.objects.get().answers == {"gender": "prefer-not-to-say", "age": "30-39"}
    ada.post(about(stage), {"remove": "1", "gender": "woman"})
    assert not SelfDescription.objects.exists()


def test_saying_nothing_keeps_nothing(ada: Client, stage: Stage) -> None:
    for sent in ({}, {"gender": "dragon"}, {"gender": "x\x00"}, {"shoe-size": "44"}):
        assert ada.post(about(stage), sent).status_code == 302
        assert not SelfDescription.objects.exists()


def test_receipt_leads_there(ada: Client, stage: Stage, handed_in: Attempt) -> None:
    page = ada.get(reverse("receipt", args=[handed_in.pk])).content.decode()
    assert about(stage) in page


def test_it_is_never_asked_before_or_during_the_work(
    db: None, published: list[Any], client: Client
) -> None:
    stage = make_stage(timezone.now())
    enter(client, stage.token)
    assert client.get(about(stage)).status_code == 302
    begin(stage, timezone.now())
    assert client.get(about(stage)).status_code == 302
    client.post(about(stage), {"gender": "woman"})
    assert not SelfDescription.objects.exists()


def test_it_is_the_candidates_own_page(
    stage: Stage, handed_in: Attempt, clients: dict[str, Client]
) -> None:
    for name, staff in clients.items():
        assert staff.get(about(stage)).status_code == 404, name
        assert staff.post(about(stage), {"gender": "woman"}).status_code == 404


def test_off_asks_nothing(ada: Client, stage: Stage, handed_in: Attempt, settings: Any) -> None:
    settings.SELF_DESCRIPTION = "off"
    assert ada.get(about(stage)).status_code == 404
    page = ada.get(reverse("receipt", args=[handed_in.pk])).content.decode()
    assert "about-you/" not in page


def test_own_questions_from_a_file(
    ada: Client, stage: Stage, tmp_path: Path, settings: Any
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[[questions]]\nkey = "veteran"\ntext = "Did you serve?"\n'
        'options = [{key = "yes", label = "Yes"}, {key = "no", label = "No"}]\n'
    )
    settings.SELF_DESCRIPTION = str(path)
    page = ada.get(about(stage)).content.decode()
    assert "Did you serve?" in page
    assert "How old are you?" not in page


@pytest.mark.parametrize(
    "text",
    [
        "questions = 1",
        "[[questions]]",
        '[[questions]]\nkey = "a b"\ntext = "?"\noptions = [{key="x",label="X"},{key="y",label="Y"}]',
        '[[questions]]\nkey = "a"\ntext = "?"\noptions = [{key="x",label="X"}]',
        '[[questions]]\nkey = "a"\ntext = "?"\noptions = [{key="x",label="X"},{key="x",label="Y"}]',
    ],
)
def test_wrong_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ImproperlyConfigured, match=re.escape(str(path))):
        self_descriptions.read_questions(path)


@pytest.mark.nightly
def test_no_staff_page_says_it(
    ada: Client, stage: Stage, handed_in: Attempt, clients: dict[str, Client], settings: Any
) -> None:
    ada.post(about(stage), {"gender": "another", "age": "50-and-over"})
    pages = [
        reverse("admin:attempt", args=[handed_in.pk]),
        reverse("admin:decision", args=[handed_in.pk]),
        reverse("admin:hiring_candidate_change", args=[stage.ada.pk]),
        reverse("admin:hiring_opening_change", args=[stage.opening.pk]),
        URL,
    ]
    for name, client in clients.items():
        for url in pages:
            page = client.get(url).content.decode()
            assert "50-and-over" not in page, (name, url)
            if url != URL:
                assert "In another way" not in page, (name, url)


def test_no_relation_leads_from_what_is_scored_to_it() -> None:
    for model in (Candidate, Invitation, Attempt, Decision):
        related = [field for field in model._meta.get_fields() if field.is_relation]
        assert SelfDescription not in [field.related_model for field in related]


def test_erased_and_exported_with_the_candidate(ada: Client, stage: Stage) -> None:
    ada.post(about(stage), {"gender": "woman"})
    archive = zipfile.ZipFile(io.BytesIO(export(stage.ada)))
    data = json.loads(archive.read("data.json"))
    assert data["self_descriptions"][0]["said"] == {"gender": "woman"}
    erase(stage.ada, mode="erase", by=None, now=LATER)
    assert not SelfDescription.objects.exists()


def test_pseudonymising_forgets_it(ada: Client, stage: Stage) -> None:
    ada.post(about(stage), {"gender": "woman"})
    stone = erase(stage.ada, mode="pseudonymise", by=None, now=LATER)
    assert stone.mode == "pseudonymise"
    assert not SelfDescription.objects.exists()


def test_only_the_administrator_sees_the_report(stage: Stage, clients: dict[str, Client]) -> None:
    codes = {name: client.get(URL).status_code for name, client in clients.items()}
    assert {name for name, code in codes.items() if code == 200} == {"adam"}


def decided(stage: Stage, opening: Opening, counts: Mapping[str, tuple[int, int]]) -> None:
    """Candidates of each gender, so many (selected, declined); "" said nothing."""
    people = [
        (gender, outcome)
        for gender, pair in counts.items()
        for outcome, n in zip(("hire", "decline"), pair, strict=True)
        for _ in range(n)
    ]
    start = Candidate.objects.count()
    for at, (gender, outcome) in enumerate(people, start):
        who = Candidate.objects.create(name=f"P{at}", email=f"p{at}@example.com", created_at=NOW)
        link = Invitation.objects.create(
            opening=opening,
            candidate=who,
            token_hash=f"p{at}",
            link_made_at=NOW,
            opens_at=NOW,
            closes_at=LATER,
            created_by=stage.rhea,
            created_at=NOW,
        )
        if gender:
            answers = {"gender": gender}
            SelfDescription.objects.create(invitation=link, answers=answers, given_at=NOW)
        Decision.objects.create(
            opening=opening,
            candidate=who,
            outcome=outcome,
            reasons="x",
            decided_by=stage.hana,
            decided_at=LATER,
        )


def by_counting(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Two-sided p: all tables with the same margins that are no likelier than this one."""
    n, k, m = sum(one), one[0] + other[0], sum(one) + sum(other)
    ways = {at: comb(n, at) * comb(m - n, k - at) for at in range(max(0, k - m + n), min(n, k) + 1)}
    return sum(way for way in ways.values() if way <= ways[one[0]]) / comb(m, k)


@pytest.mark.nightly
def test_four_fifths_and_the_exact_test(stage: Stage, clients: dict[str, Client]) -> None:
    counts = {"woman": (10, 30), "man": (20, 20), "another": (6, 6), "": (9, 9)}
    decided(stage, stage.opening, counts)
    (scope,) = report()
    assert (scope.decided, scope.answered) == (110, 92)
    groups = {group.label: group for group in scope.tables[0].groups}
    woman, man = groups["Woman"], groups["Man"]
    assert (woman.rate, woman.ratio, woman.is_below) == (0.25, 0.5, True)
    assert woman.p == pytest.approx(by_counting((10, 30), (20, 20)))
    assert (man.is_highest, man.p) == (True, None)
    assert groups["Not answered"].ratio is None  # shown, and compared with nobody
    page = clients["adam"].get(URL).content.decode()
    assert "under four fifths" in page
    assert "What this does not show" in page


def test_exact_test_is_fishers() -> None:
    assert fisher((3, 1), (1, 3)) == pytest.approx(34 / 70)  # the lady tasting tea, two-sided
    assert fisher((7, 2), (3, 11)) == pytest.approx(by_counting((7, 2), (3, 11)))


def test_hold_is_no_decision_and_the_latest_counts(stage: Stage) -> None:
    decided(stage, stage.opening, {"woman": (1, 1)})
    first, second = Decision.objects.order_by("pk")
    for row, outcome in ((first, "hold"), (second, "advance")):
        Decision.objects.create(
            opening=row.opening,
            candidate=row.candidate,
            outcome=outcome,
            reasons="x",
            decided_by=stage.hana,
            decided_at=LATER.replace(year=2027),
        )
    assert [row.is_selected for row in adverse_impact.decided_candidates()] == [True]


def test_small_groups_are_hidden_and_the_page_says_so(
    stage: Stage, clients: dict[str, Client]
) -> None:
    decided(stage, stage.opening, {"woman": (1, 3), "man": (9, 9), "": (9, 9)})
    page = clients["adam"].get(URL).content.decode()
    assert ">hidden<" in page
    assert "25 %" not in page  # 1 of 4
    groups = {group.label: group for group in report()[0].tables[0].groups}
    assert groups["Woman"].is_hidden
    assert any(
        group.is_hidden for label, group in groups.items() if label in ("Man", "Not answered")
    )


def test_no_two_tables_share_a_candidate(stage: Stage) -> None:
    other = Opening.objects.create(title="Another", level="mid", created_at=NOW)
    decided(stage, stage.opening, {"woman": (10, 10), "man": (10, 10)})
    decided(stage, other, {"woman": (6, 6)})
    scopes = report()
    assert [(scope.title, scope.decided) for scope in scopes] == [
        ("GPU engineer", ALONE),
        ("All other openings together", 12),
    ]


cells = st.tuples(st.integers(0, 30), st.integers(0, 30))


@given(st.dictionaries(st.sampled_from("abcdef"), cells, min_size=1))
def test_no_small_group_is_shown_or_can_be_worked_out(counts: dict[str, tuple[int, int]]) -> None:
    hidden = to_hide(counts)
    shown = {key: pair for key, pair in counts.items() if key not in hidden}
    assert all(sum(pair) >= LEAST for pair in shown.values())
    inside = [sum(counts[key]) for key in hidden if sum(counts[key])]
    if shown and inside:
        assert len(inside) >= 2
        assert sum(inside) >= LEAST


@given(st.dictionaries(st.sampled_from("abcdef"), cells, min_size=1), st.data())
def test_what_became_of_a_group_never_hides_it(
    counts: dict[str, tuple[int, int]], data: st.DataObject
) -> None:
    selected = {key: data.draw(st.integers(0, sum(pair))) for key, pair in counts.items()}
    other = {key: (selected[key], sum(pair) - selected[key]) for key, pair in counts.items()}
    assert to_hide(other) == to_hide(counts)


def test_nobody_selected_of_a_large_group_is_shown(
    stage: Stage, clients: dict[str, Client]
) -> None:
    decided(stage, stage.opening, {"man": (12, 188), "woman": (0, 100)})
    groups = {group.label: group for group in report()[0].tables[0].groups}
    woman = groups["Woman"]
    assert (woman.selected, woman.total, woman.ratio, woman.is_below) == (0, 100, 0.0, True)
    assert woman.p == pytest.approx(by_counting((0, 100), (12, 188)))
    page = clients["adam"].get(URL).content.decode()
    assert "under four fifths" in page
    assert "A difference exists that this table does not show" not in page


def test_nobody_selected_at_all_is_no_difference(stage: Stage, clients: dict[str, Client]) -> None:
    decided(stage, stage.opening, {"man": (0, 20), "woman": (0, 10)})
    groups = {group.label: group for group in report()[0].tables[0].groups}
    assert groups["Woman"].ratio == groups["Man"].ratio == 1.0
    assert clients["adam"].get(URL).status_code == 200


def test_a_hidden_difference_is_said_without_its_figures(
    stage: Stage, clients: dict[str, Client]
) -> None:
    decided(stage, stage.opening, {"man": (12, 8), "woman": (0, 4), "another": (3, 3)})
    table = report()[0].tables[0]
    assert table.differs_unseen
    assert {group.label for group in table.groups if not group.is_hidden} == {"Man"}
    page = clients["adam"].get(URL).content.decode()
    assert "A difference exists that this table does not show" in page
    assert "Who may look" in page
    Decision.objects.all().delete()
    decided(stage, stage.opening, {"man": (10, 10), "woman": (2, 2), "another": (3, 3)})
    assert not report()[0].tables[0].differs_unseen


def test_whoever_is_charged_with_it_may_look_and_is_on_record(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    decided(stage, stage.opening, {"man": (12, 8), "woman": (0, 4)})
    call_command("adverse_impact", by="rhea", reason="Yearly check.")
    said = capsys.readouterr().out
    assert re.search(r"Woman\s+0 of 4", said)
    assert re.search(r"Man\s+12 of 20", said)
    entry = LogEntry.objects.get()
    assert (entry.user, "Yearly check." in entry.change_message) == (stage.rhea, True)
    for wrong in ({"by": "nobody", "reason": "x"}, {"by": "rhea", "reason": " "}):
        with pytest.raises(CommandError):
            call_command("adverse_impact", **wrong)
    assert LogEntry.objects.count() == 1


def test_administrators_name_is_not_needed(stage: Stage) -> None:
    """The report is computed from counts alone: no query asks for a name or an address."""
    decided(stage, stage.opening, {"woman": (6, 6), "man": (6, 6)})
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(
        connection,
    ) as queries:
        report()
    assert len(queries) <= 3
    assert not [row for row in queries.captured_queries if "email" in row["sql"]]
    assert User.objects.filter(username="rhea").exists()
