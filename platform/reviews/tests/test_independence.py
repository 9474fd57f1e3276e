"""Whoever scores learns nothing that would colour it: no notes, no feedback, no name, no way round."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.roles import HIRING_MANAGER, RECRUITER
from accounts.tests.reading import words_of
from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage, submit
from hiring.invitations import invite
from hiring.models import Accommodation, Candidate
from reviews.decisions import decisions
from reviews.feedback import feedback
from reviews.models import Assignment, Decision, Feedback, Note
from reviews.scoring import evaluations
from reviews.tests.scene import (
    LATER,
    SECRET_SCORE,
    grade,
    let_go_early,
    ready_for_feedback,
    score_all,
)

Clients = dict[str, Client]
WORDS = {"strength": "Retries are bounded.", "improvement": "Drain first.", "focus": ""}
PLACES = {
    "strength_place": "part-controller.py",
    "improvement_place": "part-controller.py",
    "focus": "controller.py",
}


@pytest.fixture
def panel(handed_in: Attempt, stage: Stage) -> Attempt:
    """Ines has scored, noted and drafted feedback; Otto owes his scorecard."""
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.ines)
    Note.objects.create(
        attempt=handed_in, author=stage.ines, text="Weak on drains.", written_at=LATER
    )
    ready_for_feedback(handed_in, stage.ines)
    said = feedback.Wording(**WORDS | PLACES)
    feedback.write(attempt=handed_in, wording=said, by=stage.ines, now=LATER)
    return handed_in


def attempt_page(attempt: Attempt) -> str:
    return reverse("admin:attempt", args=[attempt.pk])


def text_of(client: Client, url: str) -> str:
    return words_of(client.get(url))


def decide(stage: Stage, outcome: str) -> None:
    decisions.decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome=outcome,
        reasons="Seen.",
        by=stage.hana,
        now=LATER,
    )


def test_notes_wait_for_the_own_scorecard(clients: Clients, panel: Attempt, stage: Stage) -> None:
    own = Note.objects.create(
        attempt=panel, author=stage.otto, text="Mine: ask about pools.", written_at=LATER
    )
    before = text_of(clients["otto"], attempt_page(panel))
    assert "Weak on drains." not in before
    assert own.text in before
    assert "Weak on drains." in text_of(clients["hana"], attempt_page(panel))
    score_all(panel, stage.otto)
    assert "Weak on drains." in text_of(clients["otto"], attempt_page(panel))


def test_notes_of_the_revision_wait_for_its_scorecard(panel: Attempt, stage: Stage) -> None:
    score_all(panel, stage.otto)
    Note.objects.create(
        attempt=panel, round=2, author=stage.ines, text="Better now.", written_at=LATER
    )
    seen = Note.objects.visible_to(stage.otto).values_list("text", flat=True)
    assert list(seen) == ["Weak on drains."]


def test_notes_are_for_roles_that_may_read_them(clients: Clients, panel: Attempt) -> None:
    page = text_of(clients["rhea"], attempt_page(panel))
    assert "Weak on drains." not in page
    assert "<h2>Notes</h2>" not in page


def test_a_note_belongs_to_the_round_it_was_written_in(clients: Clients, panel: Attempt) -> None:
    Attempt.objects.update(round=2)
    clients["ines"].post(reverse("admin:note", args=[panel.pk]), {"text": "On the revision."})
    assert Note.objects.latest("pk").round == 2


def test_feedback_of_others_is_neither_read_nor_overwritten(
    clients: Clients, panel: Attempt, stage: Stage
) -> None:
    url = reverse("admin:feedback", args=[panel.pk])
    before = text_of(clients["otto"], url)
    assert "Drain first." not in before
    assert "once your own scorecard" in before
    answer = clients["otto"].post(url, WORDS | {"improvement": "Otto's words.", "keep": "1"})
    assert answer.status_code == 409
    assert "Drain first." not in words_of(answer)
    kept = Feedback.objects.get()
    assert (kept.author, kept.improvement) == (stage.ines, "Drain first.")


def test_a_changed_draft_keeps_its_author(clients: Clients, panel: Attempt, stage: Stage) -> None:
    score_all(panel, stage.otto)
    url = reverse("admin:feedback", args=[panel.pk])
    assert "Drain first." in text_of(clients["otto"], url)
    clients["otto"].post(url, WORDS | {"improvement": "Otto's words.", "keep": "1"})
    kept = Feedback.objects.get()
    assert (kept.author, kept.changed_by) == (stage.ines, stage.otto)
    assert kept.improvement == "Otto's words."
    assert "Begun by Ines, last changed by Otto." in text_of(clients["ines"], url)


def test_released_feedback_waits_for_the_own_scorecard(
    clients: Clients, panel: Attempt, stage: Stage
) -> None:
    let_go_early(Feedback.objects.get(), stage.ines, stage.hana)
    feedback.release(Feedback.objects.get(), by=stage.ines, now=LATER)
    pages = [attempt_page(panel), reverse("admin:feedback", args=[panel.pk])]
    for url in pages:
        assert "Drain first." not in text_of(clients["otto"], url)
        assert "Drain first." in text_of(clients["ines"], url)
    assert "Drain first." not in text_of(clients["rhea"], attempt_page(panel))
    score_all(panel, stage.otto)
    for url in pages:
        assert "Drain first." in text_of(clients["otto"], url)


def test_nobody_puts_themselves_on_a_panel(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    url = reverse("admin:assign", args=[handed_in.pk])
    assert f'<option value="{stage.hana.pk}"' not in text_of(clients["hana"], url)
    answer = clients["hana"].post(url, {"evaluator": stage.hana.pk})
    assert answer.status_code == 400
    assert "nobody puts themselves on a panel" in words_of(answer)
    with pytest.raises(NotPossible, match="ask an administrator or a recruiter"):
        evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.hana, now=LATER)
    assert not Assignment.objects.filter(evaluator=stage.hana).exists()


def test_nobody_takes_themselves_off_a_panel_to_look(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    url = reverse("admin:withdraw", args=[handed_in.pk, stage.hana.pk])
    assert url not in text_of(clients["hana"], attempt_page(handed_in))
    answer = clients["hana"].post(url, {"reason": "Busy."})
    assert answer.status_code == 409
    assert "ask an administrator or a recruiter" in words_of(answer)
    page = text_of(clients["hana"], attempt_page(handed_in))
    assert stage.ada.name not in page
    assert str(SECRET_SCORE)[:4] not in page
    assert clients["rhea"].post(url, {"reason": "Busy."}).status_code == 302


def test_hold_leaves_the_panel_blind(clients: Clients, scored: Attempt, stage: Stage) -> None:
    decide(stage, "hold")
    assert stage.ada.name not in text_of(clients["ines"], attempt_page(scored))
    decide(stage, "decline")
    assert stage.ada.name in text_of(clients["ines"], attempt_page(scored))


@pytest.mark.parametrize("outcome", [choice.value for choice in Decision.FINAL])
@pytest.mark.by_day(but=["advance", "decline"])
def test_the_name_waits_for_the_own_scorecard_after_a_decision(
    clients: Clients, panel: Attempt, stage: Stage, outcome: str
) -> None:
    decide(stage, outcome)
    assert stage.ada.name in text_of(clients["ines"], attempt_page(panel))
    assert stage.ada.name not in text_of(clients["otto"], attempt_page(panel))
    score_all(panel, stage.otto)
    assert stage.ada.name in text_of(clients["otto"], attempt_page(panel))


def test_the_name_waits_for_the_scorecard_of_the_revision_too(
    clients: Clients, panel: Attempt, stage: Stage
) -> None:
    let_go_early(Feedback.objects.get(), stage.ines, stage.hana)
    feedback.release(Feedback.objects.get(), by=stage.ines, now=LATER)
    attempts.start_revision(panel.pk, now=LATER)
    submit(panel, "Better.", at=LATER + timedelta(minutes=1))
    grade(panel, 2)
    decide(stage, "hire")
    assert stage.ada.name not in text_of(clients["ines"], attempt_page(panel))
    score_all(panel, stage.ines, round=2)
    assert stage.ada.name in text_of(clients["ines"], attempt_page(panel))


def test_decisions_wait_where_nothing_was_handed_in(
    clients: Clients, attempt: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=LATER)
    decide(stage, "hold")
    assert "Seen." not in text_of(clients["ines"], attempt_page(attempt))


def test_extra_time_is_not_in_the_history_of_whoever_may_not_see_it(
    clients: Clients, stage: Stage
) -> None:
    change = reverse("admin:hiring_candidate_change", args=[stage.ada.pk])
    form: dict[str, Any] = {"name": stage.ada.name, "email": stage.ada.email}
    form |= {"accommodations-TOTAL_FORMS": "1", "accommodations-INITIAL_FORMS": "0"}
    form |= {"accommodations-0-multiplier": "1.5", "accommodations-0-note": "Agreed."}
    assert clients["rhea"].post(change, form).status_code == 302
    history = reverse("admin:hiring_candidate_history", args=[stage.ada.pk])
    assert "1.5" in text_of(clients["rhea"], history)
    assert clients["hana"].get(history).status_code == 404
    assert history not in text_of(clients["hana"], change)
    assert history in text_of(clients["rhea"], change)


@pytest.fixture
def both(stage: Stage, handed_in: Attempt) -> Client:
    """Ines is a recruiter as well, and scores Ada."""
    stage.ines.groups.add(Group.objects.get(name=RECRUITER))
    client = Client()
    client.force_login(User.objects.get(pk=stage.ines.pk))
    return client


def test_a_recruiter_who_scores_sees_no_name_on_an_invitation(both: Client, stage: Stage) -> None:
    page = reverse("admin:hiring_invitation_change", args=[stage.invitation.pk])
    for url in (
        reverse("admin:hiring_invitation_changelist"),
        reverse("admin:hiring_invitation_add"),
        reverse("admin:index"),
        reverse("admin:hiring_opening_change", args=[stage.opening.pk]),
    ):
        text = text_of(both, url)
        assert stage.ada.name not in text, url
        assert stage.ada.email not in text, url
    assert both.get(page).status_code == 404
    for name in ("send", "replace", "revoke"):
        url = reverse(f"admin:invitation-{name}", args=[stage.invitation.pk])
        assert both.post(url, {"reason": "x"}).status_code == 404
    decide(stage, "decline")
    score_all(Attempt.objects.get(), stage.ines)
    assert stage.ada.name in text_of(both, page)
    assert "started" not in text_of(both, page)  # whoever scores sees no times, even later


def test_a_second_invitation_of_a_scored_candidate_is_not_named_on_the_home_page(
    both: Client, stage: Stage
) -> None:
    now = LATER.replace(year=2036)
    invite(
        opening=stage.opening,
        candidate=stage.ada,
        exercises=[stage.exercise],
        by=stage.rhea,
        opens_at=NOW,
        closes_at=now,
        now=NOW,
    )
    assert stage.ada.name not in text_of(both, reverse("admin:index"))


def test_a_recruiter_who_scores_cannot_invite_by_the_hidden_name(
    both: Client, stage: Stage
) -> None:
    bo = Candidate.objects.create(name="Bo Li", email="bo@example.com", created_at=NOW)
    form = {
        "id": "5f0c5a3e-0000-4000-8000-000000000001",
        "opening": stage.opening.pk,
        "exercises": [stage.exercise.pk],
        "opens_at": "2036-01-05T10:00",
        "closes_at": "2036-01-12T10:00",
    }
    url = reverse("admin:hiring_invitation_add")
    assert both.post(url, form | {"candidate": stage.ada.pk}).status_code == 400
    assert "Bo Li" in words_of(both.post(url, form | {"candidate": bo.pk}))


def test_sorting_by_time_left_does_not_order_the_scored(
    both: Client, stage: Stage, handed_in: Attempt
) -> None:
    """T4: the order of hidden deadlines would tell who has extra time."""
    stage.ines.groups.add(Group.objects.get(name=HIRING_MANAGER))
    second = _another(stage, "Cy", NOW - timedelta(minutes=30), "4")
    evaluations.assign(attempt=second, evaluator=stage.ines, by=stage.rhea, now=LATER)
    assert handed_in.deadline_at < second.deadline_at  # in the other order than the starts
    url = reverse("admin:assessments_attempt_changelist")
    shown = both.get(url).context["cl"].list_display
    at = [str(getattr(item, "short_description", item)) for item in shown].index("time left")
    orders = [
        [row.pk for row in both.get(url, {"o": sort}).context["cl"].result_list]
        for sort in (str(at), str(-at))
    ]
    assert orders[0] == orders[1]


def _another(stage: Stage, name: str, at: Any, multiplier: str) -> Attempt:
    person = Candidate.objects.create(name=name, email=f"{name}@example.com", created_at=NOW)
    Accommodation.objects.create(
        candidate=person, multiplier=multiplier, granted_by=stage.rhea, granted_at=NOW
    )
    link, _ = invite(
        opening=stage.opening,
        candidate=person,
        exercises=[stage.exercise],
        by=stage.rhea,
        opens_at=NOW - timedelta(days=1),
        closes_at=NOW + timedelta(days=6),
        now=NOW,
    )
    return attempts.start(invitation=link, exercise=stage.exercise, policies={}, now=at)
