"""Export and erase a candidate's data, and the page that says whose data goes when."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import note_action
from accounts.confirmed import ReasonForm, Refused, Verb, confirm
from accounts.models import User
from accounts.staff_admin import allow
from assessments.models import DataRequest
from assessments.places import in_place
from hiring.models import Candidate, Erasure
from reviews.privacy import own_data, retention
from reviews.privacy.candidate_export import export, file_name
from reviews.privacy.erasure import StillWorking, compact, erase, words_of

ERASE_CANDIDATE = "hiring.erase_candidate"
SHOWN = 100
DETAILED = 25  # candidates whose rows are counted for one page


class EraseForm(ReasonForm):
    """How, and which candidate: their pseudonym is typed, for nothing brings the data back."""

    mode = forms.ChoiceField(
        label="What happens",
        choices=Erasure.Mode.choices,
        widget=forms.RadioSelect,
        initial=Erasure.Mode.ERASE,
    )
    pseudonym = forms.CharField(help_text="Type the candidate's pseudonym: this cannot be undone.")
    field_order = ["mode", "pseudonym", "reason"]


def _export(candidate: Candidate, data: dict[str, Any], by: User, now: datetime) -> str:
    own_data.met(candidate, DataRequest.Wish.COPY, now=now)
    return f"Exported the candidate's data. Reason: {data['reason']}"


def _erase(candidate: Candidate, data: dict[str, Any], by: User, now: datetime) -> str:
    if data["pseudonym"].strip().upper() != candidate.pseudonym:
        raise Refused("That is not this candidate's pseudonym: it stands beside their name.")
    reason = data["reason"]
    for word in words_of(candidate):
        reason = reason.replace(word, "…")
    try:
        stone = erase(candidate, mode=data["mode"], by=by, now=now)
    except StillWorking as error:
        raise Refused(str(error)) from error
    compact()
    how = stone.get_mode_display().lower()
    if stone.mode != data["mode"]:
        how += " (their work names them, so it could not be kept)"
    return f"Candidate {stone.candidate_number}: {how}. Reason: {reason}"


EXPORT = Verb(
    title="Export the candidate's data",
    explanation=(
        "One ZIP file for the candidate: what they gave, what they were shown, scores, remarks and "
        "decisions, without the names of those who scored and without the exercise's key."
    ),
    button="Export",
    permission=ERASE_CANDIDATE,
    perform=_export,
)
ERASE = Verb(
    title="Erase the candidate's data",
    explanation=(
        "Answers, drafts, runs, logs, scorecards and decisions go, and the audit trail keeps only who "
        "did something when. Or the work and its scores stay and only the person is forgotten; where "
        "the work itself names them, everything is erased. Nothing brings it back."
    ),
    button="Erase",
    permission=ERASE_CANDIDATE,
    perform=_erase,
    form=EraseForm,
    grave=True,
)


@in_place("file")
def export_candidate(request: HttpRequest, pk: int) -> HttpResponse:
    candidate = get_object_or_404(_erasable(request), pk=pk)

    def download() -> HttpResponse:
        answer = HttpResponse(export(candidate), content_type="application/zip")
        name = file_name(candidate, timezone.now())
        answer["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer

    return confirm(request, candidate, EXPORT, back=_page(candidate), done=download)


def erase_candidate(request: HttpRequest, pk: int) -> HttpResponse:
    candidate = get_object_or_404(_erasable(request), pk=pk)
    back = reverse("admin:retention") if request.method == "POST" else _page(candidate)
    return confirm(request, candidate, ERASE, back=back)


def _erasable(request: HttpRequest) -> Any:
    allow(request, ERASE_CANDIDATE)
    return Candidate.objects.all()


def _page(candidate: Candidate) -> str:
    return reverse("admin:hiring_candidate_change", args=[candidate.pk])


@require_http_methods(["GET", "HEAD", "POST"])
def schedule(request: HttpRequest) -> HttpResponse:
    """The rule, who is due and exactly what would go, and the tombstones; a POST carries it out."""
    by, now = allow(request, ERASE_CANDIDATE), timezone.now()
    if request.method == "POST":
        stones = retention.carry_out(now, by)
        for stone in stones:
            note_action(by, stone, f"Carried out the schedule: {stone}.")
        messages.success(request, f"The data of {len(stones)} candidates went.")
        return HttpResponseRedirect(request.path)
    context = {
        **admin.site.each_context(request),
        "title": "Retention",
        "months": settings.RETENTION_MONTHS,
        "mode": Erasure.Mode(settings.RETENTION_MODE).label,
        "asked": DataRequest.objects.filter(met_at=None).select_related("invitation__candidate"),
        "due": retention.due(now, DETAILED),
        "due_count": len(retention.overdue(now)),
        "stones": Erasure.objects.select_related("by")[:SHOWN],
    }
    return render(request, "reviews/retention.html", context)
