"""Sets and interviews: asked on one's own, blind to each other, frozen when in."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, RevisionRound
from assessments.tests.stage import NOW, Stage
from library.bank import load_questions, shipped_questions
from library.exposure import with_exposure
from library.models import Question
from library.versions import replace
from reviews.interviews import interviews, question_sets
from reviews.interviews.interviews import Written
from reviews.models import InterviewSession, QuestionSet
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, score_all

SECRET = "Froze when asked about NUMA."


@pytest.fixture
def three(stage: Stage) -> QuestionSet:
    """A saved set of three questions, one of them the team's own."""
    load_questions(now=NOW)
    own = Question.objects.create(
        topic_id="OWN1",
        topic="Our racks",
        section="Ours",
        text="Which rack is the warmest?",
        level="junior",
        expected_points=["Rack 4.", "Measures first."],
        hints=["Look at the map."],
        created_at=NOW,
    )
    rows = [own, *Question.objects.filter(family__in=["Q15", "Q22"]).order_by("topic_id")]
    row = QuestionSet(title="Operations", minutes=30, opening=stage.opening)
    items = [(question, 10, "") for question in rows]
    return question_sets.save_set(row, items, by=stage.rhea, now=NOW)


def planned(stage: Stage, three: QuestionSet, who: User, **more: Any) -> InterviewSession:
    session, _ = interviews.plan(
        opening=stage.opening,
        candidate=stage.ada,
        interviewer=who,
        question_set=three,
        by=stage.rhea,
        now=NOW,
        **more,
    )
    return session


def held(stage: Stage, three: QuestionSet, who: User, *, score: int = 4) -> InterviewSession:
    """An interview with one question asked and scored, submitted."""
    session = interviews.begin(planned(stage, three, who), now=LATER)
    first = session.asked.first()
    assert first is not None
    interviews.write(first, Written(points=[0], score=score, note=SECRET, asked=True), now=LATER)
    interviews.submit(session, summary="Calm.", now=LATER)
    session.refresh_from_db()
    return session


def send(client: Client, session: InterviewSession, at: int, **state: Any) -> Any:
    asked = session.asked.all()[at]
    url = reverse("admin:interview-note", args=[session.pk, asked.pk])
    return client.post(url, json.dumps(state), content_type="application/json")


def test_question_keeps_the_words_it_was_asked_with(stage: Stage, three: QuestionSet) -> None:
    session = interviews.begin(planned(stage, three, stage.otto), now=LATER)
    own = Question.objects.get(topic_id="OWN1")
    changed = Question.objects.get(pk=own.pk)
    changed.text = "Which rack is the coldest?"
    replace(own, changed, by=stage.ines, now=LATER)
    first = session.asked.first()
    assert first is not None
    assert first.snapshot["text"] == "Which rack is the warmest?"
    later = interviews.begin(planned(stage, three, stage.ines), now=LATER)
    newest = later.asked.first()
    assert newest is not None
    assert (newest.snapshot["text"], newest.snapshot["version"]) == (changed.text, 2)


def test_exposure_counts_all_versions_and_no_correction(stage: Stage, three: QuestionSet) -> None:
    session = held(stage, three, stage.otto)
    interviews.correct(session, reason="Typo.", now=LATER)
    own = Question.objects.get(topic_id="OWN1")
    changed = Question.objects.get(pk=own.pk)
    changed.text = "Another wording?"
    new = replace(own, changed, by=stage.otto, now=LATER)
    rows = {row.pk: row for row in with_exposure(Question.objects.all())}
    assert (rows[new.pk].times_asked, rows[new.pk].last_asked) == (1, LATER)  # type: ignore[attr-defined]
    unasked = Question.objects.get(family="Q15")
    assert rows[unasked.pk].times_asked == 0  # type: ignore[attr-defined]


