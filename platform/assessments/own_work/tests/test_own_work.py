"""The round about one's own answer: who is asked, its clock, what is saved, and what nobody is told."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.not_possible import NotPossible
from assessments import answers, attempts, pages
from assessments.jobs import Result
from assessments.models import Attempt, Outage, OwnWorkRound, OwnWorkSave, Submission
from assessments.own_work import finding, rounds
from assessments.own_work.rounds import BadSend, Sent, Stage
from assessments.pulses import WEB
from assessments.tests.stage import POLICIES, enter, make_stage
from assessments.tests.stage import Stage as Scene
from graders.own_work import CHOICE, NUMBER, Question
from hiring.models import Accommodation, OwnWork

pytestmark = pytest.mark.django_db
SECRET = "reckoned-by-the-machine"
FOUND = [
    Question(
        f"q{number}", f"topic-{number}", f"What does it do at {number}?", CHOICE, "2", f"{SECRET}-{number}",
        (("1", "stop"), ("2", "grow"), ("3", "wait"), ("4", "shrink")), ("1",), (("Waiting jobs", "7"),),
    )
    for number in range(1, 4)
]  # fmt: skip
FOUND.append(
    Question("q4", "topic-4", "What does it cost?", NUMBER, 40.0, f"{SECRET}-4", unit="USD")
)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assessments.queue.publish", lambda *_, **__: None)


def handed_in(scene: Scene, now: datetime, *, told: bool = True) -> Attempt:
    """Ada begins, hands in what she was given, and was told of the questions or not."""
    accepted = POLICIES | ({rounds.ACCEPTED: "You are asked."} if told else {})
    attempt = attempts.start(
        invitation=scene.invitation, exercise=scene.exercise, policies=accepted, now=now
    )
    body = answers.starting_body(attempt)
    attempts.submit(attempt.pk, client=uuid4(), seq=1, base=None, body=body, now=now)
    return Attempt.objects.get(pk=attempt.pk)


def make_scene(when: str = OwnWork.AFTER, minutes: int = 6) -> tuple[Scene, datetime]:
    now = timezone.now()
    scene = make_stage(now=now)
    scene.opening.own_work, scene.opening.own_work_minutes = when, minutes
    scene.opening.save()
    scene.invitation.opening.refresh_from_db()
    scene.exercise.opening.refresh_from_db()
    return scene, now


def found(attempt: Attempt, now: datetime, questions: list[Question] = FOUND) -> OwnWorkRound:
    """The worker has found these."""
    row = rounds.round_of(attempt)
    assert row is not None
    report = {"questions": [one.to_dict() for one in questions], "detail": ""}
    OwnWorkRound.objects.filter(pk=row.pk).update(
        finished_at=now, result=Result.DONE, report=report
    )
    row.refresh_from_db()
    return row


def sent(number: int, **entry: str) -> Sent:
    return Sent(uuid4(), 1, {str(number): entry})


def test_only_who_was_told_is_asked() -> None:
    scene, now = make_scene()
    assert rounds.round_of(handed_in(scene, now, told=False)) is None


def test_what_is_told_is_accepted_word_for_word() -> None:
    scene, _ = make_scene()
    told = pages.policies(scene.exercise)[rounds.ACCEPTED]
    assert "6 minutes" in told
    assert "no part of any score" in told
    scene.opening.own_work = OwnWork.OFF
    scene.opening.save()
    scene.exercise.opening.refresh_from_db()
    assert rounds.ACCEPTED not in pages.policies(scene.exercise)


def test_the_lobby_tells_before_the_start(client: Client) -> None:
    scene, _ = make_scene()
    enter(client, scene.token)
    page = client.get(reverse("lobby", args=[scene.invitation.pk])).content.decode()
    assert "Questions about your own answer" in page
    assert reverse("own-work-example", args=[scene.invitation.pk]) in page


def test_the_way_of_a_round() -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    row = rounds.round_of(attempt)
    assert row is not None
    assert rounds.stage_of(row, now) == Stage.PREPARING
    with pytest.raises(NotPossible, match="not ready"):
        rounds.begin(attempt, now=now)
    row = found(attempt, now)
    assert rounds.stage_of(row, now) == Stage.READY
    with pytest.raises(NotPossible, match="not begun"):
        rounds.save(attempt, sent(1, given="2"), now=now)
    row = rounds.begin(attempt, now=now)
    assert rounds.begin(attempt, now=now + timedelta(minutes=1)).started_at == now
    assert rounds.ends_at(row) == now + timedelta(minutes=6)
    rounds.save(attempt, sent(1, given="2", why="It grows."), now=now + timedelta(minutes=1))
    rounds.save(attempt, sent(4, given="45"), now=now + timedelta(minutes=5))
    row = rounds.hand_in(attempt, sent(2, given="1"), now=now + timedelta(minutes=5))
    assert rounds.stage_of(row, now + timedelta(minutes=5)) == Stage.DONE
    assert [one.verdict for one in rounds.judged(row)] == ["right", "near", "open", "near"]
    assert rounds.judged(row)[0].why == "It grows."


def test_nothing_that_can_be_asked_is_no_round() -> None:
    scene, now = make_scene()
    row = found(handed_in(scene, now), now, [])
    assert rounds.stage_of(row, now) == Stage.NONE


def test_it_has_to_be_begun_within_a_day() -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    row = found(attempt, now + timedelta(hours=3))
    assert rounds.stage_of(row, now + timedelta(hours=26)) == Stage.READY
    assert rounds.stage_of(row, now + timedelta(hours=28)) == Stage.MISSED
    with pytest.raises(NotPossible, match="is over"):
        rounds.begin(attempt, now=now + timedelta(hours=28))


def test_extra_time_lengthens_it() -> None:
    scene, now = make_scene()
    Accommodation.objects.create(
        candidate=scene.ada, multiplier=Decimal("1.5"), granted_by=scene.rhea, granted_at=now
    )
    attempt = handed_in(scene, now)
    found(attempt, now)
    row = rounds.begin(attempt, now=now)
    assert rounds.ends_at(row) == now + timedelta(minutes=9)
    assert rounds.grace_of(row) == timedelta(seconds=30)


def test_what_comes_after_the_end_is_kept_aside() -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    found(attempt, now)
    row = rounds.begin(attempt, now=now)
    end = rounds.ends_at(row)
    on_its_way = rounds.save(attempt, sent(1, given="1"), now=end + timedelta(seconds=19))
    too_late = rounds.save(attempt, sent(2, given="2"), now=end + timedelta(seconds=21))
    assert (on_its_way.late, too_late.late) == (False, True)
    assert rounds.stage_of(row, end) == Stage.DONE
    assert rounds.answers_in(row) == {"1": {"given": "1"}}
    assert OwnWorkSave.objects.filter(round=row).count() == 2


def test_what_the_site_was_away_is_given_back() -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    found(attempt, now)
    row = rounds.begin(attempt, now=now)
    began = now + timedelta(minutes=2)
    Outage.objects.create(component=WEB, began_at=began, ended_at=began + timedelta(minutes=10))
    Outage.objects.create(  # the second overlaps the first: each second counts once
        component=WEB, began_at=began + timedelta(minutes=9), ended_at=began + timedelta(minutes=11)
    )
    assert rounds.ends_at(row) == now + timedelta(minutes=6 + 11)
    Outage.objects.create(
        component=WEB, began_at=now + timedelta(hours=1), ended_at=now + timedelta(hours=2)
    )
    assert rounds.ends_at(row) == now + timedelta(minutes=17)


def test_the_same_save_twice_is_one_row() -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    found(attempt, now)
    rounds.begin(attempt, now=now)
    one = sent(1, given="3")
    assert rounds.save(attempt, one, now=now) == rounds.save(attempt, one, now=now)
    assert OwnWorkSave.objects.count() == 1


def test_two_pages_do_not_overwrite_each_other() -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    found(attempt, now)
    row = rounds.begin(attempt, now=now)
    rounds.save(attempt, sent(1, given="3"), now=now)
    rounds.save(attempt, sent(1, why="Because."), now=now)
    rounds.save(attempt, sent(2, given="2"), now=now)
    assert rounds.answers_in(row) == {"1": {"given": "3", "why": "Because."}, "2": {"given": "2"}}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"client": "x", "seq": 1, "answers": {}},
        {"client": str(uuid4()), "seq": 0, "answers": {}},
        {"client": str(uuid4()), "seq": True, "answers": {}},
        {"client": str(uuid4()), "seq": 1, "answers": []},
        {"client": str(uuid4()), "seq": 1, "answers": {"one": {}}},
        {"client": str(uuid4()), "seq": 1, "answers": {"1": "2"}},
        {"client": str(uuid4()), "seq": 1, "answers": {"1": {"given": 2}}},
    ],
)
def test_what_is_no_save_is_refused_with_a_sentence(data: Any) -> None:
    with pytest.raises(BadSend, match=r"\.$"):
        rounds.read_sent(data)


def test_half_an_emoji_takes_nothing_with_it() -> None:
    read = rounds.entries_in({"1": {"why": "so \ud83d far\x00"}})
    assert read == {"1": {"why": "so \ufffd far\ufffd"}}


def test_in_the_interview_it_opens_with_the_interviews_page() -> None:
    from assessments.models import Sitting
    from assessments.sitting import sittings

    scene, now = make_scene(OwnWork.LIVE)
    attempt = handed_in(scene, now)
    row = found(attempt, now)
    assert rounds.stage_of(row, now) == Stage.CLOSED
    sitting = Sitting.objects.create(
        invitation=scene.invitation, begins_at=now, time_zone="UTC", minutes=60, planned_by=scene.ines,
        planned_at=now,
    )  # fmt: skip
    sittings.show(sitting, "Ready?", by=scene.ines, now=now)
    assert rounds.stage_of(row, now) == Stage.READY
    assert rounds.begin(attempt, now=now).started_at == now


def test_a_reopened_answer_is_asked_about_anew() -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    first = found(attempt, now)
    attempts.reopen(attempt.pk, minutes=10, by=scene.rhea, reason="Lost power.", now=now)
    assert rounds.round_of(attempt) is None
    attempts.submit(
        attempt.pk, client=uuid4(), seq=9, base=None, body=answers.starting_body(attempt), now=now
    )
    again = rounds.round_of(Attempt.objects.get(pk=attempt.pk))
    assert again is not None
    assert again.pk != first.pk


def test_a_worker_finds_the_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    monkeypatch.setattr(finding, "questions_of", lambda own: FOUND)
    monkeypatch.setattr(finding, "sandbox", lambda: None)
    assert finding.waiting(timezone.now()) == [rounds.round_of(attempt).pk]  # type: ignore[union-attr]
    assert finding.find_questions(finding.waiting(timezone.now())[0])
    row = rounds.round_of(attempt)
    assert row is not None
    assert rounds.questions_in(row) == FOUND
    assert finding.waiting(timezone.now()) == []


def test_trouble_of_ours_is_tried_again_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)

    def fails(own: object) -> list[Question]:
        raise RuntimeError("The sandbox failed.")

    monkeypatch.setattr(finding, "questions_of", fails)
    monkeypatch.setattr(finding, "sandbox", lambda: None)
    for _ in range(3):
        OwnWorkRound.objects.update(lease_until=None)
        finding.find_questions(OwnWorkRound.objects.get().pk)
    finding.remind(timezone.now() + timedelta(minutes=10))
    row = rounds.round_of(attempt)
    assert row is not None
    assert (row.result, rounds.stage_of(row, now)) == (Result.INFRASTRUCTURE_ERROR, Stage.NONE)
    assert Submission.objects.filter(attempt=attempt).count() == 1


def begun(client: Client) -> tuple[Scene, Attempt]:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    found(attempt, now)
    enter(client, scene.token)
    return scene, attempt


def test_the_pages_of_a_round_never_say_what_is_right(client: Client) -> None:
    _, attempt = begun(client)
    page = reverse("own-work", args=[attempt.pk])
    ready = client.get(page).content.decode()
    assert "What does it do" not in ready
    assert "Begin" in ready
    client.post(reverse("own-work-begin", args=[attempt.pk]))
    running = client.get(page).content.decode()
    assert "What does it do at 1?" in running
    assert "controller.py" in running
    saved = client.post(
        reverse("own-work-save", args=[attempt.pk]),
        json.dumps({"client": str(uuid4()), "seq": 1, "answers": {"1": {"given": "3"}}}),
        content_type="application/json",
    )
    assert saved.json()["late"] is False
    client.post(
        reverse("own-work-hand-in", args=[attempt.pk]), {"given-2": "4", "why-2": "It\r\nshrinks."}
    )
    done = client.get(page).content.decode()
    state = client.get(reverse("own-work-state", args=[attempt.pk]))
    receipt = client.get(reverse("receipt", args=[attempt.pk])).content.decode()
    lobby = client.get(reverse("lobby", args=[attempt.invitation_id])).content.decode()
    assert state.json() == {"stage": "done", "left_s": None}
    assert "You handed these answers in" in done
    for text in (ready, running, done, receipt, lobby, saved.content.decode()):
        assert SECRET not in text
        assert "topic-1" not in text
    row = rounds.round_of(attempt)
    assert row is not None
    assert rounds.answers_in(row)["2"] == {"given": "4", "why": "It\nshrinks."}


def test_the_receipt_offers_it(client: Client) -> None:
    _, attempt = begun(client)
    page = client.get(reverse("receipt", args=[attempt.pk])).content.decode()
    assert reverse("own-work", args=[attempt.pk]) in page


def test_nobody_else_gets_in(client: Client) -> None:
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    found(attempt, now)
    for name in ("own-work", "own-work-state"):
        assert client.get(reverse(name, args=[attempt.pk])).status_code == 404
    for name in ("own-work-begin", "own-work-save", "own-work-hand-in"):
        assert client.post(reverse(name, args=[attempt.pk])).status_code == 404


def test_a_save_that_is_no_json_is_told_so(client: Client) -> None:
    _, attempt = begun(client)
    url = reverse("own-work-save", args=[attempt.pk])
    answer = client.post(url, "{", content_type="application/json")
    assert (answer.status_code, answer.json()["detail"][-1]) == (400, ".")
    early = client.post(
        url,
        json.dumps({"client": str(uuid4()), "seq": 1, "answers": {}}),
        content_type="application/json",
    )
    assert early.status_code == 409


def test_the_example_says_whether_it_was_right(client: Client) -> None:
    scene, _ = make_scene()
    enter(client, scene.token)
    url = reverse("own-work-example", args=[scene.invitation.pk])
    assert "Not quite" not in client.get(url).content.decode()
    assert "Not quite." in client.post(url, {"given-1": "1"}).content.decode()
    assert "Right." in client.post(url, {"given-1": "2"}).content.decode()
    assert OwnWorkSave.objects.count() == 0
