"""The settings of a site that is tested: those of the product, with variants that are the same at every run."""

from __future__ import annotations

from headnode.settings import *  # noqa: F403
from headnode.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "headnode.tests.browser.apps.SameVariants"]
