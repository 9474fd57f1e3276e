"""What two answers share is found by a worker, read by those who may, and goes with either of the two (S10)."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tests.reading import words_of
from assessments import answers, attempts
from assessments.models import Attempt
from assessments.tests.stage import NOW, POLICIES, SECTION, Stage, hand_in
from graders.similarity.tests.disguises import renamed
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Opening
from library.packs import pack_of
from reviews.models import Comparison, Fingerprint, Likeness
from reviews.privacy.erasure import erase
from reviews.scoring import evaluations
from reviews.similarity import comparing
from reviews.tests.scene import LATER, score_all

PROSE = (
    "When a pool has been idle for a quarter of an hour the controller drains one node and looks again, "
    "because a start takes seven minutes and giving up too early costs a cold start for whoever comes next."
)


def program(golden: str) -> str:
    return pack_of("automation/queue-autoscaler").golden("mid", golden)


def answer_of(
    stage: Stage,
    name: str,
    code: str,
    text: str,
    *,
    exercise: Exercise | None = None,
    seed: int = 7,
) -> Attempt:
    """Somebody's answer, handed in: a program and one section."""
    chosen = exercise or stage.exercise
    person, _ = Candidate.objects.get_or_create(
        email=f"{name.lower()}@example.com", defaults={"name": f"{name} Okafor", "created_at": NOW}
    )
    link, _ = invite(
        opening=chosen.opening,
        candidate=person,
        exercises=[chosen],
        opens_at=NOW - timedelta(days=1),
        closes_at=NOW + timedelta(days=6),
        by=stage.rhea,
        now=NOW,
    )
    attempt = attempts.start(invitation=link, exercise=chosen, policies=POLICIES, now=NOW)
    Attempt.objects.filter(pk=attempt.pk).update(seed=seed)
    attempt.refresh_from_db()
    body = answers.starting_body(attempt)
    body["files"] |= {"policy.py": code}
    body["sections"] |= {SECTION: text}
    hand_in(attempt, body, at=NOW + timedelta(minutes=20))
    return attempt


def compare_all() -> None:
    comparing.catch_up(NOW)
    for pk in (
        Comparison.objects.filter(finished_at=None).order_by("pk").values_list("pk", flat=True)
    ):
        assert comparing.execute(pk)


def page(user: User, attempt: Attempt) -> Any:
    client = Client()
    client.force_login(user)
    return client.get(reverse("admin:similarity", args=[attempt.pk]))


@pytest.fixture
def pair(stage: Stage, published: list[Any]) -> tuple[Attempt, Attempt]:
    """Bela's program with other names in Cleo's, and a sentence of hers."""
    bela = answer_of(stage, "Bela", program("competent"), PROSE)
    cleo = answer_of(
        stage,
        "Cleo",
        renamed(program("competent")),
        f"First of all:\n\n{PROSE} That is all.",
        seed=8,
    )
    compare_all()
    return bela, cleo


def test_a_copy_is_found_on_both_pages_with_both_places(
    stage: Stage, pair: tuple[Attempt, Attempt]
) -> None:
    for attempt, other in (pair, pair[::-1]):
        text = words_of(page(stage.hana, attempt))
        assert other.invitation.candidate.name in text
        assert "they had different variants" in text
        assert "this opening" in text
        assert re.search(r"Of the code that each wrote, <strong>\d\d+ %", text)
        assert text.count("a quarter of an hour the controller drains") == 2
        assert "def zz" in text.replace("class zz", "def zz")
    assert "The other was handed in first" not in words_of(page(stage.hana, pair[0]))


def test_only_shared_words_are_marked(stage: Stage, pair: tuple[Attempt, Attempt]) -> None:
    html = page(stage.hana, pair[1]).content.decode()
    marked = re.findall(r"<mark>(.*?)</mark>", html, re.DOTALL)
    assert any(one.startswith("When a pool") for one in marked)
    assert not any("That is all" in one for one in marked)


def test_answers_written_apart_and_what_all_were_given_are_no_finding(
    stage: Stage, published: list[Any]
) -> None:
    bela = answer_of(stage, "Bela", program("competent"), "I drain what is idle.")
    answer_of(stage, "Cleo", program("expert"), "Costs first, then waiting.")
    compare_all()
    assert not Likeness.objects.exists()
    assert "No other answer to this exercise shares more" in words_of(page(stage.hana, bela))


