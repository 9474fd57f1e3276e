"""What staff are told by mail, and whom.

No message to staff holds a candidate's name, address or times: a recruiter may be asked to score, and
mail cannot be taken back. Nobody hears of scorecards before their own is in: what is told of them is
told when the panel's are all in.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from assessments.models import Attempt, Enquiry, GradingRun, Submission
from hiring.messages.outbox import Told, site_page, tell_staff
from hiring.trials import is_trial
from reviews.enquiries.waiting import enquiries_visible_to, wrote_what_is_asked_about
from reviews.messages.results import TELLS
from reviews.models import Assignment, Decision, Evaluation
from reviews.scoring.agreement import Agreement, agreement, rule_of
from reviews.visibility import decisions_hidden_from

LATE = timedelta(days=3)
TOO_LATE = timedelta(days=14)
"""What is older was forgotten for reasons that a message does not mend."""
ANSWERS = {1: "first", 2: "revised"}


def _told(occasion: str, about: str, attempt: Attempt, page: str, **values: str) -> Told:
    candidate, opening = attempt.invitation.candidate, attempt.invitation.opening
    known = {
        "candidate": f"Candidate {candidate.pseudonym}",
        "exercise": attempt.exercise.get_kind_display(),
        "opening": opening.title,
    }
    return Told(occasion, about, known | values, opening=opening, candidate=candidate, page=page)


def asked(assignment: Assignment, *, now: datetime) -> None:
    """Leads to the scorecard itself where the answer is in."""
    attempt = assignment.attempt
    answer = attempt.submissions.filter(superseded_at=None).order_by("-round").first()
    page = site_page("admin:attempt", attempt.pk)
    if answer:
        page = site_page("admin:score", attempt.pk, answer.round)
    told = _told("assigned", f"assignment {assignment.pk}", attempt, page)
    tell_staff(told, assignment.evaluator, now=now, by=assignment.assigned_by)


def card_owed(
    submission: Submission, evaluator: User, *, now: datetime, late: bool = False
) -> None:
    attempt = submission.attempt
    page = site_page("admin:score", attempt.pk, submission.round)
    about = f"answer {submission.pk}" + (" late" if late else "")
    told = _told("card_owed", about, attempt, page, round=ANSWERS[submission.round])
    tell_staff(told, evaluator, now=now)


def answer_in(submission: Submission, *, now: datetime) -> None:
    """Everybody on the panel owes a scorecard of it."""
    for row in submission.attempt.assignments.select_related("evaluator"):
        card_owed(submission, row.evaluator, now=now)


def late_cards(*, now: datetime) -> None:
    """Ask once more for scorecards that are missing after three days, unless all is decided."""
    card = Evaluation.objects.current().submitted()
    card = card.filter(
        submission=OuterRef("pk"), evaluator=OuterRef("attempt__assignments__evaluator")
    )
    decided = Decision.objects.filter(
        opening=OuterRef("attempt__invitation__opening"),
        candidate=OuterRef("attempt__invitation__candidate"),
        outcome__in=Decision.FINAL,
    )
    owed = Submission.objects.filter(
        ~Exists(card),
        ~Exists(decided),
        superseded_at=None,
        submitted_at__lte=now - LATE,
        submitted_at__gt=now - TOO_LATE,
        attempt__assignments__assigned_at__lte=now - LATE,
    )
    rows = owed.values_list("pk", "attempt__assignments__evaluator")
    for pk, evaluator in rows:
        submission = Submission.objects.select_related("attempt__invitation").get(pk=pk)
        card_owed(submission, User.objects.get(pk=evaluator), now=now, late=True)


def card_came_in(evaluation: Evaluation, *, now: datetime) -> None:
    """Another evaluator, a discussion or a decision may be owed now."""
    submission = evaluation.submission
    attempt = submission.attempt
    cards = list(
        Evaluation.objects.current()
        .submitted()
        .filter(submission=submission)
        .prefetch_related("ratings")
    )
    done = {card.evaluator_id for card in cards}
    panel = [row.evaluator for row in attempt.assignments.select_related("evaluator")]
    waiting = any(person.pk not in done for person in panel)
    rule, outcomes = rule_of(attempt.invitation.opening), list(submission.discussions.all())
    about = f"answer {submission.pk}"
    match agreement(cards, rule, outcomes, is_waiting=waiting):
        case Agreement.ASK:
            _third_evaluator(submission, about, now)
        case Agreement.DISCUSS if not waiting:
            page = site_page("admin:discussion", attempt.pk, submission.round)
            told = _told("dispute", about, attempt, page, round=ANSWERS[submission.round])
            for person in panel:
                tell_staff(told, person, now=now)
    decision_owed(attempt, now=now)


def _third_evaluator(submission: Submission, about: str, now: datetime) -> None:
    attempt = submission.attempt
    page = site_page("admin:assign", attempt.pk)
    told = _told("third_evaluator", about, attempt, page, round=ANSWERS[submission.round])
    for person in responsible_for(attempt, "reviews.add_assignment", now):
        tell_staff(told, person, now=now)


def decision_owed(attempt: Attempt, *, now: datetime) -> None:
    """Tell whoever decides, once every card of every answer is in and no revision goes on."""
    attempt = Attempt.objects.select_related("invitation__opening", "invitation__candidate").get(
        pk=attempt.pk
    )
    answers = {row.round: row for row in attempt.submissions.filter(superseded_at=None)}
    link = attempt.invitation
    if attempt.awaiting_round is not None or 1 not in answers:
        return
    if hasattr(attempt, "revision") and 2 not in answers:
        return
    if Decision.objects.filter(opening=link.opening, candidate=link.candidate).exists():
        return
    panel = set(attempt.assignments.values_list("evaluator", flat=True))
    for answer in answers.values():
        cards = Evaluation.objects.current().submitted().filter(submission=answer)
        if not panel or panel - set(cards.values_list("evaluator", flat=True)):
            return
    newest = answers[max(answers)]
    page = site_page("admin:decision", attempt.pk)
    told = _told("decision_owed", f"answer {newest.pk}", attempt, page)
    for person in responsible_for(attempt, "reviews.add_decision", now):
        tell_staff(told, person, now=now)


def result_to_tell(decision: Decision, *, now: datetime) -> None:
    """Tell whoever accompanies the candidate that they wait for a word; not whoever decided, who knows."""
    attempts = Attempt.objects.filter(
        invitation__opening=decision.opening, invitation__candidate=decision.candidate
    ).select_related("invitation__created_by", "invitation__opening__hiring_manager", "exercise")
    attempt = attempts.order_by("-started_at").first()
    if decision.outcome not in Decision.FINAL or attempt is None:
        return
    page = site_page("admin:opening-results", decision.opening_id)
    told = _told("result_to_tell", f"decision {decision.pk}", attempt, page)
    link, pair = attempt.invitation, (decision.opening_id, decision.candidate_id)
    near = [one for one in (link.created_by, link.opening.hiring_manager) if one]
    able = [one for one in near if one != decision.decided_by and _may(one, TELLS, now)]
    for person in able[:1]:
        if pair not in decisions_hidden_from(person):
            tell_staff(told, person, now=now)


def grading_failed(run: GradingRun, *, now: datetime) -> None:
    attempt = run.submission.attempt
    if is_trial(attempt.invitation):
        return  # its page says so to the only person whom it concerns
    page = site_page("admin:attempt", attempt.pk)
    told = _told("grading_failed", f"grading {run.pk}", attempt, page)
    for person in responsible_for(attempt, "assessments.add_gradingrun", now):
        tell_staff(told, person, now=now)


def question_waits(enquiry: Enquiry, *, now: datetime) -> None:
    """Whoever is near, and of a question about feedback not its writer: then all the others who may."""
    attempt, permission = enquiry.attempt, "assessments.add_announcement"
    if is_trial(attempt.invitation):
        return
    told = _told("question_waits", f"question {enquiry.pk}", attempt, site_page("admin:enquiries"))
    near = responsible_for(attempt, permission, now)
    able = [one for one in near if not wrote_what_is_asked_about(enquiry, one)]
    if not able:
        everybody = _people_who_may(permission, now)
        able = [one for one in everybody if enquiries_visible_to(one).filter(pk=enquiry.pk)]
        able = [one for one in able if not wrote_what_is_asked_about(enquiry, one)]
    for person in able:
        tell_staff(told, person, now=now)


def responsible_for(attempt: Attempt, permission: str, now: datetime) -> list[User]:
    """The opening's hiring manager and whoever invited, as far as they may; else all who may."""
    link = attempt.invitation
    near = [link.opening.hiring_manager, link.created_by]
    found = {person.pk: person for person in near if person and _may(person, permission, now)}
    return list(found.values()) or list(_people_who_may(permission, now))


def _may(person: User, permission: str, now: datetime) -> bool:
    return person.is_staff and person.has_access(now) and person.has_perm(permission)


def _people_who_may(permission: str, now: datetime) -> Iterable[User]:
    app, _, code = permission.partition(".")
    access = Q(access_ends_at=None) | Q(access_ends_at__gt=now)
    held = Q(groups__permissions__codename=code, groups__permissions__content_type__app_label=app)
    return User.objects.filter(access, held, is_active=True, is_staff=True).distinct()
