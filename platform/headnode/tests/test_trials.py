"""A trial is taken on the candidates' pages, is in no list and no figure, and may be kept as an exemplar."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from accounts.models import User
from accounts.roles import ADMINISTRATOR, HIRING_MANAGER, INTERVIEWER, RECRUITER
from accounts.tests.reading import words_of
from assessments import attempts
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage, member, stage
from headnode.permissions import NO_STAFF, addresses
from hiring.models import Candidate, Exercise, Invitation, Message, Opening
from hiring.oversight import openings_overseen_by
from hiring.trials import real
from library.catalogue import entry_of
from library.kept_exemplars import every_exemplar
from library.models import KeptExemplar
from reviews import visibility
from reviews.catalogue import trials
from reviews.fairness.self_descriptions import may_be_given
from reviews.workload import waiting_for

__all__ = ["stage"]
pytestmark = pytest.mark.django_db
PACK = "automation/queue-autoscaler"
BODY = {
    "files": {"controller.py": "def run():\n    pass\n"},
    "sections": {"architecture": "One loop."},
}


@pytest.fixture
def ines(stage: Stage) -> User:
    person = member("trying", INTERVIEWER)
    User.objects.filter(pk=person.pk).update(first_name="Trialia", last_name="Outtester")
    person.refresh_from_db()
    return person


@pytest.fixture
def handed_in(ines: User) -> Attempt:
    """A trial that was handed in and graded."""
    now = timezone.now()
    made = trials.begin(entry_of(PACK), "mid", by=ines, now=now)
    exercise = made.exercises.get()
    attempt = attempts.start(invitation=made, exercise=exercise, policies={}, now=now)
    once: dict[str, Any] = {"client": uuid.uuid4(), "seq": 1, "base": None, "body": BODY}
    attempts.submit(attempt.pk, **once, now=now + timedelta(minutes=1))
    return attempt


def lists() -> list[str]:
    """Every page of staff's that is about nobody in particular."""
    models = {
        f"{model._meta.app_label}_{model._meta.model_name}": model._meta.label_lower
        for model in admin.site._registry
    }
    found = []
    for address in addresses(models):
        own = address.rule is None or address.rule.scope in NO_STAFF
        if own or address.rule.only_post or address.name in ("admin:catalogue", "admin:logout"):  # type: ignore[union-attr]
            continue
        try:
            found.append(reverse(address.name))
        except NoReverseMatch:
            continue
    return found


@pytest.mark.parametrize("role", [ADMINISTRATOR, RECRUITER, HIRING_MANAGER, INTERVIEWER])
@pytest.mark.by_day(but=["Administrator", "Hiring manager", "Recruiter"])
def test_no_list_shows_a_trial(role: str, stage: Stage, handed_in: Attempt) -> None:
    GradingRun.objects.update(finished_at=timezone.now(), result="infrastructure_error")
    client = Client()
    client.force_login(member("visitor", role))
    asked, told = (
        0,
        ["a trial by", str(handed_in.pk), handed_in.invitation.candidate.email],
    )
    told += [str(handed_in.invitation_id), handed_in.invitation.candidate.pseudonym]
    for path in lists():
        answer = client.get(path, follow=True)
        if answer.status_code != 200:
            continue
        asked += 1
        assert not [word for word in told if word in answer.content.decode(errors="replace")], path
    assert asked >= 12


@pytest.mark.parametrize("role", [ADMINISTRATOR, RECRUITER, HIRING_MANAGER, INTERVIEWER])
def test_no_query_of_staffs_finds_a_trial(role: str, stage: Stage, handed_in: Attempt) -> None:
    viewer, link = member("visitor", role), handed_in.invitation
    assert handed_in not in visibility.attempts_visible_to(viewer)
    assert link.opening not in visibility.openings_visible_to(viewer)
    assert link.opening not in openings_overseen_by(viewer)
    assert link.candidate not in visibility.candidates_visible_to(viewer)
    assert link not in visibility.invitations_visible_to(viewer)
    rows = [row for section in waiting_for(viewer, timezone.now()) for row in section.rows]
    assert not [row for row in rows if "a trial by" in row.text]
    client = Client()
    client.force_login(viewer)
    assert client.get(reverse("admin:attempt", args=[handed_in.pk])).status_code in (403, 404)
    assert client.get(reverse("admin:comparison", args=[link.opening_id])).status_code in (403, 404)


