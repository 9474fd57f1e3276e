"""What waits for whom: the sections of the home page, each with something in it that is the viewer's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Window
from django.urls import reverse

from accounts.models import User
from assessments.jobs import Result
from assessments.models import (
    Attempt,
    GradingRun,
    RevisionRound,
    Submission,
)
from hiring.models import Calibration
from library.packs import pack_of
from reviews.enquiries.waiting import ANSWER, waiting_for_answer
from reviews.fairness.calibration import all_still_to_score
from reviews.links_to_watch import (
    boards,
    invitations,
    messages_refused,
    results_to_tell,
    variants_failed,
)
from reviews.messages.results import TELLS
from reviews.models import Assignment, Decision, Evaluation
from reviews.phases import Tag, for_list, phase_tag, time_left
from reviews.scoring.disagreements import asking_for_another
from reviews.visibility import (
    attempts_overseen_by,
    attempts_visible_to,
    shown_name,
    with_viewer,
)
from reviews.work_rows import ATTEMPTS, SHOWN, Row, Section


def waiting_for(viewer: User, now: datetime) -> list[Section]:
    """The sections in which something waits for the viewer, in the order of urgency."""
    return [
        section
        for permission, build in SECTIONS
        if viewer.has_perm(permission) and (section := build(viewer, now)).rows
    ]


def _with_own(attempts: QuerySet[Attempt], viewer: User) -> QuerySet[Attempt]:
    """With `scores_it`; names are asked for what is shown alone."""
    mine = Exists(Assignment.objects.filter(attempt=OuterRef("pk"), evaluator=viewer))
    return attempts.annotate(scores_it=mine)


def _scores_anybody(viewer: User) -> bool:
    """Asked first: of who may score few do, and what they owe takes long to ask."""
    return Assignment.objects.filter(evaluator=viewer).exists()


def _attempts(viewer: User) -> QuerySet[Attempt]:
    """What the sections choose from."""
    return _with_own(attempts_visible_to(viewer), viewer)


def _own(viewer: User) -> QuerySet[Attempt]:
    """Without what the viewer only scores: to be staffed, graded again and decided by them."""
    return _with_own(attempts_overseen_by(viewer), viewer)


def _submission(round: int) -> Exists:
    return Exists(
        Submission.objects.filter(attempt=OuterRef("pk"), round=round, superseded_at=None)
    )


def _revision() -> Exists:
    """Not revision=None: of such a join PostgreSQL expects next to no row, as in EvaluationQuerySet."""
    return Exists(RevisionRound.objects.filter(attempt=OuterRef("pk")))


def _card(round: int, **who: object) -> Q:
    """A scorecard of that round that is in and was not replaced by a correction.

    Not a correlated subquery: a list of keys is found once, however many attempts there are.
    """
    cards = Evaluation.objects.current().submitted().filter(submission__round=round, **who)
    return Q(pk__in=cards.order_by().values("submission__attempt"))


def _undecided(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    decided = Decision.objects.filter(
        opening=OuterRef("invitation__opening"), candidate=OuterRef("invitation__candidate")
    )
    return attempts.filter(~Exists(decided))


def _section(
    key: str,
    title: str,
    attempts: QuerySet[Attempt],
    row: Callable[[Attempt], Row],
    *,
    viewer: User,
    side: bool = False,
    **also: Q,
) -> Section:
    """The first rows and how many there are; `also` are annotations that `row` reads.

    The database counts beside the first keys, and rows are read by key alone: what chose them is
    asked once, and thousands of keys are not fetched to be counted here.
    """
    counted = attempts.annotate(all_of_them=Window(Count("pk")))
    found = list(counted.values_list("pk", "all_of_them")[:SHOWN])
    if not found:
        return Section(key, title, [], 0, ATTEMPTS, side)
    shown = with_viewer(attempts_visible_to(viewer), viewer).annotate(**also)
    rows = for_list(shown.filter(pk__in=[pk for pk, _ in found]))
    more = max(0, found[0][1] - SHOWN)
    return Section(key, title, [row(attempt) for attempt in rows], more, ATTEMPTS, side)


def _row(attempt: Attempt, url_name: str, *args: object, tag: Tag | None = None) -> Row:
    text = f"{attempt.exercise} · {attempt.invitation.opening}"
    url = reverse(f"admin:{url_name}", args=[attempt.pk, *args])
    known = attempt.invitation.candidate_id if attempt.named else None  # type: ignore[attr-defined]
    return Row(shown_name(attempt), text, url, tag, names=known)


def to_score(viewer: User, now: datetime) -> Section:
    """Answers of both rounds that the viewer was asked to score and has not."""
    if not _scores_anybody(viewer):
        return Section("to-score", "To score", [])
    owes_1 = _submission(1) & ~_card(1, evaluator=viewer)
    owes_2 = _submission(2) & ~_card(2, evaluator=viewer)
    owed = _attempts(viewer).filter(owes_1 | owes_2, Q(scores_it=True))

    def row(attempt: Attempt) -> Row:
        round = 1 if attempt.owes_1 else 2  # type: ignore[attr-defined]
        return _row(attempt, "score", round, tag=Tag(f"round {round}", "info"))

    return _section("to-score", "To score", owed, row, viewer=viewer, owes_1=owes_1)


def to_calibrate(viewer: User, now: datetime) -> Section:
    """Exercises whose exemplars come first, where the opening asks for it; left out when done."""
    if not _scores_anybody(viewer):
        return Section("calibrate", "Exemplars first", [])
    mine = _attempts(viewer).filter(
        ~_card(1, evaluator=viewer),
        Q(scores_it=True),
        invitation__opening__calibration=Calibration.WARN,
    )
    kinds = set(mine.order_by().values_list("pack_version__name", "level").distinct())
    rows = [
        Row(
            pack_of(name).title,
            f"{left} exemplar{'' if left == 1 else 's'} to score, {level}",
            reverse("admin:calibration"),
            Tag("before you score", "info"),
        )
        for (name, level), left in sorted(all_still_to_score(viewer, kinds).items())
        if left
    ]
    return Section("calibrate", "Exemplars first", rows)


def feedback_owed(viewer: User, now: datetime) -> Section:
    """First answers that were scored and whose candidate still waits for feedback.

    It is for who scored to give; whoever oversees the opening is asked where nobody of them may.
    """
    panel = Assignment.objects.filter(attempt=OuterRef("pk"))
    able = panel.filter(evaluator__groups__permissions__codename="add_feedback")
    mine = Q(scores_it=True) & _card(1, evaluator=viewer)
    scored = _undecided(_attempts(viewer)).filter(
        mine | (Q(scores_it=False) & ~Exists(able)),
        _submission(1),
        _card(1),
        ~_revision(),
        round=1,
        awaiting_round=None,
    )
    return _section(
        "feedback",
        "Feedback owed",
        scored,
        lambda item: _row(item, "feedback"),
        viewer=viewer,
    )


def decisions_owed(viewer: User, now: datetime) -> Section:
    """Candidates whose scorecards are all in and whose revision, if any, is over.

    Of an opening that names a hiring manager it is theirs to decide.
    """
    cards = Evaluation.objects.current().submitted()
    card = cards.filter(submission__attempt=OuterRef("attempt"), evaluator=OuterRef("evaluator"))
    owing = Assignment.objects.filter(~Exists(card.filter(submission__round=1)))
    revised = Submission.objects.filter(round=2, superseded_at=None)
    again = Assignment.objects.filter(
        ~Exists(card.filter(submission__round=2)), attempt__in=revised.values("attempt")
    )
    theirs = Q(invitation__opening__hiring_manager=viewer)
    ready = _undecided(_own(viewer)).filter(
        theirs | Q(invitation__opening__hiring_manager=None),
        ~Q(pk__in=owing.values("attempt")),
        ~Q(pk__in=again.values("attempt")),
        Q(pk__in=Assignment.objects.values("attempt")),
        ~_revision() | _submission(2),
        _submission(1),
        awaiting_round=None,
    )
    return _section(
        "decisions",
        "Decisions owed",
        ready,
        lambda item: _row(item, "decision"),
        viewer=viewer,
    )


def unassigned(viewer: User, now: datetime) -> Section:
    """Answers that were handed in and that nobody was asked to score."""
    nobody = ~Exists(Assignment.objects.filter(attempt=OuterRef("pk")))
    lonely = _undecided(_own(viewer)).filter(_submission(1), nobody)
    return _section(
        "unassigned",
        "Nobody to score it yet",
        lonely,
        lambda item: _row(item, "assign"),
        viewer=viewer,
    )


def disagreements(viewer: User, now: datetime) -> Section:
    """Answers whose two scorecards are so far apart that somebody else has to score them."""
    asking = asking_for_another(viewer).values("attempt")
    rows = _undecided(_own(viewer)).filter(pk__in=asking)
    tag = Tag("scorecards differ", "warn")
    return _section(
        "disagreements",
        "Another evaluator needed",
        rows,
        lambda item: _row(item, "assign", tag=tag),
        viewer=viewer,
    )


def gradings_failed(viewer: User, now: datetime) -> Section:
    """Submissions whose newest grading ended by our own fault."""
    newer = GradingRun.objects.filter(submission=OuterRef("submission"), pk__gt=OuterRef("pk"))
    failed = GradingRun.objects.filter(
        ~Exists(newer),
        submission__attempt=OuterRef("pk"),
        submission__superseded_at=None,
        result=Result.INFRASTRUCTURE_ERROR,
    )
    rows = _own(viewer).filter(Exists(failed))
    tag = Tag("failed on our side", "bad")
    return _section(
        "failed",
        "Gradings to repeat",
        rows,
        lambda item: _row(item, "regrade", tag=tag),
        viewer=viewer,
    )


def running_now(viewer: User, now: datetime) -> Section:
    """Who works right now; the time left only for people who do not score them."""
    rows = _attempts(viewer).filter(awaiting_round__isnull=False, deadline_at__gt=now)
    sees_time = viewer.has_perm("assessments.view_timeevent")

    def row(attempt: Attempt) -> Row:
        tag = phase_tag(attempt, now)
        if sees_time and not attempt.scores_it:  # type: ignore[attr-defined]
            tag = Tag(f"{tag.text} · {time_left(attempt, now)} left", tag.tone)
        return _row(attempt, "attempt", tag=tag)

    return _section("running", "Running now", rows, row, viewer=viewer, side=True)


def revisions(viewer: User, now: datetime) -> Section:
    """Revisions that were opened and not handed in."""
    rows = _undecided(_attempts(viewer)).filter(~_submission(2), _revision())
    return _section(
        "revisions",
        "Revisions open",
        rows,
        lambda item: _row(item, "attempt", tag=phase_tag(item, now)),
        viewer=viewer,
        side=True,
    )


def questions(viewer: User, now: datetime) -> Section:
    """What candidates ask: whoever is at work waits with their clock running."""
    found = waiting_for_answer(viewer)
    rows = [
        Row(
            f"Candidate {item.attempt.invitation.candidate.pseudonym}",
            f"{item.attempt.exercise} · {item.attempt.invitation.opening}",
            reverse("admin:enquiry-answer", args=[item.pk]),
            Tag("waits for an answer", "warn"),
        )
        for item in found[:SHOWN]
    ]
    more = max(0, found.count() - SHOWN) if rows else 0
    return Section("questions", "Questions of candidates", rows, more, "admin:enquiries")


SECTIONS: list[tuple[str, Callable[[User, datetime], Section]]] = [
    (ANSWER, questions),
    ("assessments.add_gradingrun", gradings_failed),
    ("hiring.view_invitation", variants_failed),
    ("hiring.change_message", messages_refused),
    ("reviews.add_calibrationcard", to_calibrate),
    ("reviews.add_evaluation", to_score),
    ("reviews.add_feedback", feedback_owed),
    ("reviews.add_decision", decisions_owed),
    (TELLS, results_to_tell),
    ("reviews.add_assignment", unassigned),
    ("reviews.add_assignment", disagreements),
    ("assessments.view_attempt", running_now),
    ("assessments.view_attempt", revisions),
    ("hiring.view_invitation", invitations),
    ("hiring.view_opening", boards),
]
