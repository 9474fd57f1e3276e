"""What waits for whom: the sections of the home page, by what the viewer's role lets them do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Window
from django.urls import reverse

from accounts.models import User
from assessments.jobs import Result
from assessments.models import (
    Attempt,
    GradingRun,
    PreparedVariant,
    RevisionRound,
    Submission,
)
from hiring.models import Calibration
from library.packs import pack_of
from reviews.fairness.calibration import all_still_to_score
from reviews.models import Assignment, Decision, Evaluation
from reviews.phases import Tag, for_list, phase_tag, time_left
from reviews.scoring.disagreements import asking_for_another
from reviews.visibility import attempts_visible_to, invitations_visible_to, shown_name, with_viewer

SHOWN = 12  # rows of a section; the list behind it has all
SOON = timedelta(hours=48)
TROUBLE_SHOWN = 150  # characters


@dataclass(frozen=True)
class Row:
    """One thing to do: who it is about, what exactly, and where."""

    label: str
    text: str
    url: str
    tag: Tag | None = None
    at: datetime | None = None
    at_label: str = ""


@dataclass(frozen=True)
class Section:
    key: str
    title: str
    rows: list[Row]
    more: int
    empty: str
    side: bool = False  # news rather than duty


def waiting_for(viewer: User, now: datetime) -> list[Section]:
    """The sections that the viewer's role has anything to do with, in the order of urgency."""
    found = [
        section
        for permission, build in SECTIONS
        if viewer.has_perm(permission) and (section := build(viewer, now))
    ]
    return found


def _attempts(viewer: User) -> QuerySet[Attempt]:
    """What the sections choose from, with `scores_it`; names are asked for what is shown alone."""
    mine = Exists(Assignment.objects.filter(attempt=OuterRef("pk"), evaluator=viewer))
    return attempts_visible_to(viewer).annotate(scores_it=mine)


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
    empty: str,
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
    shown = with_viewer(attempts_visible_to(viewer), viewer).annotate(**also)
    rows = for_list(shown.filter(pk__in=[pk for pk, _ in found])) if found else []
    more = max(0, found[0][1] - SHOWN) if found else 0
    return Section(key, title, [row(attempt) for attempt in rows], more, empty, side)


def _row(attempt: Attempt, url_name: str, *args: object, tag: Tag | None = None) -> Row:
    text = f"{attempt.exercise} · {attempt.invitation.opening}"
    url = reverse(f"admin:{url_name}", args=[attempt.pk, *args])
    return Row(shown_name(attempt), text, url, tag)


def to_score(viewer: User, now: datetime) -> Section | None:
    """Answers of both rounds that the viewer was asked to score and has not."""
    owes_1 = _submission(1) & ~_card(1, evaluator=viewer)
    owes_2 = _submission(2) & ~_card(2, evaluator=viewer)
    owed = _attempts(viewer).filter(owes_1 | owes_2, Q(scores_it=True))

    def row(attempt: Attempt) -> Row:
        round = 1 if attempt.owes_1 else 2  # type: ignore[attr-defined]
        return _row(attempt, "score", round, tag=Tag(f"round {round}", "info"))

    empty = "You owe no scorecard. Answers appear here when somebody assigns them to you."
    return _section("to-score", "To score", empty, owed, row, viewer=viewer, owes_1=owes_1)


def to_calibrate(viewer: User, now: datetime) -> Section | None:
    """Exercises whose exemplars come first, where the opening asks for it; left out when done."""
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
    return Section("calibrate", "Exemplars first", rows, 0, "") if rows else None


def feedback_owed(viewer: User, now: datetime) -> Section | None:
    """First answers that were scored and whose candidate still waits for feedback."""
    scored = _undecided(_attempts(viewer)).filter(
        _submission(1), _card(1), ~_revision(), round=1, awaiting_round=None
    )
    scored = scored.filter(Q(scores_it=False) | _card(1, evaluator=viewer))
    empty = "No candidate waits for feedback."
    return _section(
        "feedback",
        "Feedback owed",
        empty,
        scored,
        lambda item: _row(item, "feedback"),
        viewer=viewer,
    )


def decisions_owed(viewer: User, now: datetime) -> Section | None:
    """Candidates whose scorecards are all in and whose revision, if any, is over."""
    cards = Evaluation.objects.current().submitted().filter(submission__round=1)
    card = cards.filter(submission__attempt=OuterRef("attempt"), evaluator=OuterRef("evaluator"))
    owing = Assignment.objects.filter(~Exists(card))
    ready = _undecided(_attempts(viewer)).filter(
        ~Q(pk__in=owing.values("attempt")),
        Q(pk__in=Assignment.objects.values("attempt")),
        ~_revision() | _submission(2),
        _submission(1),
        awaiting_round=None,
    )
    empty = "Nobody waits for a decision. Candidates appear here when all scorecards are in."
    return _section(
        "decisions",
        "Decisions owed",
        empty,
        ready,
        lambda item: _row(item, "decision"),
        viewer=viewer,
    )


def unassigned(viewer: User, now: datetime) -> Section | None:
    """Answers that were handed in and that nobody was asked to score."""
    nobody = ~Exists(Assignment.objects.filter(attempt=OuterRef("pk")))
    lonely = _undecided(_attempts(viewer)).filter(_submission(1), nobody)
    empty = "Every answer that was handed in has somebody to score it."
    return _section(
        "unassigned",
        "Nobody to score it yet",
        empty,
        lonely,
        lambda item: _row(item, "assign"),
        viewer=viewer,
    )


