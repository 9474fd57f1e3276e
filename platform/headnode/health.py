"""What whoever watches the site asks: is it alive, is this server ready. Answered before names are looked at.

Probes of a cluster and of a balancer come to a server's own address, over plain HTTP and under no name that the
site knows; what they are told says nothing of anybody.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from assessments.models import Pulse
from assessments.pulses import AWAY, WORKER
from headnode.database_away import RETRY_AFTER_S

FRESH = {"Cache-Control": "no-store"}
_migrated = threading.Event()
"""Set once this process has found its tables: then a glance at the database is enough."""


def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Answers the two addresses whatever name they were asked by, and without a redirect to https."""
    answers = {"/healthz": healthz, "/readyz": readyz}

    def answer(request: HttpRequest) -> Any:
        return answers.get(request.path, get_response)(request)

    return answer


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when everything answers, 503 otherwise; says which part does not."""
    try:
        pulse = Pulse.objects.filter(component=WORKER).first()
    except Error:
        return _no({"database": "not reachable", "worker": "unknown"})
    alive = pulse is not None and timezone.now() - pulse.at <= AWAY
    parts = {"database": "ok", "worker": "ok" if alive else "not seen lately"}
    return JsonResponse(parts, status=200 if alive else 503, headers=FRESH)


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when this server can be sent requests: its database answers and has the tables it expects.

    Nothing is said of workers: a site whose workers are away keeps what candidates write.
    """
    try:
        if _migrated.is_set():
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        elif missing := unapplied():
            return _no({"database": f"{len(missing)} migrations are missing; run: headnode setup"})
    except Error:
        return _no({"database": "not reachable"})
    _migrated.set()
    return JsonResponse({"database": "ok"}, headers=FRESH)


def unapplied() -> list[str]:
    """Names of the migrations that this version has and the database has not. Raises what it raises."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def _no(parts: dict[str, str]) -> JsonResponse:
    headers = {"Retry-After": str(RETRY_AFTER_S)} | FRESH
    return JsonResponse(parts, status=503, headers=headers)
