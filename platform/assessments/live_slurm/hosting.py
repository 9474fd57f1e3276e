"""Whether a host can hold live clusters: their root is built there, and daemons find each other in it."""

from __future__ import annotations

import logging
import threading

from django.conf import settings

from assessments.outages import keep_pulse
from assessments.pulses import CLUSTER
from graders.live_slurm.grading import ROOT
from sandbox import Backend, SandboxUnavailable, rootfs
from sandbox.doctor import trouble_of

logger = logging.getLogger(__name__)
RETRY_S = 300.0


def offer(backend: Backend, places: int, stop: threading.Event) -> None:
    """Make this host ready from a thread, and say for as long as the process lives that it is."""
    ready = threading.Event()
    keep_pulse(CLUSTER, lambda: ready.is_set() and not stop.is_set(), places)

    def prepare() -> None:
        while not stop.is_set():
            if not (trouble := trouble_here(backend)):
                ready.set()
                return
            logger.warning("No live clusters: %s Trying again in %.0f s.", trouble, RETRY_S)
            stop.wait(RETRY_S)

    threading.Thread(target=prepare, name="clusters", daemon=True).start()


def build_root() -> None:
    """Have the root there for whoever grades on this host; in a thread, since that takes some seconds."""

    def build() -> None:
        try:
            rootfs.build(settings.SANDBOX_STATE, ROOT)
        except SandboxUnavailable as error:
            logger.warning("No live cluster can be graded here: %s", error)

    threading.Thread(target=build, name="clusters", daemon=True).start()


def trouble_here(backend: Backend) -> str:
    """Why no cluster could run behind this backend, "" where one could; builds the root if it is missing."""
    try:
        rootfs.build(settings.SANDBOX_STATE, ROOT)
    except SandboxUnavailable as error:
        return str(error)
    return trouble_of(backend, ROOT)
