"""What Lever's webhook sends when somebody reaches another stage."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from integrations.inbound.access import Refusal, body_of, connection_of, text_in
from integrations.models import ConnectionKind
from integrations.sealed import Unreadable, unseal
from integrations.tracking import arrivals, lever

NOT_SIGNED = "The signature is not Lever's, or the request is old."


@csrf_exempt
@require_POST
def stage_change(request: HttpRequest, key: str) -> JsonResponse:
    """Keep it for a worker; other stages and other events are answered and left."""
    now = timezone.now()
    try:
        connection = connection_of(request, ConnectionKind.LEVER, key)
        data = body_of(request)
        if not lever.is_signed(data, unseal(connection.signature_key), now):
            raise Refusal(403, NOT_SIGNED)
        about = data.get("data")
        reached = isinstance(about, dict) and about.get("toStageId") == connection.stage
        if data.get("event") != lever.STAGE_CHANGE or not reached:
            return JsonResponse({"taken": False})
        token = text_in(data, "token", most=100)
        opportunity = text_in(about, "opportunityId")
    except Refusal as refusal:
        return refusal.answer()
    except Unreadable as error:
        return Refusal(503, str(error)).answer()
    taken = arrivals.keep(connection, token=token, external_id=opportunity, now=now)
    return JsonResponse({"taken": taken})
