"""The settings of a worker that is tested: those of the product, and work as long as a test wants it."""

from __future__ import annotations

from headnode.settings import *  # noqa: F403
from headnode.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "headnode.tests.worker.apps.Rehearsed"]