def test_exposure_is_a_filter_of_the_bank(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    held(stage, three, stage.otto)
    url = reverse("admin:library_question_changelist")
    page = clients["ines"].get(url, {"asked": "some"})
    assert [row.topic_id for row in page.context["cl"].result_list] == ["OWN1"]
    assert "asked 1 time, last 2 Mar 2026" in " ".join(page.content.decode().split())
    never = clients["ines"].get(url, {"asked": "never"}).context["cl"].result_count
    assert never == len(shipped_questions())


def test_one_interview_from_plan_to_record(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    plan = {
        "opening": stage.opening.pk,
        "candidate": stage.ada.pk,
        "question_set": three.pk,
        "interviewers": [stage.otto.pk, stage.ines.pk],
    }
    assert clients["rhea"].post(reverse("admin:interview-plan"), plan).status_code == 302
    session = InterviewSession.objects.get(interviewer=stage.otto)
    url = reverse("admin:interview", args=[session.pk])
    otto = clients["otto"]
    assert otto.post(url, {"begin": "yes"}).status_code == 302
    answer = send(otto, session, 0, points=[0, 1], hints=[0], note="Well.", score=5, asked=True)
    assert (answer.status_code, answer.json()["scored"]) == (200, 1)
    send(otto, session, 1, asked=True, seconds=60)
    refused = otto.post(url, {"summary": ""})
    assert refused.status_code == 409
    assert "still without a score: Diagnosing" in refused.content.decode()
    first, second, third = session.asked.all()
    form = {
        f"seconds-{first.pk}": "30",
        f"points-{first.pk}": ["0"],
        f"score-{first.pk}": "4",
        f"note-{first.pk}": "Well.",
        f"skipped-{second.pk}": "yes",
        f"seconds-{second.pk}": "61",
        "summary": "Calm.",
    }
    assert otto.post(url, form).status_code == 302
    page = otto.get(url).content.decode()
    assert "Mean score <strong>4.0</strong>" in page
    first, second, third = session.asked.all()
    assert (first.points, first.score, first.score_text) == ([0], 4, interviews.LEVELS[4])
    assert (second.seconds, second.skipped, third.skipped) == (61, True, True)
    assert third.asked_at is None
    assert otto.post(url, form).status_code == 409
    assert send(otto, session, 0, score=1).status_code == 409


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ({"points": [9]}, 409),
        ({"points": [-1]}, 409),
        ({"points": [True]}, 400),
        ({"points": "0"}, 400),
        ({"score": 6}, 409),
        ({"score": 2.5}, 400),
        ({"score": 3, "skipped": True}, 409),
        ({"seconds": -1}, 409),
        ({"seconds": 10**9}, 409),
        ({"note": "x" * 5001}, 400),
        ({"note": "\x00"}, 400),
        ({"asked": 1}, 400),
    ],
)
@pytest.mark.by_day(every=6)
def test_rubbish_is_refused_and_changes_nothing(
    clients: dict[str, Client], stage: Stage, three: QuestionSet, state: Any, status: int
) -> None:
    session = interviews.begin(planned(stage, three, stage.otto), now=LATER)
    answer = send(clients["otto"], session, 0, **state)
    assert (answer.status_code, set(answer.json())) == (status, {"detail"})
    assert not session.asked.exclude(changed_at=None).exists()


