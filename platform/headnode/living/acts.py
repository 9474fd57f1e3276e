"""What happens to one person of the living demo, in order: each act knows whether it was done."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from accounts.models import User
from assessments import answers, attempts, pages
from assessments.drafts import save_draft
from assessments.execution import execute_grading
from assessments.jobs import Result
from assessments.link import mark_opened
from assessments.models import Attempt, GradingRun, PreparedVariant
from assessments.prepared.drawing import drawn
from headnode.living.asked import asked_by
from headnode.living.bodies import first_body, revised_body
from headnode.living.interviews import talks_of
from headnode.living.people import Card, Outcome, Person, Revised
from headnode.living.scene import Act, Scene
from hiring.invitations import invite
from hiring.models import Candidate
from library.packs import current_version
from reviews.decisions.decisions import decide
from reviews.feedback import defence, feedback
from reviews.models import Decision, Defence, Evaluation, Feedback
from reviews.scoring import agreement, evaluations

WINDOW = timedelta(days=7)
OURS = timedelta(minutes=10)
"""After so long a worker grades it all the same, whatever became of the demo."""
MORE_TIME = 120
WHY_MORE = "A power cut at the candidate's, agreed by telephone."


def acts_of(person: Person) -> Iterator[Act]:
    """Everything that becomes of the person, in order."""
    yield Act(lambda scene: scene.link is not None, _invite)
    if person.opened is not None:
        yield Act(lambda scene: bool(scene.link and scene.link.first_opened_at), _open)
    if person.began is not None and not person.golden:
        yield Act(lambda scene: bool(scene.link and scene.link.attempts.exists()), _start)
    if person.draft:
        yield Act(lambda scene: scene.attempt.drafts.exists(), _draft)
        yield from asked_by(person)
    if person.golden:
        yield Act(_has_answer(1), _hand_in, _first_body)
    for name in person.panel:
        yield Act(partial(_is_assigned, name=name), partial(_assign, name=name))
    if person.golden:
        yield _graded(1)
    yield from (_card(card) for card in person.cards if card.round == 1)
    yield from (_outcome(one) for one in person.outcomes)
    yield from _defended(person)
    if person.revision:
        yield from _revision(person.revision)
    yield from (_card(card) for card in person.cards if card.round == 2)
    yield from talks_of(person)
    if person.decision:
        mine = {"candidate__email": person.email}
        yield Act(lambda scene: Decision.objects.filter(**mine).exists(), _decide)


def _has_answer(round: int) -> Callable[[Scene], bool]:
    return lambda scene: bool(scene.handed_in(round).exists())


def _graded(round: int) -> Act:
    """Graded here, by the clock of the day on which it came in; a grading that somebody waits for goes first.

    It also goes on where the grading failed on our side.
    """

    def own(scene: Scene) -> Any:
        return GradingRun.objects.filter(submission__in=scene.handed_in(round))

    def is_graded(scene: Scene) -> bool:
        return bool(own(scene).exclude(finished_at=None).exists())

    def grade(scene: Scene) -> None:
        own(scene).filter(worker="").update(lease_until=None)
        began = timezone.now()
        for run in own(scene).unfinished():
            execute_grading(run.pk, clock=partial(_as_on, run.created_at, began))

    return Act(is_graded, lambda scene, made: None, make=grade, is_ready=_nobody_waits)


def _as_on(day: datetime, began: datetime) -> datetime:
    """What a clock would say now that stood at `day` when it really was `began`."""
    return day + (timezone.now() - began)


def _nobody_waits(scene: Scene) -> bool:
    return not GradingRun.objects.startable(timezone.now()).filter(comes_last=False).exists()


def _invite(scene: Scene, made: Any) -> None:
    at = scene.ago(scene.person.invited)
    person, _ = Candidate.objects.get_or_create(
        email=scene.person.email, defaults={"name": scene.person.name, "created_at": at}
    )
    closes_at = max(at + WINDOW, scene.made + timedelta(days=2))
    invite(
        opening=scene.opening,
        candidate=person,
        exercises=[scene.exercise],
        opens_at=at,
        closes_at=closes_at,
        by=scene.staff["rhea"],
        now=at,
    )


def _open(scene: Scene, made: Any) -> None:
    if scene.link:
        mark_opened(scene.link, now=scene.ago(scene.person.opened or 0))


def _start(scene: Scene, made: Any) -> None:
    """On a seed of its own, so that everybody sees the same; materials are built when somebody looks."""
    link, at = scene.link, scene.ago(scene.person.began or 0)
    if link is None:
        return
    row = drawn(link, scene.exercise, now=at, seed=scene.person.seed)
    PreparedVariant.objects.filter(pk=row.pk).update(finished_at=at, result=Result.DONE)
    attempts.start(
        invitation=link, exercise=scene.exercise, policies=pages.policies(scene.exercise), now=at
    )


def _draft(scene: Scene, made: Any) -> None:
    attempt = scene.attempt
    body = with_sections(attempt, scene.person.draft)
    once: dict[str, Any] = {"client": uuid.uuid4(), "seq": 1, "base": None, "resolve": False}
    save_draft(attempt.pk, **once, body=body, now=scene.made)


def with_sections(attempt: Attempt, sections: dict[str, str]) -> dict[str, Any]:
    """What the page holds once the sections were written into what it began with."""
    body = answers.starting_body(attempt)
    return {"files": body["files"], "sections": body["sections"] | sections}


def _first_body(scene: Scene) -> Any:
    """Of an attempt that is not begun: a clock that ran out in the past is handed in by the sweep."""
    row, person = scene.exercise, scene.person
    version = current_version(row.pack_name)
    begun = Attempt(exercise=row, pack_version=version, level=row.level, seed=person.seed)
    return first_body(begun, person)


def _hand_in(scene: Scene, body: Any) -> None:
    _start(scene, None)
    _submit(scene, body, scene.person.handed_in_at(scene.made))


def _submit(scene: Scene, body: Any, at: datetime) -> None:
    """Hand in; the grading comes last, and is left alone by the workers for the act that carries it out."""
    once: dict[str, Any] = {"client": uuid.uuid4(), "seq": 1, "base": None}
    answer, _ = attempts.submit(scene.attempt.pk, **once, body=body, now=at)
    GradingRun.objects.filter(submission=answer).update(
        comes_last=True, lease_until=timezone.now() + OURS
    )


def _is_assigned(scene: Scene, name: str) -> bool:
    return bool(scene.attempt.assignments.filter(evaluator=scene.staff[name]).exists())


def _assign(scene: Scene, made: Any, name: str) -> None:
    evaluations.assign(
        attempt=scene.attempt,
        evaluator=scene.staff[name],
        by=scene.staff["rhea"],
        now=scene.after(1 if name != "mina" else 30),
    )


def _card(card: Card) -> Act:
    def is_in(scene: Scene) -> bool:
        mine = Evaluation.objects.submitted().filter(submission__in=scene.handed_in(card.round))
        return mine.filter(evaluator=scene.staff[card.by]).exists()

    def score(scene: Scene, made: Any) -> None:
        at, by = scene.after(card.after), scene.staff[card.by]
        opened = evaluations.begin(
            attempt=scene.attempt, round=card.round, evaluator=by, now=at - timedelta(minutes=35)
        )
        for item, level in zip(opened.criteria(), card.levels, strict=True):
            note = card.notes.get(item["key"], "")
            evaluations.rate(opened, criterion=item["key"], level=level, note=note, now=at)
        evaluations.submit(opened, now=at)

    return Act(is_in, score)


def _outcome(one: Outcome) -> Act:
    def is_agreed(scene: Scene) -> bool:
        answer = scene.handed_in(1).get()
        return bool(answer.discussions.filter(criterion_key=one.criterion).exists())

    def agree(scene: Scene, made: Any) -> None:
        answer, by = scene.handed_in(1).get(), scene.staff[one.by]
        cards = agreement.may_be_discussed(scene.attempt, answer, by)
        said: dict[str, Any] = {"level": one.level, "reason": one.reason, "by": by}
        now = scene.after(one.after)
        agreement.record(answer, cards, criterion=one.criterion, **said, now=now)

    return Act(is_agreed, agree)


def _defended(person: Person) -> Iterator[Act]:
    """Explain and defend, then the feedback."""
    mine = {"attempt__invitation__candidate__email": person.email}
    if person.defence:
        yield Act(lambda scene: Defence.objects.filter(**mine).exists(), _defend)
    if person.feedback:
        released = Feedback.objects.filter(**mine).exclude(released_at=None)
        yield Act(lambda scene: released.all().exists(), _feed_back)


def _defend(scene: Scene, made: Any) -> None:
    if talk := scene.person.defence:
        defence.hold(
            attempt=scene.attempt,
            by=scene.staff[talk.by],
            questions=[defence.Put(talk.question, talk.answer)],
            notes=talk.notes,
            level=talk.level,
            now=scene.after(talk.after),
        )


def _feed_back(scene: Scene, made: Any) -> None:
    said = scene.person.feedback
    if said is None:
        return
    attempt, by, at = scene.attempt, scene.staff[said.by], scene.after(said.after)
    challenged = _place(said.improvement_place) or _row(attempt, by, challenged=True)
    wording = feedback.Wording(
        strength=said.strength,
        improvement=said.improvement,
        strength_place=_place(said.strength_place) or _row(attempt, by, but=challenged),
        improvement_place=challenged,
        focus=said.focus,
    )
    written = feedback.write(attempt=attempt, wording=wording, by=by, now=at)
    feedback.release(written, by=by, now=at)


def _place(title: str) -> str:
    return f"part-{title}" if title else ""


def _row(attempt: Attempt, by: User, *, challenged: bool = False, but: str = "") -> str:
    """A row of the answer's table: the one most worth challenging, or the first that is another."""
    places = feedback.place_choices(attempt, by, challenged=challenged)
    return next(value for value, _ in places if value.startswith("row-") and value != but)


