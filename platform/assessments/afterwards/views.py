"""The candidate's own answer, the query about the feedback, and how it was for them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.not_possible import NotPossible
from accounts.prose import is_text
from assessments import company, pages
from assessments.afterwards import shown
from assessments.enquiries import asking
from assessments.kinds import workplace_of
from assessments.link import attempt_for, links_of
from assessments.models import Attempt, Impression
from assessments.one_question import BadQuestion, checked
from assessments.places import in_place
from hiring.trials import is_trial
from library.packs import pack_of

NO_CHOICE = "Choose one of the five first; the words are voluntary."


@require_safe
@never_cache
def answer(request: HttpRequest, pk: UUID) -> HttpResponse:
    """All that was handed in, to read."""
    attempt = attempt_for(links_of(request), pk)
    rows = shown.handed_in(attempt)
    if not rows:
        raise Http404
    context = {
        "attempt": attempt,
        "opening": attempt.invitation.opening,
        "title": pack_of(attempt.pack_version.name).title,
        "rounds": [shown.answer_parts(row) for row in rows],
        "workplace": workplace_of(attempt.exercise).name,
        "currency": company.of_attempt(attempt).currency,
        "script_parts": pages.script_parts(attempt),
    }
    return render(request, "assessments/answer.html", context)


@require_safe
@never_cache
@in_place("file")
def download(request: HttpRequest, pk: UUID) -> HttpResponse:
    attempt = attempt_for(links_of(request), pk)
    if not shown.handed_in(attempt):
        raise Http404
    response = HttpResponse(shown.zipped(attempt), content_type="application/zip")
    response["Content-Disposition"] = 'attachment; filename="answer.zip"'
    return response


@require_POST
def say(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The query about the feedback, or how it was; back to the receipt, or the page again with a sentence."""
    attempt, now = attempt_for(links_of(request), pk), timezone.now()
    if not shown.handed_in(attempt):
        raise Http404
    try:
        _kept(request, attempt, now)
    except (BadQuestion, NotPossible) as error:
        context = {
            "attempt": attempt,
            "opening": attempt.invitation.opening,
            "problem": str(error),
            "typed": request.POST.get("text", "")[: 2 * shown.LONGEST],
        }
        return render(request, "assessments/not_taken.html", context, status=409)
    return redirect(f"{reverse('receipt', args=[attempt.pk])}#afterwards")


def _kept(request: HttpRequest, attempt: Attempt, now: datetime) -> None:
    text = request.POST.get("text", "").replace("\r\n", "\n").strip()
    if "id" in request.POST:
        try:
            key = UUID(request.POST["id"])
        except ValueError:
            raise Http404 from None
        asking.ask_about_feedback(attempt, id=key, text=checked(text, asking.LONGEST), now=now)
        return
    how = request.POST.get("how", "")
    if how not in {str(value) for value in Impression.How.values}:
        raise NotPossible(NO_CHOICE)
    if not is_text(text) or len(text) > shown.LONGEST:
        raise NotPossible(
            gettext("Write at most {most} characters.").format(most=f"{shown.LONGEST:,}")
        )
    if not is_trial(attempt.invitation):
        given = {"how": int(how), "text": text, "given_at": now}
        Impression.objects.update_or_create(attempt=attempt, defaults=given)
