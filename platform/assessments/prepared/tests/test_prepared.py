"""What an attempt begins with is drawn once and built before the start, by a worker and never by a request."""

from __future__ import annotations

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments import attempts, building, pages
from assessments.clock import EventKind
from assessments.jobs import MAX_TRIES, Result
from assessments.ledger import locked, record
from assessments.materials import rebuilding, variants
from assessments.models import Attempt, PreparedVariant, TimeEvent
from assessments.prepared import drawing
from assessments.prepared.drawing import prepare
from assessments.prepared.progress import READY, progress_of
from assessments.tests.stage import POLICIES, Stage, enter, make_stage
from assessments.tests.test_company import chosen
from assessments.troubleshooting.tests.troubleshooting_stage import (
    INCIDENT,
    LEVEL,
    fake_build,
    start_incident,
    turn_to_incident,
)
from hiring.invitations import revoke
from library.packs import pack_of

pytestmark = pytest.mark.django_db
Builds = list[list[str]]


@pytest.fixture
def stage(db: None, settings: Any, tmp_path: Path) -> Stage:
    """Ada is invited, as of now, to an exercise with materials of which none is on this disk."""
    settings.VARIANTS = tmp_path / "variants"
    made = make_stage(timezone.now())
    turn_to_incident(made)
    return made


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Builds:
    """The command lines of the builds, each of which writes next to nothing."""
    calls: Builds = []
    fake_build(calls, monkeypatch)
    return calls


def press_start(client: Client, stage: Stage) -> Any:
    fields = {"exercise": stage.exercise.pk, "accept": "yes"}
    return client.post(reverse("start", args=[stage.invitation.pk]), fields)


def lobby(stage: Stage) -> str:
    return reverse("lobby", args=[stage.invitation.pk])


def far(client: Client, stage: Stage) -> dict[str, Any]:
    """What the page that waits is told of the exercise."""
    answer = client.get(reverse("preparing", args=[stage.invitation.pk]))
    told: dict[str, Any] = answer.json()[str(stage.exercise.pk)]
    return told


def seeds(builds: Builds) -> list[int]:
    return [int(command[command.index("--seed") + 1]) for command in builds]


def test_sixteen_starts_draw_one_seed_and_build_nothing(
    client: Client, stage: Stage, builds: Builds
) -> None:
    enter(client, stage.token)
    for _ in range(16):
        assert press_start(client, stage).headers["Location"] == lobby(stage)
    assert builds == []
    assert not Attempt.objects.exists()
    assert PreparedVariant.objects.count() == 1
    building.build_next()
    building.build_next()
    for _ in range(16):
        assert "/attempts/" in press_start(client, stage).headers["Location"]
    attempt = Attempt.objects.get()
    assert seeds(builds) == [attempt.seed]
    assert TimeEvent.objects.filter(kind=EventKind.STARTED).count() == 1
    assert attempt.started_at > PreparedVariant.objects.get().created_at


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL (set DATABASE_URL)")
def test_sixteen_starts_at_once_give_one_attempt(
    client: Client, settings: Any, tmp_path: Path, builds: Builds
) -> None:
    settings.VARIANTS = tmp_path / "variants"
    stage = make_stage(timezone.now())
    turn_to_incident(stage)
    enter(client, stage.token)
    building.build_next()

    def press(_: int) -> str:
        own = Client()
        own.cookies = client.cookies
        try:
            return str(press_start(own, stage).headers["Location"])
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        led = set(pool.map(press, range(16)))
    attempt = Attempt.objects.get()
    assert led == {reverse("workspace", args=[attempt.pk])}
    assert TimeEvent.objects.filter(kind=EventKind.STARTED).count() == len(builds) == 1


def test_page_says_how_far_it_is_and_starts_nothing(
    client: Client, stage: Stage, builds: Builds
) -> None:
    enter(client, stage.token)
    page = words_of(client.get(lobby(stage)))
    assert "Your cluster is being prepared; your clock has not started." in page
    assert re.search(r"<button[^>]* disabled[^>]*> ?Start: 60 minutes", page)
    assert far(client, stage)["state"] == "waiting"
    assert far(client, stage)["words"].endswith("It is next.")
    building.build_next()
    assert far(client, stage) == {"state": "ready", "words": READY.words, "share": 100}
    page = words_of(client.get(lobby(stage)))
    assert "being prepared" not in page
    assert not re.search(r"<button[^>]* disabled[^>]*> ?Start: 60 minutes", page)
    assert not Attempt.objects.exists()


