"""The address that Prometheus asks, and who may ask it.

With METRICS_TOKEN whoever brings it as a bearer token; without, only this machine itself, and nobody where a
proxy stands in front, for then everybody seems to come from there.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from headnode.metrics import cards, stored
from headnode.metrics.folder import counted_files

logger = logging.getLogger(__name__)
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "X-Real-Ip")


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Every figure in Prometheus's text format; 404 for whoever may not ask."""
    if not may_ask(request):
        raise Http404
    answer = HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)
    answer["Cache-Control"] = "no-store"
    return answer


def may_ask(request: HttpRequest) -> bool:
    """Whether the figures are for whoever asks."""
    if settings.METRICS_TOKEN:
        brought = request.headers.get("Authorization", "").encode()
        return hmac.compare_digest(brought, f"Bearer {settings.METRICS_TOKEN}".encode())
    if settings.BEHIND_PROXY or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a Unix socket has no address
        return False


class Processes(MultiProcessCollector):
    """What all processes of this data folder have counted."""

    def __init__(self, folder: Path) -> None:
        super().__init__(None, str(folder))  # type: ignore[no-untyped-call]
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        merged: Iterable[Metric] = self.merge(  # type: ignore[no-untyped-call]
            counted_files(self._folder), accumulate=True
        )
        return merged


class Read:
    """Figures that are read when they are asked for; a part that cannot be read says so in a figure."""

    def __init__(self, part: str, read: Callable[[], Iterator[Metric]]) -> None:
        self._part, self._read = part, read

    def collect(self) -> Iterable[Metric]:
        try:
            found, up = list(self._read()), 1.0
        except (Error, OSError) as error:
            logger.warning("No figures of the %s: %s", self._part, error)
            found, up = [], 0.0
        about = f"1 where the {self._part} could be read."
        return [*found, stored.gauge(f"headnode_{self._part}_up", about, {(): up})]


def exposition(*, database: bool = True) -> bytes:
    """The text. Without `database`: only what this host's processes and cards tell."""
    registry: Any = CollectorRegistry()
    registry.register(Processes(settings.METRICS))
    if database:
        registry.register(Read("database", lambda: stored.figures(timezone.now())))
    registry.register(Read("cards", lambda: cards.figures(settings.SANDBOX_STATE)))
    return bytes(generate_latest(registry))
