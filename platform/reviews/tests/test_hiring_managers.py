"""A hiring manager sees and decides what belongs to openings that name them, and nothing else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.roles import HIRING_MANAGER
from assessments.models import Attempt
from assessments.tests.stage import Stage, member
from hiring.models import Opening
from reviews.models import Decision, Evaluation, InterviewScore
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, score_all
from reviews.visibility import attempts_visible_to, candidates_visible_to, openings_visible_to

LISTS = ("hiring_opening", "hiring_candidate", "assessments_attempt")


@pytest.fixture
def olga(stage: Stage) -> User:
    """A hiring manager whom the opening does not name."""
    stage.opening.hiring_manager = stage.hana
    stage.opening.save()
    return member("olga", HIRING_MANAGER)


def browser(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_who_has_no_role_that_sees_attempts_sees_an_empty_list_of_them(
    stage: Stage, handed_in: Attempt
) -> None:
    nobody = User.objects.create_user("nobody", is_staff=True)
    assert list(attempts_visible_to(nobody)) == []


def test_queries_know_only_the_openings_that_name_them(
    stage: Stage, handed_in: Attempt, olga: User
) -> None:
    for rows in (attempts_visible_to, candidates_visible_to, openings_visible_to):
        assert rows(stage.hana).count() == 1
        assert rows(olga).count() == 0
    stage.opening.hiring_manager = olga
    stage.opening.save()
    for rows in (attempts_visible_to, candidates_visible_to, openings_visible_to):
        assert rows(stage.hana).count() == 0
        assert rows(olga).count() == 1


def test_lists_and_the_home_page_of_another_manager_are_empty(
    stage: Stage, handed_in: Attempt, olga: User
) -> None:
    pages = [reverse(f"admin:{name}_changelist") for name in LISTS]
    for url in (*pages, reverse("admin:index"), reverse("admin:interview-plan")):
        text = browser(olga).get(url).content.decode()
        for word in (stage.ada.name, stage.ada.pseudonym, stage.opening.title):
            assert word not in text, (url, word)
    assert stage.ada.name in browser(stage.hana).get(pages[1]).content.decode()


@pytest.mark.parametrize("name", ["attempt", "decision", "assign", "regrade", "report", "feedback"])
@pytest.mark.by_day(but=["attempt", "decision", "report"])
def test_pages_about_an_attempt_are_not_found_by_another_manager(
    stage: Stage, handed_in: Attempt, olga: User, name: str
) -> None:
    url = reverse(f"admin:{name}", args=[handed_in.pk])
    assert browser(stage.hana).get(url).status_code == 200
    assert browser(olga).get(url).status_code == 404
    sent = browser(olga).post(url, {"outcome": "hire", "reasons": "x"})
    assert sent.status_code in (404, 405)  # what only reads refuses every form


@pytest.mark.parametrize("name", ["comparison", "opening-csv", "opening-guide"])
def test_pages_about_an_opening_are_not_found_by_another_manager(
    stage: Stage, handed_in: Attempt, olga: User, name: str
) -> None:
    url = reverse(f"admin:{name}", args=[stage.opening.pk])
    assert browser(stage.hana).get(url).status_code == 200
    assert browser(olga).get(url).status_code == 404


@pytest.mark.nightly
def test_who_is_asked_to_score_elsewhere_scores_there_and_decides_nothing(
    stage: Stage, handed_in: Attempt, olga: User
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=olga, by=stage.rhea, now=LATER)
    client = browser(olga)
    assert client.get(reverse("admin:score", args=[handed_in.pk, 1])).status_code == 200
    score_all(handed_in, olga)
    page = client.get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    for name in ("assign", "regrade"):
        url = reverse(f"admin:{name}", args=[handed_in.pk])
        assert url not in page
        assert client.get(url).status_code == 403
        assert client.post(url, {"reason": "x"}).status_code == 403
    decision = reverse("admin:decision", args=[handed_in.pk])
    assert "Record the decision" not in client.get(decision).content.decode()
    sent = {"id": "5f0c5a3e-0000-4000-8000-000000000001", "outcome": "hire", "reasons": "Good."}
    assert client.post(decision, sent).status_code == 403
    assert not Decision.objects.exists()
    home = client.get(reverse("admin:index")).content.decode()
    assert decision not in home
    assert stage.ada.name not in home
    assert reverse("admin:decision", args=[handed_in.pk]) not in home


def test_what_others_said_there_stays_closed(stage: Stage, scored: Attempt, olga: User) -> None:
    given = InterviewScore.objects.create(
        opening=stage.opening, candidate=stage.ada, about="team", score=4, reasons="Listens.",
        given_by=stage.hana, given_at=LATER, number=1,
    )  # fmt: skip
    assert not Evaluation.objects.visible_to(olga).exists()
    assert Evaluation.objects.visible_to(stage.hana).count() == 1
    assert not InterviewScore.objects.visible_to(olga).exists()
    assert InterviewScore.objects.visible_to(stage.rhea).get() == given


def test_only_the_role_can_be_named(stage: Stage, olga: User) -> None:
    url = reverse("admin:hiring_opening_change", args=[stage.opening.pk])
    gone = member("gone", HIRING_MANAGER)
    gone.access_ends_at = timezone.now() - timedelta(days=1)
    gone.save()
    field = browser(stage.rhea).get(url).context["adminform"].form.fields["hiring_manager"]
    assert set(field.queryset) == {stage.hana, olga}
    answer = browser(stage.rhea).get(reverse("admin:hiring_opening_add"))
    choices = answer.context["adminform"].form.fields["hiring_manager"].queryset
    assert stage.ines not in choices
    assert stage.rhea not in choices


def test_being_named_without_the_role_opens_nothing(stage: Stage, handed_in: Attempt) -> None:
    stage.opening.hiring_manager = stage.otto
    stage.opening.save()
    assert not attempts_visible_to(stage.otto).exists()
    url = reverse("admin:hiring_opening_change", args=[stage.opening.pk])
    field = browser(stage.rhea).get(url).context["adminform"].form.fields["hiring_manager"]
    assert stage.otto in field.queryset  # so that saving the page does not take the name off it
    other = Opening.objects.create(title="Other", level="mid", created_at=LATER)
    url = reverse("admin:hiring_opening_change", args=[other.pk])
    field = browser(stage.rhea).get(url).context["adminform"].form.fields["hiring_manager"]
    assert stage.otto not in field.queryset


def test_an_opening_leads_to_no_page_that_is_closed_to_them(stage: Stage) -> None:
    page = browser(stage.hana).get(reverse("admin:hiring_opening_change", args=[stage.opening.pk]))
    text = page.content.decode().partition("<main")[2]
    assert str(stage.hana) in text
    assert "/admin/accounts/user/" not in text
    assert "/admin/library/companyprofile/" not in text