def test_progress_is_told_by_how_long_the_last_of_its_kind_took(stage: Stage) -> None:
    now = timezone.now()
    row = prepare(stage.invitation, now=now)[stage.exercise.pk]
    assert PreparedVariant.objects.claim(row.pk, "worker", now)
    row.refresh_from_db()
    assert progress_of(row, now + timedelta(seconds=3)).share == 50
    assert progress_of(row, now + timedelta(seconds=25)).share == 95
    assert progress_of(row, now + timedelta(seconds=25)).state == "building"


def test_program_needs_no_materials_and_is_ready_at_once(
    client: Client, db: None, builds: Builds
) -> None:
    stage = make_stage(timezone.now())
    enter(client, stage.token)
    assert far(client, stage)["state"] == "ready"
    assert "/attempts/" in press_start(client, stage).headers["Location"]
    assert Attempt.objects.get().seed == PreparedVariant.objects.get().seed
    assert builds == []


def test_who_has_opened_the_link_comes_before_who_was_only_sent_one(
    client: Client, stage: Stage, builds: Builds
) -> None:
    now = timezone.now()
    other = make_other(stage, now)
    prepare(other, now=now - timedelta(minutes=5))
    enter(client, stage.token)
    first, second = PreparedVariant.objects.in_turn(timezone.now())
    assert (first.invitation, second.invitation) == (stage.invitation, other)
    building.build_next()
    assert seeds(builds) == [first.seed]


def make_other(stage: Stage, now: datetime) -> Any:
    """A second invitation to the same exercise."""
    from hiring.invitations import invite

    invitation, _ = invite(
        opening=stage.opening,
        candidate=stage.ada,
        exercises=[stage.exercise],
        opens_at=now,
        closes_at=now + timedelta(days=1),
        by=stage.rhea,
        now=now,
    )
    return invitation