def test_the_rule_leaves_what_is_real(stage: Stage, handed_in: Attempt) -> None:
    assert list(real(Opening.objects.all())) == [stage.opening]
    assert list(real(Candidate.objects.all())) == [stage.ada]
    assert set(real(Invitation.objects.all())) == {stage.invitation}
    assert list(real(Exercise.objects.all())) == [stage.exercise]
    with pytest.raises(KeyError):
        real(Message.objects.all())


def test_nobody_is_told_of_a_trial_and_nothing_waits_for_it(handed_in: Attempt) -> None:
    assert not Message.objects.exists()
    assert GradingRun.objects.get().comes_last
    assert not may_be_given(handed_in.invitation)


def test_a_trial_is_taken_on_the_candidates_pages(ines: User) -> None:
    client = Client()
    client.force_login(ines)
    page = client.get(reverse("admin:catalogue-entry", args=["automation", "queue-autoscaler"]))
    assert "A graded sample" in words_of(page)
    begin = reverse("admin:trial-begin", args=["automation", "queue-autoscaler"])
    lobby: Any = client.post(begin, {"level": "mid"}, follow=True)
    made = Invitation.objects.get(opening__trial_by=ines)
    assert lobby.redirect_chain == [(reverse("lobby", args=[made.pk]), 302)]
    assert "Scale GPU nodes" in words_of(lobby)
    again = Client()  # another browser of the same person
    again.force_login(ines)
    assert again.get(reverse("lobby", args=[made.pk])).status_code == 404
    assert again.post(reverse("admin:trial-enter", args=[made.pk]), follow=True).status_code == 200
    assert "not begun" in words_of(client.get(reverse("admin:catalogue")))
    bad = client.post(begin, {"level": "principal"}, follow=True)
    assert "Choose one of the levels" in words_of(bad)


def test_a_trial_is_ones_own(handed_in: Attempt) -> None:
    client = Client()
    client.force_login(member("other", ADMINISTRATOR))
    for name in ("trial", "trial-enter", "trial-keep"):
        path = reverse(f"admin:{name}", args=[handed_in.invitation_id])
        answer = client.get(path) if name == "trial" else client.post(path)
        assert answer.status_code == 404, name


def test_a_good_trial_is_kept_as_an_exemplar(ines: User, handed_in: Attempt) -> None:
    client, at = Client(), handed_in.invitation_id
    client.force_login(ines)
    criteria = [item for item in entry_of(PACK).pack.rubric("mid").criteria if item.round == 1]
    data = {f"level-{item.key}": "3" for item in criteria}
    refused = client.post(reverse("admin:trial-keep", args=[at]), data)
    assert refused.status_code == 409
    assert "needs a level and the reason" in words_of(refused)
    assert 'value="3" checked' in refused.content.decode()  # nothing typed is lost
    data |= {f"reason-{item.key}": f"It shows {item.title}." for item in criteria}
    for _ in range(2):  # the same button twice
        client.post(reverse("admin:trial-keep", args=[at]), data)
    kept = KeptExemplar.objects.get()
    assert every_exemplar(PACK, "mid")[-1].body == BODY
    calibration = words_of(client.get(reverse("admin:calibration")))
    assert f"Exemplar {kept.pk}, kept by staff" in calibration
    card = reverse(
        "admin:calibration-card", args=["automation", "queue-autoscaler", "mid", f"kept-{kept.pk}"]
    )
    assert client.get(card).status_code == 200
    assert "kept as an exemplar" in words_of(client.get(reverse("admin:trial", args=[at])))
