"""From the first scorecard to the decision: feedback, revision, second scorecard, reasons."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import Stage, body, enter, hand_in
from hiring.models import Invitation
from reviews.decisions import decisions
from reviews.models import Decision, Evaluation, Feedback
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, REPORT, grade, ready_for_feedback, score_all

Clients = dict[str, Client]
WORDS = {
    "strength": "Retries are bounded.",
    "strength_place": "part-controller.py",
    "improvement": "Drain before scaling down.",
    "improvement_place": "part-controller.py",
    "focus": "controller.py",
}


@pytest.fixture
def defended(scored: Attempt, stage: Stage) -> Attempt:
    """Ines' scorecard is in, and Ada explained her answer."""
    ready_for_feedback(scored, stage.ines)
    return scored


def page(attempt: Attempt) -> str:
    return reverse("admin:feedback", args=[attempt.pk])


def revise(attempt: Attempt, clients: Clients) -> None:
    assert clients["ines"].post(page(attempt), WORDS | {"release": "1"}).status_code == 302
    attempts.start_revision(attempt.pk, now=LATER)
    better_answer = body(attempt, "My reasons.")
    better_answer["files"]["controller.py"] += "# Better reasons.\n"
    hand_in(attempt, better_answer, at=LATER + timedelta(minutes=5))
    better = REPORT | {"measures": [REPORT["measures"][0] | {"score": 0.75}], "score": 0.75}
    grade(attempt, 2, better)


def test_keeping_shows_the_candidate_nothing(clients: Clients, scored: Attempt) -> None:
    assert clients["ines"].post(page(scored), WORDS | {"keep": "1"}).status_code == 302
    assert Feedback.objects.get().released_at is None
    scored.refresh_from_db()
    assert scored.phase(LATER) == "submitted"


def test_releasing_opens_the_revision_and_is_on_record(clients: Clients, defended: Attempt) -> None:
    assert clients["ines"].post(page(defended), WORDS | {"release": "1"}).status_code == 302
    defended = Attempt.objects.get(pk=defended.pk)
    assert defended.phase(LATER) == "revision_open"
    assert defended.revision.improvement == "controller.py:\nDrain before scaling down."
    assert defended.revision.focus == "controller.py"
    assert LogEntry.objects.filter(change_message__contains="opened the revision").exists()
    again = clients["ines"].post(page(defended), WORDS | {"release": "1"})
    assert again.status_code == 409


@pytest.mark.parametrize("field", ["strength", "improvement"])
def test_releasing_needs_both(clients: Clients, defended: Attempt, field: str) -> None:
    answer = clients["ines"].post(page(defended), WORDS | {field: "  ", "release": "1"})
    assert answer.status_code == 409
    assert "one strength and one improvement" in words_of(answer)


def test_releasing_waits_for_the_own_scores(clients: Clients, handed_in: Attempt) -> None:
    answer = clients["ines"].post(page(handed_in), WORDS | {"release": "1"})
    assert answer.status_code == 409
    assert "Submit your own scores" in words_of(answer)
    assert Attempt.objects.get().phase(LATER) == "submitted"


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        ({"strength_place": ""}, "Pin the strength and the improvement to the work"),
        ({"improvement_place": ""}, "Pin the strength and the improvement to the work"),
        ({"focus": ""}, "Name the one file or section to revise"),
    ],
)
@pytest.mark.by_day(every=3)
def test_releasing_needs_a_place_for_each_and_one_part_to_revise(
    clients: Clients, defended: Attempt, gap: dict[str, str], said: str
) -> None:
    """E14: for the automation exercise the feedback names the part; the rest is read-only."""
    answer = clients["ines"].post(page(defended), WORDS | gap | {"release": "1"})
    assert answer.status_code == 409
    assert said in words_of(answer)
    assert clients["ines"].post(page(defended), WORDS | gap | {"keep": "1"}).status_code == 302


def test_releasing_waits_for_explain_and_defend(clients: Clients, scored: Attempt) -> None:
    """E16: a recorded step comes before feedback."""
    answer = clients["ines"].post(page(scored), WORDS | {"release": "1"})
    assert answer.status_code == 409
    assert "explained and defended the answer" in words_of(answer)
    assert Feedback.objects.get().released_at is None


def test_revision_with_a_focus_refuses_changes_elsewhere(
    clients: Clients, defended: Attempt, stage: Stage, client: Client
) -> None:
    assert clients["ines"].post(page(defended), WORDS | {"release": "1"}).status_code == 302
    defended.refresh_from_db()
    now = timezone.now()
    attempts.start_revision(defended.pk, now=now)
    Invitation.objects.update(closes_at=now + timedelta(days=1))
    enter(client, stage.token)
    defended.refresh_from_db()
    answer = body(defended, "Not what was asked for.")
    sent = {"client": str(uuid4()), "seq": 1, "base": None, "resolve": False, "body": answer}
    url = reverse("attempt-drafts", args=[defended.pk])
    said = client.post(url, sent, content_type="application/json")
    assert said.status_code == 400
    assert "only controller.py may change" in said.json()["detail"]