def test_earlier_openings_count_and_other_exercises_and_ones_own_do_not(
    stage: Stage, published: list[Any]
) -> None:
    before = Opening.objects.create(
        title="Last year's role", level="mid", hiring_manager=stage.otto, created_at=NOW
    )
    same = Exercise.objects.create(
        opening=before,
        pack_name=stage.exercise.pack_name,
        kind="automation",
        level="mid",
        limit_minutes=60,
        revision_minutes=15,
    )
    answer_of(stage, "Bela", program("competent"), PROSE, exercise=same)
    cleo = answer_of(stage, "Cleo", program("competent"), PROSE)
    answer_of(stage, "Cleo", program("competent"), PROSE, exercise=same)
    compare_all()
    rows = Likeness.objects.filter(comparison__submission__attempt=cleo)
    assert [row.other.attempt.invitation.candidate.name for row in rows] == ["Bela Okafor"]
    text = words_of(page(stage.hana, cleo))  # who leads this opening and not the other
    assert "another opening" in text
    assert "Last year" not in text
    assert "Bela" not in text
    assert rows[0].other.attempt.invitation.candidate.pseudonym in text


def test_who_scores_reads_it_after_their_own_scorecards_only(
    stage: Stage, pair: tuple[Attempt, Attempt]
) -> None:
    bela, cleo = pair
    evaluations.assign(attempt=bela, evaluator=stage.ines, by=stage.rhea, now=LATER)
    text = words_of(page(stage.ines, bela))
    assert "After your own scorecard is in" in text
    assert "Passage 1" not in text
    score_all(bela, stage.ines)
    text = words_of(page(stage.ines, bela))
    assert "Passage 1" in text
    assert "Cleo" not in text
    assert cleo.invitation.candidate.pseudonym in text
    evaluations.assign(attempt=cleo, evaluator=stage.ines, by=stage.rhea, now=LATER)
    text = words_of(page(stage.ines, bela))
    assert "1 more finding with an answer that you still have to score" in text
    assert "Passage 1" not in text


def test_guests_recruiters_and_others_read_nothing_of_it(
    stage: Stage, pair: tuple[Attempt, Attempt]
) -> None:
    assert page(stage.rhea, pair[0]).status_code == 403
    assert page(stage.otto, pair[0]).status_code == 404


def test_it_goes_with_either_person(stage: Stage, pair: tuple[Attempt, Attempt]) -> None:
    bela, cleo = pair
    assert Likeness.objects.count() == 1
    kept = Fingerprint.objects.filter(comparison__submission__attempt=cleo).count()
    erase(bela.invitation.candidate, mode="erase", by=None, now=LATER)
    assert not Likeness.objects.exists()
    assert Fingerprint.objects.count() == kept > 0
    assert "Passage 1" not in words_of(page(stage.hana, cleo))


def test_another_version_compares_all_again_and_keeps_what_was_said(
    stage: Stage, pair: tuple[Attempt, Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("comparing", "findings"):
        monkeypatch.setattr(f"reviews.similarity.{module}.VERSION", "next")
    assert "wait" in words_of(page(stage.hana, pair[0]))
    compare_all()
    assert Comparison.objects.count() == 4
    assert Likeness.objects.filter(comparison__version="next").count() == 1
    assert "Passage 1" in words_of(page(stage.hana, pair[0]))


@pytest.mark.nightly
def test_what_very_many_have_written_is_how_it_is_done(stage: Stage, published: list[Any]) -> None:
    """Thirteen answers with one sentence in common say nothing; the copy of a program among them does."""
    for at in range(12):
        name = "".join(chr(97 + int(digit)) for digit in f"{at:02}")
        answer_of(stage, name, program("competent" if at == 5 else "naive"), f"{PROSE} {name}.")
    last = answer_of(stage, "Zoe", program("competent"), PROSE)
    compare_all()
    found = Likeness.objects.filter(comparison__submission__attempt=last)
    assert [row.other.attempt.invitation.candidate.name[:2] for row in found] == ["af"]
    assert found[0].prose_share == 0


def test_the_answer_is_queued_when_it_is_handed_in(
    stage: Stage, published: list[Any], django_capture_on_commit_callbacks: Any, monkeypatch: Any
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(comparing, "publish", lambda task, pk, **_: sent.append(task))
    with django_capture_on_commit_callbacks(execute=True):
        answer_of(stage, "Bela", program("competent"), PROSE)
    assert sent == [comparing.TASK]
