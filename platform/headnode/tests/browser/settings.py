"""The settings of a site that is tested: those of the product, but for variants that are the same at every run
and passwords that are quickly checked.
"""

from __future__ import annotations

from headnode.settings import *  # noqa: F403
from headnode.settings import INSTALLED_APPS

# Some forty people sign in, which takes a second of work each otherwise.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
INSTALLED_APPS = [*INSTALLED_APPS, "headnode.tests.browser.apps.SameVariants"]
