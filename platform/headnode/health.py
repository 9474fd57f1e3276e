"""One address that says whether the site, its database and a worker are alive."""

from __future__ import annotations

from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from assessments.models import Pulse
from assessments.pulses import AWAY, WORKER
from headnode.database_away import RETRY_AFTER_S


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when everything answers, 503 otherwise; says which part does not."""
    try:
        pulse = Pulse.objects.filter(component=WORKER).first()
    except Error:
        answer = {"database": "not reachable", "worker": "unknown"}
        return JsonResponse(answer, status=503, headers={"Retry-After": str(RETRY_AFTER_S)})
    alive = pulse is not None and timezone.now() - pulse.at <= AWAY
    parts = {"database": "ok", "worker": "ok" if alive else "not seen lately"}
    return JsonResponse(parts, status=200 if alive else 503)
