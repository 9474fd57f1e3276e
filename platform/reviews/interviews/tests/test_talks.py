"""Live interviews: planned with a time, arranged, written by two, shown to the candidate only while open."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments.models import Attempt, PadSave, Sitting
from assessments.sitting import sittings
from assessments.tests.stage import NOW, Stage, enter
from hiring.models import Message
from library.models import Question
from reviews.feedback.proposals import FROM_MACHINE, proposals
from reviews.interviews import interviews, question_sets, talks
from reviews.interviews.interviews import Written
from reviews.models import InterviewSession, QuestionSet
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, grade, score_all

Clients = dict[str, Client]
QUESTION = "What does a scheduler wait for?"


@pytest.fixture
def chosen(stage: Stage) -> QuestionSet:
    """A set of two questions."""
    rows = [
        Question.objects.create(
            topic_id=f"OWN{number}",
            topic=f"Topic {number}",
            section="Ours",
            text=text,
            level="mid",
            expected_points=["ONLY-FOR-STAFF", "Second."],
            hints=["A hint for staff."],
            created_at=NOW,
        )
        for number, text in enumerate([QUESTION, "And what does it cost?"], 1)
    ]
    row = QuestionSet(title="Operations", minutes=30, opening=stage.opening)
    items = [(question, 10, "") for question in rows]
    return question_sets.save_set(row, items, by=stage.rhea, now=NOW)


def plan(
    clients: Clients, stage: Stage, chosen: QuestionSet, **more: Any
) -> list[InterviewSession]:
    """Otto and Hana are to hold it; their sessions in that order."""
    data = {
        "opening": stage.opening.pk,
        "candidate": stage.ada.pk,
        "question_set": chosen.pk,
        "interviewers": [stage.otto.pk, stage.hana.pk],
        **more,
    }
    answer = clients["rhea"].post(reverse("admin:interview-plan"), data)
    assert answer.status_code == 302, words_of(answer)
    return [InterviewSession.objects.get(interviewer=who) for who in (stage.otto, stage.hana)]


def begin(*sessions: InterviewSession) -> list[InterviewSession]:
    return [interviews.begin(session, now=timezone.now()) for session in sessions]


def post(client: Client, name: str, session: InterviewSession, data: Any) -> Any:
    url = reverse(f"admin:{name}", args=[session.pk])
    return client.post(url, json.dumps(data), content_type="application/json")


def typed(base: str, text: str, key: str, client: str = "page") -> dict[str, str]:
    return {"base": base, "text": text, "key": key, "client": client}


def soon() -> str:
    return (timezone.now() + timedelta(days=3)).strftime("%Y-%m-%dT10:00")


def test_planned_time_reaches_everybody_with_a_calendar_file_in_their_zone(
    clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    first, _ = plan(clients, stage, chosen, begins_at=soon(), time_zone="Europe/Berlin", minutes=40)
    told = Message.objects.filter(occasion__startswith="interview_")
    assert sorted((row.occasion, str(row.recipient or "candidate")) for row in told) == [
        ("interview_asked", str(stage.hana)),
        ("interview_asked", str(stage.otto)),
        ("interview_planned", "candidate"),
    ]
    assert all("10:00 (Europe/Berlin)" in row.text and "40 minutes" in row.text for row in told)
    assert len({row.calendar.split("UID:")[1].split("\r")[0] for row in told}) == 1
    for row in told.exclude(recipient=None):
        assert stage.ada.name not in row.text + row.subject + row.calendar
    plan(clients, stage, chosen, begins_at=soon(), time_zone="Europe/Berlin", minutes=40)
    assert told.count() == 3
    assert Sitting.objects.get().sessions.count() == 2
    assert first.sitting == Sitting.objects.get()


def test_moving_and_calling_off_is_told_and_replaces_the_event(
    clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    first, _ = plan(clients, stage, chosen, begins_at=soon(), time_zone="UTC")
    url, rhea = reverse("admin:interview-talk", args=[first.pk]), clients["rhea"]
    later = soon().replace("T10", "T11")
    move = {"move": "yes", "begins_at": later, "time_zone": "UTC", "minutes": "45"}
    assert rhea.post(url, move).status_code == 302
    assert "11:00 (UTC)" in Message.objects.filter(occasion="interview_planned").first().text  # type: ignore[union-attr]
    past = rhea.post(url, move | {"begins_at": "2020-01-01T10:00"})
    assert (past.status_code, "lies in the past" in words_of(past)) == (409, True)
    assert rhea.post(url, {"off": "yes"}).status_code == 302
    files = Message.objects.filter(
        candidate=stage.ada, recipient=None, calendar__contains="UID:interview"
    )
    assert "METHOD:CANCEL" in files.first().calendar  # type: ignore[union-attr]
    assert len({row.calendar.split("UID:")[1].split("\r")[0] for row in files}) == 1
    assert Message.objects.filter(occasion="interview_off").count() == 2
    refused = clients["otto"].post(reverse("admin:interview", args=[first.pk]), {"begin": "yes"})
    assert "called off" in words_of(refused)


def test_talk_that_was_called_off_can_be_planned_anew(
    clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    first, _ = plan(clients, stage, chosen, begins_at=soon(), time_zone="UTC")
    clients["rhea"].post(reverse("admin:interview-talk", args=[first.pk]), {"off": "yes"})
    again, other = plan(clients, stage, chosen, begins_at=soon(), time_zone="UTC")
    assert again.pk == first.pk
    assert again.sitting == other.sitting != first.sitting
    assert Message.objects.filter(occasion="interview_planned").count() == 2
    begin(again, other)
    data: dict[str, Any] = {
        "opening": stage.opening.pk,
        "candidate": stage.ada.pk,
        "question_set": chosen.pk,
    }
    data |= {"interviewers": [stage.otto.pk, stage.hana.pk]}
    refused = clients["rhea"].post(reverse("admin:interview-plan"), data)
    assert "has begun this interview" in words_of(refused)
    assert Sitting.objects.count() == 2


def test_plan_is_arranged_and_proposals_are_taken_or_left(
    clients: Clients, stage: Stage, chosen: QuestionSet, handed_in: Attempt
) -> None:
    grade(handed_in)
    first, _ = plan(clients, stage, chosen)
    url, hana = reverse("admin:interview-talk", args=[first.pk]), clients["hana"]
    found = proposals(handed_in, stage.hana)
    proposed = next(one for one in found if one.source == FROM_MACHINE)
    assert proposed.text in words_of(hana.get(url))
    one, two = first.sitting.questions.all()  # type: ignore[union-attr]
    sent = {
        "arrange": "yes",
        "keep": [str(one.pk), str(two.pk)],
        f"place-{one.pk}": "2",
        f"place-{two.pk}": "1",
        f"minutes-{one.pk}": "7",
        f"minutes-{two.pk}": "8",
        "take": [proposed.key],
    }
    assert hana.post(url, sent).status_code == 302
    (session,) = begin(first)
    asked = list(session.asked.all())
    assert [(row.minutes, row.question_id) for row in asked[:2]] == [
        (8, two.question_id),
        (7, one.question_id),
    ]
    assert asked[2].snapshot["text"] == proposed.text
    assert asked[2].snapshot["expected_points"] == list(proposed.expected)
    assert proposed.place in words_of(
        clients["otto"].get(reverse("admin:interview", args=[session.pk]))
    )
    refused = hana.post(url, sent)
    assert (refused.status_code, "begun" in words_of(refused)) == (409, True)


def test_whoever_owes_a_scorecard_reads_the_plan_without_what_is_about_the_answer(
    clients: Clients, stage: Stage, chosen: QuestionSet, handed_in: Attempt
) -> None:
    grade(handed_in)
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    first, _ = plan(clients, stage, chosen)
    taken = talks.proposed(first.sitting, stage.hana)[:1]  # type: ignore[arg-type]
    rows = [talks.Row(row.pk, 5) for row in first.sitting.questions.all()]  # type: ignore[union-attr]
    talks.arrange(first.sitting, rows, taken)  # type: ignore[arg-type]
    url, text = reverse("admin:interview-talk", args=[first.pk]), taken[0].proposal.text
    assert text not in words_of(clients["otto"].get(url))
    assert text not in words_of(clients["rhea"].get(url))  # reads no answers
    assert stage.ada.name not in words_of(clients["otto"].get(url))
    score_all(handed_in, stage.otto)
    assert text in words_of(clients["otto"].get(url))


def test_two_interviewers_write_at_once_and_nothing_is_lost(
    clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    ottos, hanas = begin(*plan(clients, stage, chosen))
    name = "interview-shared-notes"
    post(clients["otto"], name, ottos, typed("", "Asked about queues.", "k1", "o"))
    base = "Asked about queues."
    one = post(clients["otto"], name, ottos, typed(base, base + "\nSaid: backfill.", "k2", "o"))
    two = post(clients["hana"], name, hanas, typed(base, "From 10:02\n" + base, "k3", "h"))
    assert one.json()["text"] == "Asked about queues.\nSaid: backfill."
    both = "From 10:02\nAsked about queues.\nSaid: backfill."
    assert two.json()["text"] == both
    again = post(clients["hana"], name, hanas, typed(base, "From 10:02\n" + base, "k3", "h"))
    assert again.json()["text"] == both
    live = clients["otto"].get(reverse("admin:interview-live", args=[ottos.pk])).json()
    assert live["notes"]["text"] == both
    assert PadSave.objects.filter(author=stage.hana).exists()


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        {"base": "", "text": 3, "key": "k", "client": "c"},
        typed("", "\x00", "k"),
        typed("", "a", ""),
        typed("", "x" * 50_000, "k"),
    ],
)
def test_rubbish_in_a_pad_is_refused(
    clients: Clients, stage: Stage, chosen: QuestionSet, data: Any
) -> None:
    (session, _) = begin(*plan(clients, stage, chosen))
    answer = post(clients["otto"], "interview-pad", session, data)
    assert (answer.status_code, set(answer.json())) == (400, {"detail"})


def test_pad_that_grows_too_long_keeps_what_was_there(
    clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    (session, _) = begin(*plan(clients, stage, chosen))
    post(clients["otto"], "interview-pad", session, typed("", "Mine.", "k1"))
    answer = post(clients["otto"], "interview-pad", session, typed("", "x" * 20_001, "k2"))
    assert (answer.status_code, "shorten" in answer.json()["detail"]) == (409, True)
    live = clients["otto"].get(reverse("admin:interview-live", args=[session.pk])).json()
    assert live["pad"]["text"] == "Mine."


def test_notes_and_pad_are_for_those_who_hold_the_talk_and_have_begun(
    clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    ottos, hanas = plan(clients, stage, chosen)
    begin(ottos)
    early = post(clients["hana"], "interview-shared-notes", hanas, typed("", "a", "k"))
    assert (early.status_code, "not begun" in early.json()["detail"]) == (409, True)
    for who in ("hana", "adam", "ines"):
        assert post(clients[who], "interview-pad", ottos, typed("", "a", "k")).status_code in (
            403,
            404,
        )
        url = reverse("admin:interview-live", args=[ottos.pk])
        assert clients[who].get(url).status_code in (403, 404)


def test_candidate_sees_the_question_and_the_pad_while_it_is_open_and_nothing_else(
    client: Client, clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    ottos, hanas = begin(*plan(clients, stage, chosen, begins_at=soon(), time_zone="UTC"))
    enter(client, stage.token)
    state = reverse("sitting-state", args=[stage.invitation.pk])
    pad = reverse("sitting-pad", args=[stage.invitation.pk])
    page = reverse("sitting", args=[stage.invitation.pk])
    post(clients["otto"], "interview-shared-notes", ottos, typed("", "SECRET-NOTE", "k0"))
    post(clients["otto"], "interview-pad", ottos, typed("", "Given: 8 GPUs", "k1"))
    assert client.get(state).json() == {"open": False}
    asked = ottos.asked.get(position=1)
    shown = post(clients["otto"], "interview-show", ottos, {"asked": asked.pk})
    assert shown.json() == {"shown": QUESTION}
    told = client.get(state).json()
    assert (told["question"], told["text"]) == (QUESTION, "Given: 8 GPUs")
    assert set(told) == {"open", "talk", "question", "number", "text"}
    sent = typed(told["text"], told["text"] + "\nFree: 3", "k2", "ada")
    assert client.post(pad, json.dumps(sent), content_type="application/json").status_code == 200
    live = clients["hana"].get(reverse("admin:interview-live", args=[hanas.pk])).json()
    assert live["pad"]["text"] == "Given: 8 GPUs\nFree: 3"
    seen = [
        client.get(address).content.decode()
        for address in (page, state, reverse("lobby", args=[stage.invitation.pk]))
    ]
    for secret in (
        "ONLY-FOR-STAFF",
        "A hint for staff",
        "SECRET-NOTE",
        "Topic 1",
        "Otto",
        "And what does it cost",
    ):
        assert secret not in "".join(seen)
    post(clients["hana"], "interview-show", hanas, {"close": True})
    assert client.get(state).json() == {"open": False}
    late = typed(live["pad"]["text"], "gone", "k3", "ada")
    assert client.post(pad, json.dumps(late), content_type="application/json").status_code == 409
    assert Client().get(state).status_code == 404


def test_page_closes_when_all_records_are_in_and_by_itself_overnight(
    client: Client, clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    ottos, hanas = begin(*plan(clients, stage, chosen))
    enter(client, stage.token)
    state = reverse("sitting-state", args=[stage.invitation.pk])
    sitting = Sitting.objects.get()
    post(clients["otto"], "interview-show", ottos, {"asked": ottos.asked.get(position=1).pk})
    assert client.get(state).json()["open"]
    assert sittings.shown(sitting, timezone.now() + timedelta(hours=7)) is None
    for name, session in (("otto", ottos), ("hana", hanas)):
        row = session.asked.get(position=1)
        interviews.write(row, Written(score=4, asked=True), now=timezone.now())
        clients[name].post(reverse("admin:interview", args=[session.pk]), {"summary": ""})
    assert client.get(state).json() == {"open": False}
    record = words_of(clients["otto"].get(reverse("admin:interview", args=[hanas.pk])))
    assert "Mean score <strong>4.0</strong>" in record


def test_shared_notes_stand_in_the_record(
    clients: Clients, stage: Stage, chosen: QuestionSet
) -> None:
    (session, _) = begin(*plan(clients, stage, chosen))
    post(
        clients["otto"],
        "interview-shared-notes",
        session,
        typed("", "Named backfill at once.", "k"),
    )
    row = session.asked.get(position=1)
    interviews.write(row, Written(score=3, asked=True), now=timezone.now())
    interviews.submit(session, summary="", now=timezone.now())
    url = reverse("admin:interview", args=[session.pk])
    assert "Named backfill at once." in words_of(clients["otto"].get(url))
    refused = post(clients["otto"], "interview-shared-notes", session, typed("", "More.", "k2"))
    assert refused.status_code == 409
