"""Interviews in the staff's pages: plan them, hold one, hand it in, read and print its record."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.audit import ADDITION, note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from accounts.staff_admin import viewer as viewer_of
from assessments.models import PadSave, RevisionRound
from assessments.models.sitting import LONGEST, SHORTEST
from assessments.sitting import pads, sittings
from hiring.invite_form import Moment
from hiring.message_rows import known_zone
from hiring.messages.zones import zone_of
from hiring.models import Candidate, Opening
from hiring.oversight import openings_overseen_by
from reviews.access import attempt_for
from reviews.interviews import interviews, talks
from reviews.interviews.named import named_candidates, sessions_with_people, shown_candidate
from reviews.interviews.pages.interview_notes import LONGEST_NOTE, from_form, typed
from reviews.interviews.pages.talk import when_of
from reviews.interviews.question_sets import linked_set
from reviews.models import InterviewSession, QuestionSet
from reviews.names_seen import note_names
from reviews.printed import answer
from reviews.visibility import candidates_visible_to

SHOWN = 200


def _page(
    request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any
) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": title, **context}
    return render(request, template, context, status=status)


def session_for(request: HttpRequest, pk: UUID) -> tuple[User, Any]:
    """The viewer and a session whose content they may read, with `name`; Http404 otherwise."""
    viewer = allow(request, "reviews.view_interviewsession")
    visible = InterviewSession.objects.visible_to(viewer).filter(pk=pk)
    session = sessions_with_people(viewer).filter(pk__in=visible.values("pk")).first()
    if session is None:
        raise Http404
    session.name = shown_candidate(session, viewer, named_candidates(viewer, [session]))
    return viewer, session


def own_session(request: HttpRequest, pk: UUID) -> tuple[User, Any]:
    """The viewer's own session, which they may write; Http404 for anybody else's."""
    allow(request, "reviews.change_interviewsession")
    viewer, session = session_for(request, pk)
    if session.interviewer_id != viewer.pk:
        raise Http404
    return viewer, session


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """One's own interviews first; those of others as far as one may know of them."""
    viewer = viewer_of(request)
    if not viewer.has_perm("reviews.add_interviewsession"):
        allow(request, "reviews.view_interviewsession")
    known = InterviewSession.objects.current().known_to(viewer)
    rows = list(sessions_with_people(viewer).filter(pk__in=known.values("pk"))[:SHOWN])
    readable = set(
        InterviewSession.objects.visible_to(viewer)
        .filter(pk__in=[row.pk for row in rows])
        .values_list("pk", flat=True)
    )
    named = named_candidates(viewer, rows)
    for row in rows:
        row.name = shown_candidate(row, viewer, named)
        row.readable = row.pk in readable
    people = {row.candidate_id for row in rows if row.name == row.candidate.name}
    note_names(viewer, people, "interviews", now=timezone.now())
    mine = [row for row in rows if row.interviewer_id == viewer.pk]
    others = [row for row in rows if row.interviewer_id != viewer.pk]
    return _page(request, "reviews/interviews.html", "Interviews", mine=mine, others=others)


