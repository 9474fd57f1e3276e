"""The key to an attempt's variant: what is true of its materials, and where it shows."""

from __future__ import annotations

import logging
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from assessments.materials.rebuilding import AGAIN_S, BeingBuilt
from assessments.materials.variants import NotBuilt
from assessments.workplace.access import BeingPrepared, NotThere
from reviews.access import attempt_for, page_context
from reviews.answers import submission_of
from reviews.evidence.kinds import StaffWithKey, staff_of

logger = logging.getLogger(__name__)


@require_safe
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    """For whoever may read the answer, once it is in: before, nobody has anything to hold it against."""
    _, attempt = attempt_for(request, pk, "assessments.view_submission")
    staff = staff_of(attempt.exercise)
    if not isinstance(staff, StaffWithKey) or submission_of(attempt, 1) is None:
        raise Http404
    context = page_context(request, attempt, "Key")
    template = staff.key_page
    try:
        context["sheet"] = staff.sheet(attempt)
    except (BeingBuilt, BeingPrepared):
        response = render(request, template, context | {"being_built": True}, status=503)
        response["Retry-After"] = AGAIN_S
        return response
    except (NotBuilt, NotThere) as error:
        logger.error("%s", error)
        return render(request, template, context, status=503)
    return render(request, template, context)
