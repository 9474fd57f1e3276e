"""The candidate's page about their own data, by their link."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from assessments.link import invitation_for
from assessments.models import DataRequest
from assessments.places import in_place
from hiring import keeping
from reviews.privacy import own_data
from reviews.privacy.candidate_export import export_own


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def your_data(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What can be had at once, and what was asked for; a POST asks."""
    invitation = invitation_for(request, pk)
    if request.method == "POST":
        if request.POST.get("wish") in DataRequest.Wish.values:
            own_data.ask(invitation, request.POST["wish"], now=timezone.now())
        return HttpResponseRedirect(request.path)
    rows = list(invitation.data_requests.all())
    context = {
        "invitation": invitation,
        "opening": invitation.opening,
        "kept": keeping.in_sentences(invitation.opening),
        "requests": rows,
        "open": {row.wish for row in rows if row.met_at is None},
    }
    return render(request, "reviews/your_data.html", context)


@require_safe
@never_cache
@in_place("file")
def copy(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What they gave and were told, as one ZIP file."""
    invitation = invitation_for(request, pk)
    response = HttpResponse(export_own(invitation.candidate), content_type="application/zip")
    response["Content-Disposition"] = 'attachment; filename="my-data.zip"'
    return response