def test_focus_must_be_part_of_the_answer(clients: Clients, scored: Attempt) -> None:
    answer = clients["ines"].post(page(scored), WORDS | {"focus": "/etc/passwd"})
    assert answer.status_code == 400
    assert not Feedback.objects.exists()


def test_focus_offers_files_and_sections(clients: Clients, scored: Attempt) -> None:
    text = words_of(clients["ines"].get(page(scored)))
    assert '<option value="controller.py">' in text
    assert "The whole answer" in text


def test_second_round_has_adaptability_and_shows_what_changed(
    clients: Clients, defended: Attempt, stage: Stage
) -> None:
    """E14: first and second answer side by side, change per measure and per criterion."""
    revise(defended, clients)
    url = reverse("admin:score", args=[defended.pk, 2])
    before = words_of(clients["ines"].get(url))
    card = Evaluation.objects.current().of(defended, 2).get()
    assert "adaptability" in {item["dimension"] for item in card.criteria()}
    assert "Difference between the rounds" in before
    assert "Better reasons." in before
    assert "Change of each measure" not in before
    score_all(defended, stage.ines, round=2, level=5)
    after = words_of(clients["ines"].get(url))
    assert "Change of each measure" in after
    assert "+0.32" in after
    assert "Your levels, first answer and revision" in after
    assert "▲ +1" in after


def deciding(outcome: str, reasons: str) -> dict[str, str]:
    """The decision's form as a freshly opened page sends it."""
    return {"id": str(uuid4()), "outcome": outcome, "reasons": reasons}


def test_decision_needs_an_outcome_and_reasons(clients: Clients, scored: Attempt) -> None:
    url = reverse("admin:decision", args=[scored.pk])
    for data in ({}, {"outcome": "hire"}, {"outcome": "hire", "reasons": "  "}, {"reasons": "x"}):
        assert clients["hana"].post(url, {"id": str(uuid4())} | data).status_code == 400
    assert clients["hana"].post(url, deciding("robot", "x")).status_code == 400
    assert not Decision.objects.exists()


def test_decision_is_recorded_beside_earlier_ones(clients: Clients, scored: Attempt) -> None:
    url = reverse("admin:decision", args=[scored.pk])
    clients["hana"].post(url, deciding("hold", "Wait for the panel."))
    clients["hana"].post(url, deciding("advance", "Convincing under faults."))
    text = words_of(clients["hana"].get(url))
    assert "Wait for the panel." in text
    assert "Convincing under faults." in text
    assert "No score decides." in text
    assert LogEntry.objects.filter(change_message__startswith="Decided").count() == 2


@pytest.mark.parametrize("name", ["ines", "rhea"])
def test_only_some_roles_decide(clients: Clients, scored: Attempt, name: str) -> None:
    url = reverse("admin:decision", args=[scored.pk])
    assert clients[name].post(url, deciding("hire", "x")).status_code == 403
    assert not Decision.objects.exists()


def test_decision_page_has_means_and_measures(
    clients: Clients, scored: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=scored, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(scored, stage.otto, level=1)
    text = words_of(clients["hana"].get(reverse("admin:decision", args=[scored.pk])))
    assert "<strong>2.5</strong>" in text
    assert "High priority wait" in text


def test_an_evaluator_learns_the_name_with_the_decision(
    clients: Clients, scored: Attempt, stage: Stage
) -> None:
    url = reverse("admin:attempt", args=[scored.pk])
    assert stage.ada.name not in words_of(clients["ines"].get(url))
    decisions.decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="advance",
        reasons="Good.",
        by=stage.hana,
        now=LATER,
    )
    assert stage.ada.name in words_of(clients["ines"].get(url))


def test_hiring_manager_who_scores_is_blind_too(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    pages = [
        reverse("admin:index"),
        reverse("admin:assessments_attempt_changelist"),
        reverse("admin:assessments_attempt_changelist") + "?q=Ada",
        reverse("admin:hiring_candidate_changelist"),
        reverse("admin:hiring_opening_change", args=[stage.opening.pk]),
        reverse("admin:attempt", args=[handed_in.pk]),
        reverse("admin:score", args=[handed_in.pk, 1]),
        reverse("admin:decision", args=[handed_in.pk]),
        reverse("admin:feedback", args=[handed_in.pk]),
    ]
    for url in pages:
        text = words_of(clients["hana"].get(url))
        assert stage.ada.name not in text, url
    found = words_of(clients["hana"].get(pages[2]))
    assert stage.ada.pseudonym not in found  # a search by name must not point at the pseudonym
    assert clients["hana"].get(
        reverse("admin:hiring_candidate_change", args=[stage.ada.pk])
    ).status_code in (302, 404)


def test_note_is_kept_for_staff(clients: Clients, handed_in: Attempt) -> None:
    url = reverse("admin:note", args=[handed_in.pk])
    clients["ines"].post(url, {"text": "Ask about the drain order."})
    clients["ines"].post(url, {"text": "   "})
    text = words_of(clients["hana"].get(reverse("admin:attempt", args=[handed_in.pk])))
    assert "Ask about the drain order." in text
    assert handed_in.notes.count() == 1
    assert clients["rhea"].post(url, {"text": "x"}).status_code == 403