def _revision(revision: Revised) -> Iterator[Act]:
    """The second clock, and the second answer where the person is through with it."""
    if not revision.minutes:
        yield Act(lambda scene: scene.attempt.round == 2, _start_revision)
        return
    yield Act(_has_answer(2), _hand_in_revision, _second_body)
    yield _graded(2)


def _start_revision(scene: Scene, made: Any) -> None:
    """Begun just now, and given more time, so that they can be met at it."""
    now = timezone.now()
    attempt = attempts.start_revision(scene.attempt.pk, now=now)
    why: dict[str, Any] = {"by": scene.staff["rhea"], "reason": WHY_MORE}
    attempts.extend(attempt.pk, minutes=MORE_TIME, now=now, **why)


def _second_body(scene: Scene) -> Any:
    attempt, revision = scene.attempt, scene.person.revision
    attempt.round = 2
    return revised_body(attempt, revision) if revision else None


def _hand_in_revision(scene: Scene, body: Any) -> None:
    if revision := scene.person.revision:
        began = scene.after(revision.after)
        attempts.start_revision(scene.attempt.pk, now=began)
        _submit(scene, body, began + timedelta(minutes=revision.minutes))


def _decide(scene: Scene, made: Any) -> None:
    decision, link = scene.person.decision, scene.link
    if decision and link:
        decide(
            opening=scene.opening,
            candidate=link.candidate,
            outcome=decision.outcome,
            reasons=decision.reasons,
            by=scene.staff[decision.by],
            now=scene.after(decision.after),
        )