class PlanForm(forms.Form):
    opening = forms.ModelChoiceField(Opening.objects.none(), empty_label="Choose…")
    candidate = forms.ModelChoiceField(Candidate.objects.none(), empty_label="Choose…")
    question_set = forms.ModelChoiceField(QuestionSet.objects.none(), empty_label="Choose…")
    interviewers = forms.ModelMultipleChoiceField(
        User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text="Each holds or sits in on the talk and notes it down on their own.",
    )
    begins_at = Moment(
        label="Begins at",
        required=False,
        help_text="Leave it empty while no time is agreed; it can be set later. With a time the "
        "candidate and the interviewers get a message with a calendar file.",
    )
    time_zone = forms.CharField(
        label="Time zone of that time",
        max_length=64,
        required=False,
        validators=[known_zone],
        help_text="For example Europe/Berlin. Empty: yours.",
    )
    minutes = forms.IntegerField(
        label="Minutes",
        min_value=SHORTEST,
        max_value=LONGEST,
        required=False,
        help_text="Empty: those of the set.",
    )

    def __init__(self, *args: Any, viewer: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.viewer = viewer
        fields: dict[str, Any] = self.fields
        fields["opening"].queryset = openings_overseen_by(viewer).filter(closed_at=None)
        fields["candidate"].queryset = candidates_visible_to(viewer)
        sets = QuestionSet.objects.visible_to(viewer).filter(retired_at=None)
        fields["question_set"].queryset = sets
        people = User.objects.filter(interviews.may_interview()).distinct()
        fields["interviewers"].queryset = people.order_by("first_name", "username")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        opening, candidate = data.get("opening"), data.get("candidate")
        if opening and candidate and not candidate.invitations.filter(opening=opening).exists():
            self.add_error("candidate", "This person was not invited for that opening.")
        data["time_zone"] = data.get("time_zone") or zone_of(self.viewer)
        if chosen := data.get("question_set"):
            data["minutes"] = data.get("minutes") or chosen.minutes
        return data


@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: HttpRequest) -> HttpResponse:
    """Who asks whom which questions: one session for each interviewer."""
    viewer = allow(request, "reviews.add_interviewsession")
    chosen = {name: request.GET.get(name, "") for name in ("opening", "candidate", "question_set")}
    chosen = {name: text for name, text in chosen.items() if text.isdecimal() and len(text) < 18}
    form = PlanForm(request.POST or None, viewer=viewer, initial=chosen)
    if request.method == "POST" and form.is_valid():
        try:
            return _planned(request, form.cleaned_data, viewer)
        except NotPossible as error:
            form.add_error(None, str(error))
    offered = candidates_visible_to(viewer).values_list("pk", flat=True)
    note_names(viewer, offered, "plan-interview", now=timezone.now())
    return _page(request, "reviews/plan_interview.html", "Plan interviews", form=form)


def _planned(request: HttpRequest, data: dict[str, Any], viewer: User) -> HttpResponse:
    """Plan the talk and go to its page; raises NotPossible."""
    now, new = timezone.now(), 0
    about = {name: data[name] for name in ("opening", "candidate", "question_set")}
    with transaction.atomic():
        sitting = talks.talk_for(**about, when=when_of(data), by=viewer, now=now)
        sessions = []
        for person in data["interviewers"]:
            session, made = interviews.plan(
                interviewer=person, by=viewer, now=now, sitting=sitting, **about
            )
            sessions.append(session)
            new += made
            if made:
                said = f"Asked {person} to interview with the set “{session.question_set}”."
                note_action(viewer, session, said, flag=ADDITION)
        if not any(session.sitting_id == sitting.pk for session in sessions):
            raise NotPossible(
                "Everybody whom you ticked has begun this interview with this set already. Choose another "
                "set for a second talk."
            )
        talks.tell(sitting, by=viewer, now=now)
    said = f"{new} interview{'' if new == 1 else 's'} planned."
    messages.success(request, said if new else "These interviews were planned before.")
    return HttpResponseRedirect(reverse("admin:interview-talk", args=[sessions[0].pk]))


