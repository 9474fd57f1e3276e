"""Before Start the page says what interviewers can replay, that runs are seen, and how long all is kept."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments.kinds import workplace_of
from assessments.tests.stage import Stage, enter, make_stage
from hiring.models import Exercise, Opening


@pytest.fixture
def today(db: None) -> Stage:
    return make_stage(timezone.now())


def notice(stage: Stage) -> str:
    client = Client()
    enter(client, stage.token)
    page = words_of(client.get(reverse("lobby", args=[stage.invitation.pk])))
    terms, start = page.index("What is recorded, and who sees it"), page.index("Start: 60 minutes")
    assert terms < start
    return page[terms:start]


def test_drafts_and_runs_can_be_seen_though_runs_are_not_scored(today: Stage) -> None:
    said = notice(today)
    assert "interviewers can replay these drafts" in said
    assert "interviewers can see them, and they are not scored" in said


def test_what_runs_here_has_no_network_and_it_is_said_before_the_start(today: Stage) -> None:
    client = Client()
    enter(client, today.token)
    page = words_of(client.get(reverse("lobby", args=[today.invitation.pk])))
    assert "Network use is off for all that runs here" in page


@pytest.mark.parametrize("kind", ["automation", "troubleshooting", "scaling-plan"])
def test_every_kind_that_records_steps_says_who_sees_them(kind: str) -> None:
    said = workplace_of(Exercise(kind=kind, answer_form="code")).recorded
    assert "interviewers can see" in said
    assert "scored" in said


@pytest.mark.parametrize(
    ("organisation", "opening", "mode", "words"),
    [
        (6, None, "erase", ("6 months after the decision", "Then all of it is erased.")),
        (6, 1, "erase", ("1 month after the decision",)),
        (0, 12, "pseudonymise", ("12 months after", "your name and address go")),
        (6, 0, "erase", ("no fixed end",)),
        (0, None, "erase", ("no fixed end",)),
    ],
)
def test_it_says_how_long_all_is_kept(
    today: Stage,
    settings: Any,
    organisation: int,
    opening: int | None,
    mode: str,
    words: tuple[str],
) -> None:
    settings.RETENTION_MONTHS, settings.RETENTION_MODE = organisation, mode
    Opening.objects.update(retention_months=opening)
    said = notice(today)
    for word in words:
        assert word in said