def test_others_records_are_hidden_until_ones_own_is_in(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    ottos = held(stage, three, stage.otto)
    mine = planned(stage, three, stage.hana)
    urls = [reverse(f"admin:{name}", args=[ottos.pk]) for name in ("interview", "interview-print")]
    assert [clients["hana"].get(url).status_code for url in urls] == [404, 404]
    assert [clients["ines"].get(url).status_code for url in urls] == [404, 404]  # not hers to know
    assert [clients["rhea"].get(url).status_code for url in urls] == [403, 403]
    assert SECRET in clients["adam"].get(urls[0]).content.decode()
    interviews.begin(mine, now=LATER)
    first = mine.asked.first()
    assert first is not None
    interviews.write(first, Written(score=3), now=LATER)
    interviews.submit(mine, summary="", now=LATER)
    assert SECRET in clients["hana"].get(urls[0]).content.decode()


def test_open_record_is_its_interviewers_alone(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    session = interviews.begin(planned(stage, three, stage.otto), now=LATER)
    url = reverse("admin:interview", args=[session.pk])
    found = {name: clients[name].get(url).status_code for name in ("adam", "hana", "ines", "otto")}
    assert found == {"adam": 404, "hana": 404, "ines": 404, "otto": 200}
    assert send(clients["hana"], session, 0, score=1).status_code == 404
    assert send(clients["rhea"], session, 0, score=1).status_code == 403


def test_whoever_owes_a_scorecard_learns_nothing_and_meets_nobody(
    clients: dict[str, Client], stage: Stage, three: QuestionSet, handed_in: Attempt
) -> None:
    """S2: Ines is to score Ada's answer, so she reads no interview and begins none before."""
    ottos = held(stage, three, stage.otto)
    mine = planned(stage, three, stage.ines)
    url = reverse("admin:interview", args=[mine.pk])
    refused = clients["ines"].post(url, {"begin": "yes"})
    assert refused.status_code == 409
    assert "scorecard first" in refused.content.decode()
    assert stage.ada.name not in refused.content.decode()
    score_all(handed_in, stage.ines)
    assert clients["ines"].post(url, {"begin": "yes"}).status_code == 302
    assert clients["ines"].get(reverse("admin:interview", args=[ottos.pk])).status_code == 404


def test_interviewer_who_meets_but_does_not_score_reads_the_name(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    session = planned(stage, three, stage.otto)
    page = clients["otto"].get(reverse("admin:interview", args=[session.pk])).content.decode()
    assert stage.ada.name in page


def test_correction_is_a_new_row_with_a_reason(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    session = held(stage, three, stage.otto)
    url = reverse("admin:interview-correct", args=[session.pk])
    assert clients["otto"].post(url, {"reason": " "}).status_code == 409
    assert clients["hana"].post(url, {"reason": "Mine."}).status_code == 404
    assert clients["otto"].post(url, {"reason": "Wrong person's note."}).status_code == 302
    copy = InterviewSession.objects.get(supersedes=session)
    first = copy.asked.first()
    assert first is not None
    assert (first.note, copy.submitted_at) == (SECRET, None)
    interviews.write(first, Written(score=2, note="Right."), now=LATER)
    kept = session.asked.first()
    assert kept is not None
    assert (kept.note, kept.score) == (SECRET, 4)
    assert clients["otto"].post(url, {"reason": "Again."}).status_code == 409


def test_questions_in_a_revision_are_kept_with_it(
    clients: dict[str, Client], stage: Stage, three: QuestionSet, scored: Attempt
) -> None:
    url = reverse("admin:revision-interview", args=[scored.pk])
    assert clients["ines"].get(url).status_code == 302  # no revision yet
    revision = RevisionRound.objects.create(
        attempt=scored, strength="s", improvement="i", opened_at=LATER, opened_by=stage.ines
    )
    assert clients["ines"].get(url).status_code == 200
    assert clients["otto"].get(url).status_code == 404
    assert clients["ines"].post(url, {"question_set": three.pk}).status_code == 302
    session = InterviewSession.objects.get(revision=revision)
    assert (session.interviewer, session.candidate) == (stage.ines, stage.ada)


def test_only_somebody_who_holds_interviews_is_asked_to(stage: Stage, three: QuestionSet) -> None:
    with pytest.raises(NotPossible, match="Only interviewers"):
        planned(stage, three, stage.rhea)


def test_planning_twice_plans_once(stage: Stage, three: QuestionSet) -> None:
    assert planned(stage, three, stage.otto) == planned(stage, three, stage.otto)
    assert InterviewSession.objects.count() == 1


@pytest.mark.nightly
def test_set_of_weak_criteria_is_hidden_from_whoever_owes_scores(
    clients: dict[str, Client], stage: Stage, three: QuestionSet, handed_in: Attempt
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.hana, level=2)
    build = reverse("admin:question-set-build") + f"?attempt={handed_in.pk}"
    page = clients["ines"].get(build).content.decode()
    assert "No scorecard that you may read" in page
    assert "weakest in this attempt" in clients["hana"].get(build).content.decode()
    answer = clients["hana"].post(build, {"propose": "yes", "level": "mid", "minutes": "30"})
    rows = answer.context["rows"]
    assert "was rated 2.0 of 5" in rows[0]["why"]
    keep = [row["question"].pk for row in rows if row["kept"]]
    data = {"save": "yes", "title": "Deeper", "minutes": "30", "question": keep}
    assert clients["hana"].post(build, data).status_code == 302
    built = QuestionSet.objects.get(attempt=handed_in)
    url = reverse("admin:question-set", args=[built.pk])
    assert clients["ines"].get(url).status_code == 404
    assert clients["hana"].get(url).status_code == 200
    score_all(handed_in, stage.ines)
    assert clients["ines"].get(url).status_code == 200


def test_set_is_built_reordered_and_retired(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    client, url = clients["ines"], reverse("admin:question-set", args=[three.pk])
    first, _, third = [item.question.pk for item in three.items.all()]
    extra = Question.objects.get(family="Q3")
    data = {
        "title": "Operations",
        "minutes": "40",
        "question": [str(first), str(third), str(extra.pk), "", "999999", "x"],
        f"place-{first}": "2",
        f"place-{third}": "1",
        f"minutes-{first}": "10",
        f"minutes-{third}": "15",
    }
    assert client.post(url, data).status_code == 302
    rows = [(item.question.pk, item.minutes) for item in three.items.all()]
    assert rows == [(third, 15), (first, 10), (extra.pk, 8)]
    empty = client.post(url, {"title": "Operations", "minutes": "40"})
    assert "one question at least" in empty.content.decode()
    assert three.items.count() == 3
    assert client.post(url, {"retire": "yes"}).status_code == 302
    assert "Operations" not in client.get(reverse("admin:question-sets")).content.decode()


def test_job_description_is_explained_word_by_word(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    url = reverse("admin:question-set-build")
    data = {"propose": "yes", "text": "Slurm and <b>MIG</b>", "level": "mid", "minutes": "45"}
    page = clients["ines"].post(url, data)
    assert dict(page.context["words"])["slurm"]
    assert "<b>MIG" not in page.content.decode()
    nothing = clients["ines"].post(url, data | {"text": "A baker."}).content.decode()
    assert "Nothing there speaks for a topic" in nothing


def test_guide_holds_everything_of_the_opening_and_nobody_s_answers(
    clients: dict[str, Client], stage: Stage, three: QuestionSet, handed_in: Attempt
) -> None:
    """E17."""
    url = reverse("admin:opening-guide", args=[stage.opening.pk])
    page = clients["ines"].get(url).content.decode()
    for text in ("Timetable", "AI assistants", "Rubric", "One strength", "Which rack is the"):
        assert text in page
    assert stage.ada.name not in page
    assert "My reasons." not in page
    found = {name: clients[name].get(url).status_code for name in ("adam", "hana", "rhea", "otto")}
    assert found == {"adam": 200, "hana": 200, "rhea": 403, "otto": 404}
    assert "unsafe" not in clients["ines"].get(url)["Content-Security-Policy"]


LISTS = ("admin:interviews", "admin:question-sets", "admin:library_question_changelist")


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.by_day(but=["admin:library_question_changelist", "admin:question-sets"])
def test_list_asks_the_same_number_of_queries_however_long_it_is(
    clients: dict[str, Client],
    stage: Stage,
    three: QuestionSet,
    name: str,
    django_assert_num_queries: Any,
) -> None:
    held(stage, three, stage.otto)
    url, client = reverse(name), clients["adam"]
    client.get(url)
    with CaptureQueriesContext(connection) as few:
        client.get(url)
    questions = [item.question for item in three.items.all()]
    for number in range(5):
        row = QuestionSet(title=f"Set {number}", minutes=30)
        items = [(question, 10, "") for question in questions]
        made = question_sets.save_set(row, items, by=stage.rhea, now=NOW + timedelta(hours=number))
        held(stage, made, stage.otto)
    with django_assert_num_queries(len(few)):
        client.get(url)