@require_http_methods(["GET", "HEAD", "POST"])
def in_revision(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask bank questions within a revision round; the record is kept with the round."""
    viewer, attempt = attempt_for(request, pk, "reviews.change_interviewsession")
    revision = RevisionRound.objects.filter(attempt=attempt).first()
    if revision is None:
        messages.warning(
            request, "The revision has not been opened yet: release the feedback first."
        )
        return HttpResponseRedirect(reverse("admin:attempt", args=[attempt.pk]))
    sets = QuestionSet.objects.visible_to(viewer).filter(retired_at=None)
    problem = ""
    if request.method == "POST":
        text = request.POST.get("question_set", "")
        is_number = text.isascii() and text.isdecimal() and len(text) < 18
        chosen = sets.filter(pk=int(text)).first() if is_number else None
        try:
            if "linked" in request.POST:
                chosen = linked_set(attempt, by=viewer, now=timezone.now())
            if chosen is None:
                raise NotPossible("Choose a question set.")
            session, made = interviews.plan(
                opening=attempt.invitation.opening,
                candidate=attempt.invitation.candidate,
                interviewer=viewer,
                question_set=chosen,
                by=viewer,
                now=timezone.now(),
                revision=revision,
            )
        except NotPossible as error:
            problem = str(error)
        else:
            if made:
                note_action(viewer, session, "Asks bank questions in the revision.", flag=ADDITION)
            return HttpResponseRedirect(reverse("admin:interview", args=[session.pk]))
    context: dict[str, Any] = {"attempt": attempt, "sets": list(sets), "problem": problem}
    title = "Ask questions in the revision"
    return _page(request, "reviews/revision_questions.html", title, **context)


@require_http_methods(["GET", "HEAD", "POST"])
def interview(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Before: what will be asked. During: the page to hold it. After: its record."""
    viewer, session = session_for(request, pk)
    is_mine = session.interviewer_id == viewer.pk
    problem, status = "", 200
    if request.method == "POST":
        own_session(request, pk)
        try:
            return _step(request, session, viewer)
        except NotPossible as error:
            problem, status = str(error), 409
    if session.submitted_at or not is_mine:
        return _record(request, session, viewer, problem=problem, status=status)
    template = "reviews/interview.html" if session.started_at else "reviews/interview_start.html"
    rows = list(session.asked.all())
    return _page(
        request,
        template,
        session.name,
        status=status,
        session=session,
        rows=rows,
        scale=list(interviews.LEVELS.items()),
        scored=sum(1 for row in rows if row.score or row.skipped),
        longest_note=LONGEST_NOTE,
        problem=problem,
    )


def _step(request: HttpRequest, session: Any, viewer: User) -> HttpResponse:
    now = timezone.now()
    if "begin" in request.POST:
        interviews.begin(session, now=now)
        note_action(viewer, session, "Began the interview.")
        return HttpResponseRedirect(request.path)
    if session.submitted_at:
        raise NotPossible("This interview was submitted before.")
    for asked in session.asked.all():
        if written := from_form(request.POST, asked):
            interviews.write(asked, written, now=now)
    interviews.submit(session, summary=typed(request.POST, "summary"), now=now)
    if session.sitting and not session.sitting.sessions.filter(submitted_at=None).exists():
        sittings.close(session.sitting, by=viewer, now=now)
    note_action(viewer, session, "Submitted the record of the interview.")
    messages.success(request, "Your record is in. Other interviewers' records are shown now.")
    return HttpResponseRedirect(request.path)


def _record(request: HttpRequest, session: Any, viewer: User, **context: Any) -> HttpResponse:
    others = InterviewSession.objects.visible_to(viewer).current().exclude(pk=session.pk)
    others = others.exclude(submitted_at=None).filter(
        candidate=session.candidate, opening=session.opening
    )
    return _page(
        request,
        "reviews/interview_record.html",
        session.name,
        session=session,
        rows=list(session.asked.all()),
        mean=interviews.mean_score(session),
        others=list(others.select_related("interviewer", "question_set")),
        is_mine=session.interviewer_id == viewer.pk,
        pads=_pads(session),
        corrected=InterviewSession.objects.filter(supersedes=session).first(),
        **context,
    )


def _pads(session: Any) -> dict[str, str]:
    """What was written together in the talk: the interviewers' notes, and the pad with the candidate."""
    if session.sitting is None:
        return {}
    return {str(pad): pads.pad_of(session.sitting, pad).text for pad in PadSave.Pad}


@require_POST
def correct(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Open a correction of one's own submitted record, with a reason."""
    viewer, session = own_session(request, pk)
    reason = request.POST.get("reason", "").replace("\x00", "")
    try:
        copy = interviews.correct(session, reason=reason, now=timezone.now())
    except NotPossible as error:
        return _record(request, session, viewer, problem=str(error), status=409)
    note_action(viewer, copy, f"Opened a correction of the interview. Reason: {reason.strip()}")
    return HttpResponseRedirect(reverse("admin:interview", args=[copy.pk]))


@require_safe
def sheet(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The record on paper."""
    _, session = session_for(request, pk)
    context = {**admin.site.each_context(request), "title": session.name, "session": session}
    context |= {"rows": list(session.asked.all()), "mean": interviews.mean_score(session)}
    context["pads"] = _pads(session)
    name = f"interview {session.pk}"
    return answer(
        request, "reviews/print_interview.html", context, name=name, about=session.candidate
    )