def disagreements(viewer: User, now: datetime) -> Section | None:
    """Answers whose two scorecards are so far apart that somebody else has to score them."""
    asking = asking_for_another(viewer).values("attempt")
    rows = _undecided(_attempts(viewer)).filter(pk__in=asking)
    empty = "No two scorecards are far apart."
    tag = Tag("scorecards differ", "warn")
    return _section(
        "disagreements",
        "Another evaluator needed",
        empty,
        rows,
        lambda item: _row(item, "assign", tag=tag),
        viewer=viewer,
    )


def gradings_failed(viewer: User, now: datetime) -> Section | None:
    """Submissions whose newest grading ended by our own fault."""
    newer = GradingRun.objects.filter(submission=OuterRef("submission"), pk__gt=OuterRef("pk"))
    failed = GradingRun.objects.filter(
        ~Exists(newer),
        submission__attempt=OuterRef("pk"),
        submission__superseded_at=None,
        result=Result.INFRASTRUCTURE_ERROR,
    )
    rows = _attempts(viewer).filter(Exists(failed))
    empty = "No grading has failed on our side."
    tag = Tag("failed on our side", "bad")
    return _section(
        "failed",
        "Gradings to repeat",
        empty,
        rows,
        lambda item: _row(item, "regrade", tag=tag),
        viewer=viewer,
    )


def variants_failed(viewer: User, now: datetime) -> Section | None:
    """Exercises that nobody can start because their materials could not be built."""
    failed = PreparedVariant.objects.filter(
        invitation__in=invitations_visible_to(viewer).filter(revoked_at=None, closes_at__gt=now),
        result=Result.INFRASTRUCTURE_ERROR,
    ).select_related("invitation__candidate", "exercise")
    rows = [
        Row(
            item.invitation.candidate.name,
            f"{item.exercise}: {item.trouble[:TROUBLE_SHOWN]}",
            reverse("admin:hiring_invitation_change", args=[item.invitation_id]),
            Tag("failed on our side", "bad"),
            item.finished_at,
            "failed",
        )
        for item in failed[:SHOWN]
    ]
    if not rows:
        return None
    title = "Materials that could not be prepared"
    return Section("unprepared", title, rows, max(0, failed.count() - SHOWN), "")


def running_now(viewer: User, now: datetime) -> Section | None:
    """Who works right now; the time left only for people who do not score them."""
    rows = _attempts(viewer).filter(awaiting_round__isnull=False, deadline_at__gt=now)
    sees_time = viewer.has_perm("assessments.view_timeevent")

    def row(attempt: Attempt) -> Row:
        tag = phase_tag(attempt, now)
        if sees_time and not attempt.scores_it:  # type: ignore[attr-defined]
            tag = Tag(f"{tag.text} · {time_left(attempt, now)} left", tag.tone)
        return _row(attempt, "attempt", tag=tag)

    empty = "Nobody is working right now."
    return _section("running", "Running now", empty, rows, row, viewer=viewer, side=True)


def revisions(viewer: User, now: datetime) -> Section | None:
    """Revisions that were opened and not handed in."""
    rows = _undecided(_attempts(viewer)).filter(~_submission(2), _revision())
    empty = "No revision is open."
    return _section(
        "revisions",
        "Revisions open",
        empty,
        rows,
        lambda item: _row(item, "attempt", tag=phase_tag(item, now)),
        viewer=viewer,
        side=True,
    )


def invitations(viewer: User, now: datetime) -> Section | None:
    """Links that nobody opened yet, or that close soon without anything started."""
    usable = invitations_visible_to(viewer).filter(
        ~Exists(Attempt.objects.filter(invitation=OuterRef("pk"))),
        revoked_at=None,
        closes_at__gt=now,
    )
    waiting = usable.filter(Q(first_opened_at=None) | Q(closes_at__lte=now + SOON))
    waiting = waiting.select_related("candidate", "opening").order_by("closes_at")
    rows = [
        Row(
            item.candidate.name,
            str(item.opening),
            reverse("admin:hiring_invitation_change", args=[item.pk]),
            Tag("opened", "info") if item.first_opened_at else Tag("not opened yet", "warn"),
            item.closes_at,
            "closes",
        )
        for item in waiting[:SHOWN]
    ]
    more = max(0, waiting.count() - SHOWN)
    empty = "No invitation waits to be opened."
    return Section("invitations", "Invitations to watch", rows, more, empty, side=True)


SECTIONS: list[tuple[str, Callable[[User, datetime], Section | None]]] = [
    ("assessments.add_gradingrun", gradings_failed),
    ("hiring.view_invitation", variants_failed),
    ("reviews.add_calibrationcard", to_calibrate),
    ("reviews.add_evaluation", to_score),
    ("reviews.add_feedback", feedback_owed),
    ("reviews.add_decision", decisions_owed),
    ("reviews.add_assignment", unassigned),
    ("reviews.add_assignment", disagreements),
    ("assessments.view_attempt", running_now),
    ("assessments.view_attempt", revisions),
    ("hiring.view_invitation", invitations),
]
