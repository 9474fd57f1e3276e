"""One address that says whether the site, its database and a worker are alive."""

from __future__ import annotations

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from assessments.models import Pulse
from assessments.pulses import AWAY, WORKER


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when everything answers, 503 otherwise; says which part does not."""
    try:
        pulse = Pulse.objects.filter(component=WORKER).first()
    except DatabaseError:
        return JsonResponse({"database": "not reachable", "worker": "unknown"}, status=503)
    alive = pulse is not None and timezone.now() - pulse.at <= AWAY
    parts = {"database": "ok", "worker": "ok" if alive else "not seen lately"}
    return JsonResponse(parts, status=200 if alive else 503)
