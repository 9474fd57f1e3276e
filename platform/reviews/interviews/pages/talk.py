"""The plan of one talk: its time, what is asked in which order, questions about the answer to take or leave."""

from __future__ import annotations

from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from accounts.staff_admin import viewer as viewer_of
from assessments.models import Sitting
from assessments.models.sitting import LONGEST, SHORTEST
from hiring.invite_form import Moment
from hiring.message_rows import known_zone
from reviews.interviews import talks
from reviews.interviews.named import named_candidates, sessions_with_people, shown_candidate
from reviews.interviews.question_sets import items_of
from reviews.models import InterviewSession
from reviews.names_seen import note_names

PLAN = "reviews.add_interviewsession"


class WhenForm(forms.Form):
    """The time of a talk, in the zone that is written beside it."""

    begins_at = Moment(label="Begins at", required=False)
    time_zone = forms.CharField(
        label="Time zone of that time",
        max_length=64,
        validators=[known_zone],
        help_text="For example Europe/Berlin. Everybody is told the time in their own zone.",
    )
    minutes = forms.IntegerField(label="Minutes", min_value=SHORTEST, max_value=LONGEST)

    def when(self) -> talks.When:
        return when_of(self.cleaned_data)


def when_of(data: dict[str, Any]) -> talks.When:
    """The planned time from a form's fields; the clock that was read is that of the written zone."""
    at, zone = data.get("begins_at"), data["time_zone"]
    begins_at = at.replace(tzinfo=ZoneInfo(zone)) if at else None
    return talks.When(begins_at, zone, data["minutes"])


@require_http_methods(["GET", "HEAD", "POST"])
def talk(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Whoever plans changes it until somebody begins; whoever holds it reads it."""
    viewer, session = _session(request, pk)
    sitting: Sitting | None = session.sitting
    problem, status = "", 200
    form = _form(sitting, request.POST if "move" in request.POST else None)
    if request.method == "POST":
        if sitting is None:
            problem, status = "This interview has no plan of its own: plan it anew.", 409
        else:
            try:
                if said := _change(request, sitting, viewer, form):
                    note_action(viewer, session, said)
                    messages.success(request, said)
                    return HttpResponseRedirect(request.path)
                status = 400
            except NotPossible as error:
                problem, status = str(error), 409
    context = {**admin.site.each_context(request), "title": f"Plan of the talk: {session.name}"}
    context |= _shown(session, sitting, viewer)
    context |= {"session": session, "sitting": sitting, "form": form, "problem": problem}
    return render(request, "reviews/talk.html", context, status=status)


def _session(request: HttpRequest, pk: UUID) -> tuple[User, Any]:
    """The viewer and a session that they may know of; changes are for whoever plans."""
    viewer = viewer_of(request)
    if request.method == "POST":
        allow(request, PLAN)
    elif not (viewer.has_perm(PLAN) or viewer.has_perm("reviews.view_interviewsession")):
        raise PermissionDenied
    known = InterviewSession.objects.known_to(viewer).filter(pk=pk)
    row = sessions_with_people(viewer).filter(pk__in=known.values("pk")).first()
    if row is None:
        raise Http404
    row.name = shown_candidate(row, viewer, named_candidates(viewer, [row]))
    if row.name == row.candidate.name:
        note_names(viewer, {row.candidate_id}, "interviews", now=timezone.now())
    return viewer, row


def _form(sitting: Sitting | None, data: Any) -> WhenForm:
    initial: dict[str, Any] = {}
    if sitting:
        zone = ZoneInfo(sitting.time_zone)
        at = sitting.begins_at.astimezone(zone).replace(tzinfo=None) if sitting.begins_at else None
        initial = {"begins_at": at, "time_zone": sitting.time_zone, "minutes": sitting.minutes}
    return WhenForm(data, initial=initial)


def _change(request: HttpRequest, sitting: Sitting, viewer: User, form: WhenForm) -> str:
    """Do what was pressed and say it; "" where the form has errors of its own."""
    now = timezone.now()
    if "off" in request.POST:
        talks.call_off(sitting, by=viewer, now=now)
        return "The interview is called off. Everybody who knew its time is told."
    if "move" in request.POST:
        if not form.is_valid():
            return ""
        talks.set_time(sitting, form.when(), by=viewer, now=now)
        return "The time is set. The candidate and everybody who holds the talk is told."
    keys = set(request.POST.getlist("take"))
    taken = [one for one in talks.proposed(sitting, viewer) if one.proposal.key in keys]
    talks.arrange(sitting, _rows(request.POST), taken)
    return "The plan is saved."


def _rows(data: Any) -> list[talks.Row]:
    """Questions to keep, in their places."""
    found = []
    for at, text in enumerate(data.getlist("keep")):
        if text.isascii() and text.isdecimal() and len(text) < 18:
            place, minutes = data.get(f"place-{text}", ""), data.get(f"minutes-{text}", "")
            row = talks.Row(int(text), _whole(minutes, talks.ABOUT_MINUTES))
            found.append((_whole(place, at + 1), at, row))
    return [row for _, _, row in sorted(found, key=lambda each: each[:2])]


def _whole(text: str, otherwise: int) -> int:
    is_number = text.isascii() and text.isdecimal() and 0 < len(text) < 4
    return int(text) if is_number else otherwise


def _shown(session: Any, sitting: Sitting | None, viewer: User) -> dict[str, Any]:
    if sitting is None:
        rows: list[Any] = items_of(session.question_set)
        return {"rows": rows, "total": sum(row.minutes for row in rows), "holding": [session]}
    planned = talks.planned_of(sitting)
    about = {row.attempt_id: row.attempt for row in planned if row.text}
    reads = {pk: talks.may_read_about(viewer, attempt) for pk, attempt in about.items()}
    for row in planned:
        row.is_hidden = bool(row.text) and not reads[row.attempt_id]  # type: ignore[attr-defined]
    begun = talks.is_begun(sitting)
    may_plan = viewer.has_perm(PLAN)
    return {
        "rows": planned,
        "total": sum(row.minutes for row in planned),
        "holding": list(talks.holding(sitting)),
        "may_change": may_plan and not begun and sitting.called_off_at is None,
        "begun": begun,
        "proposed": talks.proposed(sitting, viewer) if may_plan and not begun else [],
    }
