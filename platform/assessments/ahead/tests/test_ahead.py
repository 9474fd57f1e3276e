"""E8: exercises that can be read before the clock starts, and what stays on record of it."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.not_possible import NotPossible
from assessments import attempts
from assessments.ahead import materials, release
from assessments.building import prepare_now
from assessments.jobs import Result
from assessments.materials import variants
from assessments.models import Attempt, PreparedVariant
from assessments.models.ahead import AdvanceRelease
from assessments.tests.stage import NOW, POLICIES, Stage, enter, make_stage
from hiring.messages.to_candidates import invite_by_mail
from hiring.models import Exercise, Invitation
from hiring.tests.mails import send_all

COST = "cost/fleet-bill"


@pytest.fixture(scope="session")
def built_ahead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of variants for the whole run."""
    return tmp_path_factory.mktemp("ahead")


@pytest.fixture
def today(db: None, built_ahead: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Ada is invited to a cost exercise today, and to the automation exercise; each seed is the same."""
    settings.VARIANTS = built_ahead
    monkeypatch.setattr("assessments.prepared.drawing.draw_seed", lambda: 7)
    stage = make_stage(timezone.now())
    cost = Exercise.objects.create(
        opening=stage.opening,
        pack_name=COST,
        kind="cost",
        level="junior",
        limit_minutes=90,
        revision_minutes=10,
        position=0,
    )
    Exercise.objects.filter(pk=stage.exercise.pk).update(position=1)
    stage.invitation.exercises.add(cost)
    prepare_now(stage.invitation, now=timezone.now())
    return stage


def cost_of(stage: Stage) -> Exercise:
    return stage.invitation.exercises.get(kind="cost")


def show(stage: Stage, opens_at: datetime, now: datetime | None = None) -> None:
    release.arrange(stage.invitation, opens_at=opens_at, by=stage.rhea, now=now or timezone.now())


def variant_of(stage: Stage) -> PreparedVariant:
    return PreparedVariant.objects.get(exercise=cost_of(stage))


def url(stage: Stage, name: str = "ahead", *more: str) -> str:
    return reverse(name, args=[stage.invitation.pk, cost_of(stage).pk, *more])


def an_hour_ago() -> datetime:
    return timezone.now() - timedelta(hours=1)


def lobby_of(client: Client, stage: Stage) -> str:
    return client.get(reverse("lobby", args=[stage.invitation.pk])).content.decode()


def start(client: Client, stage: Stage) -> Attempt:
    sent = {"exercise": cost_of(stage).pk, "accept": "yes"}
    assert client.post(reverse("start", args=[stage.invitation.pk]), sent).status_code == 302
    return Attempt.objects.get(exercise=cost_of(stage))


def test_lobby_says_which_can_be_read_ahead_and_which_are_a_surprise(
    today: Stage, client: Client
) -> None:
    enter(client, today.token)
    page = lobby_of(client, today)
    assert page.count("This one is a surprise") == 2
    assert "first opened the materials" not in page
    show(today, timezone.now() + timedelta(hours=5))
    page = lobby_of(client, today)
    assert (
        "You can read the brief and the materials of this exercise before you start, from" in page
    )
    assert page.count("This one is a surprise") == 1
    assert url(today) not in page
    show(today, an_hour_ago())
    page = lobby_of(client, today)
    assert url(today) in page
    assert "When you first opened the materials" in page  # recorded, so it is said


def test_first_look_is_kept_and_fixes_what_is_worked_on(today: Stage, client: Client) -> None:
    show(today, an_hour_ago())
    enter(client, today.token)
    before = timezone.now()
    page = client.get(url(today)).content.decode()
    row = AdvanceRelease.objects.get()
    assert row.first_opened_at is not None
    assert before <= row.first_opened_at <= timezone.now()
    assert "costs/focus.csv" in page
    assert "Your clock does not run." in page
    assert not Attempt.objects.exists()
    again = client.get(url(today))
    assert again.status_code == 200
    assert AdvanceRelease.objects.get().first_opened_at == row.first_opened_at
    attempt = start(client, today)
    variant = variant_of(today)
    assert (attempt.seed, attempt.pack_version) == (variant.seed, variant.pack_version)
    assert attempt.ahead_from == row.opens_at
    assert attempt.ahead_opened_at == row.first_opened_at
    assert attempt.started_at > row.first_opened_at


def test_attempt_keeps_the_seed_of_the_look_and_not_another(
    today: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(today, an_hour_ago())
    exercise, now = cost_of(today), timezone.now()
    release.look(today.invitation, exercise, now=now)
    monkeypatch.setattr("assessments.prepared.drawing.draw_seed", lambda: 8)
    begun = attempts.start(
        invitation=today.invitation, exercise=exercise, policies=POLICIES, now=now, seed=99
    )
    assert begun.seed == 7


def test_released_and_never_opened_is_a_fact_too(today: Stage) -> None:
    show(today, an_hour_ago())
    begun = attempts.start(
        invitation=today.invitation, exercise=cost_of(today), policies=POLICIES, now=timezone.now()
    )
    assert begun.ahead_from is not None
    assert begun.ahead_opened_at is None


def test_start_before_the_moment_is_a_surprise(today: Stage) -> None:
    show(today, timezone.now() + timedelta(hours=5))
    begun = attempts.start(
        invitation=today.invitation, exercise=cost_of(today), policies=POLICIES, now=timezone.now()
    )
    assert (begun.ahead_from, begun.ahead_opened_at) == (None, None)


def test_nothing_is_read_before_the_moment_by_strangers_or_of_a_surprise(
    today: Stage, client: Client
) -> None:
    show(today, timezone.now() + timedelta(hours=5))
    assert client.get(url(today)).status_code == 404  # nobody came by a link
    enter(client, today.token)
    lobby = reverse("lobby", args=[today.invitation.pk])
    assert client.get(url(today)).headers["Location"] == lobby
    assert client.get(url(today, "ahead-file", "costs/focus.csv")).status_code == 404
    surprise = reverse("ahead", args=[today.invitation.pk, today.exercise.pk])
    assert client.get(surprise).headers["Location"] == lobby
    missing = reverse("ahead", args=[today.invitation.pk, 10**25])
    assert client.get(missing).status_code == 404
    assert AdvanceRelease.objects.get().first_opened_at is None


def test_files_can_be_opened_and_taken_away_and_hold_no_key(today: Stage, client: Client) -> None:
    show(today, an_hour_ago())
    enter(client, today.token)
    assert client.get(url(today, "ahead-file", "costs/focus.csv")).status_code == 404  # page first
    client.get(url(today))
    file = client.get(url(today, "ahead-file", "costs/focus.csv"))
    assert file.content.startswith(b"AvailabilityZone") or b"BilledCost" in file.content[:2000]
    assert 'filename="focus.csv"' in file.headers["Content-Disposition"]
    with zipfile.ZipFile(
        io.BytesIO(client.get(url(today, "ahead-file", "all.zip")).content)
    ) as zipped:
        names = zipped.namelist()
    assert len(names) > 10
    assert not [name for name in names if "key" in name or "manifest" in name or "template" in name]
    for name in ("manifest.json", "../keys/x.json", "key.json", "sections.json"):
        assert client.get(url(today, "ahead-file", name)).status_code == 404


def test_pages_of_what_can_be_read_ahead_tell_nothing_of_the_key(
    today: Stage, client: Client
) -> None:
    show(today, an_hour_ago())
    enter(client, today.token)
    page = client.get(url(today)).content.decode()
    key = variants.key_of(*variant_of(today).of)
    for lever in key["levers"]:
        assert lever["how"] not in page
        assert lever["question"] not in page


def test_after_the_start_the_page_leads_to_the_workspace(today: Stage, client: Client) -> None:
    show(today, an_hour_ago())
    enter(client, today.token)
    client.get(url(today))
    start(client, today)
    assert client.get(url(today)).headers["Location"] == reverse(
        "lobby", args=[today.invitation.pk]
    )
    assert client.get(url(today, "ahead-file", "costs/focus.csv")).status_code == 404
    assert url(today) not in lobby_of(client, today)


def test_what_was_read_cannot_be_taken_back_or_moved(today: Stage) -> None:
    moment = an_hour_ago()
    show(today, moment)
    show(today, moment + timedelta(minutes=5))
    assert AdvanceRelease.objects.get().opens_at == moment + timedelta(minutes=5)
    release.look(today.invitation, cost_of(today), now=timezone.now())
    with pytest.raises(NotPossible, match="opened the materials already"):
        release.arrange(today.invitation, opens_at=None, by=today.rhea, now=timezone.now())
    assert AdvanceRelease.objects.count() == 1


def test_surprises_cannot_be_shown_ahead(stage: Stage) -> None:
    with pytest.raises(NotPossible, match="No exercise of this invitation"):
        release.arrange(stage.invitation, opens_at=NOW, by=stage.rhea, now=NOW)
    assert not AdvanceRelease.objects.exists()


def test_taking_it_back_makes_it_a_surprise_again(today: Stage) -> None:
    show(today, an_hour_ago())
    release.arrange(today.invitation, opens_at=None, by=today.rhea, now=timezone.now())
    assert not AdvanceRelease.objects.exists()


@pytest.mark.parametrize(
    ("before_h", "sentence"),
    [
        (24, ""),
        (48, ""),
        (36, ""),
        (5, "5 h before"),
        (72, "72 h before"),
        (-2, "2 h after"),
        (0, "when the link opens"),
    ],
)
def test_unusual_moments_are_pointed_out(stage: Stage, before_h: int, sentence: str) -> None:
    moment = stage.invitation.opens_at - timedelta(hours=before_h)
    said = release.usual_warning(stage.invitation, moment)
    assert (sentence in said) if sentence else said == ""


def test_message_tells_the_candidate_which(today: Stage) -> None:
    show(today, an_hour_ago())
    invite_by_mail(today.invitation, by=today.rhea, now=timezone.now())
    send_all()
    text = str(mail.outbox[0].body)
    assert "Cost optimisation: 90 minutes" in text
    assert "You can read its brief and materials before you start, from" in text
    assert text.count("A surprise: you see its brief and materials when you press Start.") == 1


def test_failed_build_is_no_look(today: Stage, client: Client) -> None:
    show(today, an_hour_ago())
    enter(client, today.token)
    failed = PreparedVariant.objects.filter(exercise=cost_of(today))
    failed.update(result=Result.INFRASTRUCTURE_ERROR)
    answer = client.get(url(today), follow=True)
    assert "That is our fault, not yours" in answer.content.decode()
    assert AdvanceRelease.objects.get().first_opened_at is None


def test_zip_is_the_same_every_time(today: Stage, client: Client) -> None:
    show(today, an_hour_ago())
    enter(client, today.token)
    client.get(url(today))
    folder = variants.folder_of(*variant_of(today).of)
    assert materials.zipped(folder, "bill") == materials.zipped(folder, "bill")


def test_it_is_read_while_the_link_waits_and_nothing_starts(today: Stage, client: Client) -> None:
    """The usual case: shown 30 hours before the moment from which Start can be pressed."""
    opens_at = timezone.now() + timedelta(hours=30)
    Invitation.objects.filter(pk=today.invitation.pk).update(
        opens_at=opens_at, closes_at=opens_at + timedelta(days=1)
    )
    today.invitation.refresh_from_db()
    show(today, timezone.now())
    enter(client, today.token)
    page = lobby_of(client, today)
    assert "You can start from" in page
    assert url(today) in page
    assert client.get(url(today)).status_code == 200
    sent = {"exercise": cost_of(today).pk, "accept": "yes"}
    answer = client.post(reverse("start", args=[today.invitation.pk]), sent)
    assert answer.status_code == 409
    assert not Attempt.objects.exists()
