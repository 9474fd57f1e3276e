"""The candidate's page of voluntary answers about themselves: after handing in, apart from all else."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from assessments.link import invitation_for
from reviews.fairness import self_descriptions


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def about_you(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the questions; a POST keeps the answers, or takes them back where "remove" is pressed."""
    invitation = invitation_for(request, pk)
    if not self_descriptions.questions():
        raise Http404
    if not self_descriptions.may_be_given(invitation):
        return HttpResponseRedirect(reverse("lobby", args=[invitation.pk]))
    if request.method == "POST":
        if "remove" in request.POST:
            self_descriptions.remove(invitation)
        else:
            self_descriptions.keep(invitation, request.POST.dict(), now=timezone.now())
        return HttpResponseRedirect(request.path)
    answers = self_descriptions.given(invitation)
    context = {
        "opening": invitation.opening,
        "lobby_url": reverse("lobby", args=[invitation.pk]),
        "kept": bool(answers),
        "questions": [
            (question, answers.get(question.key, "")) for question in self_descriptions.questions()
        ],
    }
    return render(request, "reviews/about_you.html", context)
