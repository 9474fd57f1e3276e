"""Host candidates' terminals on this machine until told to stop."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from assessments.happened import sandbox_refused
from assessments.live_slurm import hosting
from assessments.models import TerminalSession
from assessments.outages import keep_pulse
from assessments.pulses import TERMINAL
from assessments.terminal.host import Host
from sandbox import Backend, SandboxUnavailable, open_backend, rootfs

logger = logging.getLogger(__name__)
RETRY_S = 60.0
ROOT = "login"


class Command(BaseCommand):
    help = "Host candidates' terminals; one process a machine, besides its worker."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--places", type=int, default=settings.TERMINALS)

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        ready = threading.Event()
        keep_pulse(TERMINAL, ready.is_set, options["places"])
        backend = opened(stop)
        if backend is None:
            return
        try:
            host = Host(backend, options["places"])
            ready.set()
            hosting.offer(backend, options["places"], stop)
            host.serve(stop)
        finally:
            ready.clear()
            backend.close()


def opened(stop: threading.Event) -> Backend | None:
    """The sandbox with its login root, built where it is missing; None when told to stop meanwhile."""
    while not stop.is_set():
        try:
            rootfs.build(settings.SANDBOX_STATE, ROOT)
            return open_backend(
                settings.SANDBOX_BACKEND,
                allow_reduced=settings.SANDBOX_ALLOW_REDUCED,
                state_dir=settings.SANDBOX_STATE,
                docker_url=settings.SANDBOX_DOCKER_URL,
                runtime=settings.SANDBOX_RUNTIME,
            )
        except SandboxUnavailable as error:
            sandbox_refused.send(TerminalSession, layer=error.layer)
            logger.error("No terminals: %s Trying again in %.0f s.", error, RETRY_S)
            stop.wait(RETRY_S)
    return None