def test_one_is_built_at_a_time_and_the_next_is_told_of(
    stage: Stage, builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, sent = timezone.now(), []
    monkeypatch.setattr(building, "publish", lambda task, pk, **_: sent.append(pk))
    prepare(stage.invitation, now=now)
    waiting = prepare(make_other(stage, now), now=now)[stage.exercise.pk]
    with variants.place():
        building.build_next()
    assert builds == []
    building.build_next()
    assert len(builds) == 1
    assert sent == [waiting.pk]


def test_what_fails_on_our_side_is_tried_again_and_then_said(
    client: Client, stage: Stage, monkeypatch: pytest.MonkeyPatch, builds: Builds
) -> None:
    def fail(*_: object) -> None:
        raise variants.NotBuilt("The disk is full.")

    enter(client, stage.token)
    with monkeypatch.context() as patched:
        patched.setattr(variants, "_build", fail)
        for _ in range(MAX_TRIES):
            building.build_next()
            PreparedVariant.objects.update(lease_until=None)  # the pause is over
        building.build_next()
    building.remind(timezone.now())
    row = PreparedVariant.objects.get()
    assert (row.tries, row.result) == (MAX_TRIES, Result.INFRASTRUCTURE_ERROR)
    page = words_of(client.get(lobby(stage)))
    assert "That is our fault, not yours: your clock has not started." in page
    assert "The disk is full" not in page
    assert press_start(client, stage).headers["Location"] == lobby(stage)
    assert not Attempt.objects.exists()
    client.post(reverse("prepare-again", args=[stage.invitation.pk]))
    building.build_next()
    assert far(client, stage)["state"] == "ready"
    assert seeds(builds) == [row.seed]


def test_company_and_pack_are_followed_until_something_was_started(
    stage: Stage, builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    before = prepare(stage.invitation, now=now)[stage.exercise.pk]
    building.build_next()
    company = chosen(stage)
    row = prepare(stage.invitation, now=now)[stage.exercise.pk]
    assert (row.seed, row.company) == (before.seed, company.toml)
    assert row.state(now) == "queued"
    building.build_next()
    assert len(builds) == 2
    begun = attempts.start(
        invitation=stage.invitation, exercise=stage.exercise, policies=POLICIES, now=now
    )
    newer = SimpleNamespace(**{**vars(pack_of(INCIDENT)), "digest": "f" * 64})
    monkeypatch.setattr(drawing, "pack_of", lambda _: newer)
    kept = prepare(stage.invitation, now=now)[stage.exercise.pk]
    assert (kept.pack_version, kept.seed) == (begun.pack_version, begun.seed)
    assert kept.finished_at is not None


def test_revoked_link_has_nothing_drawn_or_built(stage: Stage, builds: Builds) -> None:
    now = timezone.now()
    prepare(stage.invitation, now=now)
    revoke(stage.invitation, by=stage.rhea, reason="Mistake.", now=now)
    building.build_next()
    assert builds == []
    stage.invitation.refresh_from_db()
    PreparedVariant.objects.all().delete()
    assert prepare(stage.invitation, now=now) == {}


@pytest.fixture
def begun(client: Client, stage: Stage, builds: Builds) -> Attempt:
    """Ada works; then the folder of her variant goes, as if another host answered."""
    enter(client, stage.token)
    building.build_next()
    press_start(client, stage)
    attempt = Attempt.objects.get()
    shutil.rmtree(variants.folder_of(*rebuilding.of_attempt(attempt)))
    builds.clear()
    return attempt


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> rebuilding.Builder:
    """Builds when it is told to, not in a thread."""
    one = rebuilding.Builder()
    monkeypatch.setattr(rebuilding, "BUILDER", one)
    monkeypatch.setattr(rebuilding, "Thread", Mock())
    monkeypatch.setattr("assessments.materials.rebuilding.connection.close", lambda: None)
    return one


def test_host_without_the_materials_builds_them_in_the_background_and_gives_the_time_back(
    client: Client, begun: Attempt, builds: Builds, builder: rebuilding.Builder
) -> None:
    url = reverse("room-manifest", args=[begun.pk])
    for _ in range(3):
        answer = client.get(url)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(rebuilding.AGAIN_S))
        assert answer.json()["code"] == "being_prepared"
    assert builds == []
    asked = next(iter(builder._waiting.values()))
    long_ago = timezone.now() - timedelta(seconds=40)  # was the first time, and the start before it
    asked[begun.pk] = long_ago
    Attempt.objects.update(started_at=long_ago - timedelta(minutes=1))
    builder._work()
    assert len(builds) == 1
    assert client.get(url).status_code == 200
    event = begun.time_events.get(kind=EventKind.CREDITED)
    assert event.before is not None
    assert event.after is not None
    assert timedelta(seconds=40) <= event.after - event.before < timedelta(seconds=45)
    assert event.reason == rebuilding.REASON


def test_second_host_says_that_it_prepares_before_the_start(
    client: Client, stage: Stage, builds: Builds, builder: rebuilding.Builder
) -> None:
    enter(client, stage.token)
    building.build_next()
    row = PreparedVariant.objects.get()
    shutil.rmtree(variants.folder_of(*row.of))
    assert press_start(client, stage).headers["Location"] == lobby(stage)
    assert far(client, stage)["state"] == "building"
    builder._work()
    assert far(client, stage)["state"] == "ready"
    assert "/attempts/" in press_start(client, stage).headers["Location"]


def test_staff_wait_for_the_key_without_holding_up_the_site(
    begun: Attempt, builds: Builds, builder: rebuilding.Builder
) -> None:
    with pytest.raises(rebuilding.BeingBuilt):
        rebuilding.key(begun)
    builder._work()
    assert rebuilding.key(begun) == {"causes": []}
    assert len(builds) == 1
    assert not begun.time_events.filter(kind=EventKind.CREDITED).exists()


def test_failure_in_the_background_is_said_once_and_then_tried_again(
    client: Client, begun: Attempt, builder: rebuilding.Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise variants.NotBuilt("The disk is full.")

    url = reverse("room-manifest", args=[begun.pk])
    assert client.get(url).json()["code"] == "being_prepared"
    with monkeypatch.context() as patched:
        patched.setattr(variants, "_build", fail)
        builder._work()
    assert client.get(url).json()["code"] == "materials"
    assert client.get(url).json()["code"] == "being_prepared"
    builder._work()
    assert client.get(url).status_code == 200


def test_nothing_is_given_back_for_an_answer_that_is_in(
    begun: Attempt, builds: Builds, builder: rebuilding.Builder
) -> None:
    now = timezone.now()
    with locked(begun.pk) as row:
        record(row, EventKind.SUBMITTED, now=now, actor_name="candidate")
    with pytest.raises(rebuilding.BeingBuilt):
        rebuilding.folder(*rebuilding.of_attempt(begun), waits=begun.pk)
    builder._work()
    assert not begun.time_events.filter(kind=EventKind.CREDITED).exists()


def test_waiting_for_the_demo_and_tests_is_one_call(stage: Stage, builds: Builds) -> None:
    building.prepare_now(stage.invitation, now=timezone.now())
    row = PreparedVariant.objects.get()
    assert row.result == Result.DONE
    assert (row.level, seeds(builds)) == (LEVEL, [row.seed])
    assert progress_of(row, timezone.now()) == READY


@pytest.mark.nightly
def test_workspace_shows_the_texts_of_the_materials_without_drawing_them_again(
    stage: Stage, built: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VARIANTS = built
    incident = start_incident(stage, timezone.now())
    variants.folder_of(*rebuilding.of_attempt(incident))
    drawn = pages._drawn(incident)
    monkeypatch.setattr(pages, "_drawn", lambda _: pytest.fail("drawn in a request"))
    assert pages._built(incident) == drawn
    assert [shown.title for shown in pages._documents(incident)] == [row.title for row in drawn]
