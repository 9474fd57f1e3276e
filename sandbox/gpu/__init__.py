"""NVIDIA cards of this host: found, lent out to one holder at a time, watched."""

from __future__ import annotations

from sandbox.gpu.devices import cdi_request, docker_request, environment
from sandbox.gpu.driver import read, survey
from sandbox.gpu.health import Fault
from sandbox.gpu.pool import Grant, NotNow, Pool, Standing
from sandbox.gpu.reading import Gpu, Reading, Survey, Unit
from sandbox.gpu.telemetry import Summary
from sandbox.gpu.watch import Verdict, Watch

__all__ = [
    "Fault",
    "Gpu",
    "Grant",
    "NotNow",
    "Pool",
    "Reading",
    "Standing",
    "Summary",
    "Survey",
    "Unit",
    "Verdict",
    "Watch",
    "cdi_request",
    "docker_request",
    "environment",
    "read",
    "survey",
]
