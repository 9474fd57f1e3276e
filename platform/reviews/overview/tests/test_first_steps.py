"""A new site says what comes first, and reads how far somebody is from what is there."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts.models import User
from accounts.roles import ADMINISTRATOR, INTERVIEWER, RECRUITER
from accounts.tests.reading import words_of
from assessments.tests.stage import member
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Opening
from library.catalogue import entry_of
from library.models import Seniority
from reviews.catalogue import trials
from reviews.overview.first_steps import steps

pytestmark = pytest.mark.django_db
PACK = "cost/fleet-bill"


@pytest.fixture(autouse=True)
def no_mail(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"


@pytest.fixture
def rhea() -> User:
    return member("rhea", RECRUITER)


def done() -> list[str]:
    return [step.key for step in steps(timezone.now()) if step.done]


def opened() -> tuple[Opening, Exercise]:
    now = timezone.now()
    opening = Opening.objects.create(title="Engineer", level=Seniority.MID, created_at=now)
    limits = {"limit_minutes": 90, "revision_minutes": 10}
    row = Exercise.objects.create(
        opening=opening, pack_name=PACK, kind="cost", level="mid", **limits
    )
    return opening, row


def test_each_step_is_done_when_its_fact_is_there(rhea: User, settings: Settings) -> None:
    assert done() == []
    settings.ORGANISATION = "Ours"
    assert done() == ["organisation"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert done() == ["organisation", "mail"]
    member("ines", INTERVIEWER)
    assert "people" not in done()  # one alone cannot score independently of another
    member("otto", INTERVIEWER)
    assert done() == ["organisation", "mail", "people"]
    trials.begin(entry_of(PACK), "mid", by=rhea, now=timezone.now())
    assert "opening" not in done()  # a trial is nobody's hiring
    opening, exercise = opened()
    assert done() == ["organisation", "mail", "people", "opening"]
    now = timezone.now()
    ada = Candidate.objects.create(name="Ada", email="ada@example.com", created_at=now)
    window: dict[str, Any] = {"opens_at": now, "closes_at": now + timedelta(days=1)}
    invite(opening=opening, candidate=ada, exercises=[exercise], by=rhea, now=now, **window)
    assert done() == ["organisation", "mail", "people", "opening", "invitation"]


def test_the_first_page_of_an_empty_site_leads_through_them(rhea: User) -> None:
    client = Client()
    client.force_login(rhea)
    home = words_of(client.get(reverse("admin:index")))
    assert home.index("Name your organisation") < home.index("Make the first opening")
    page = client.get(reverse("admin:first-steps"))
    assert "0 of 5 done" in words_of(page)
    assert reverse("admin:catalogue") in page.content.decode()
    assert reverse("admin:accounts_user_add") not in page.content.decode()  # not a recruiter's


def test_it_is_for_whoever_makes_openings(rhea: User) -> None:
    client = Client()
    client.force_login(member("ines", INTERVIEWER))
    assert client.get(reverse("admin:first-steps")).status_code == 403
    assert "Name your organisation" not in words_of(client.get(reverse("admin:index")))
    client.force_login(member("alma", ADMINISTRATOR))
    assert "Bring your colleagues in" in words_of(client.get(reverse("admin:index")))
