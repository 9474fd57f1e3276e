"""WSGI entry point."""

from __future__ import annotations

import logging
import os

from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
application = get_wsgi_application()

from assessments.outages import WEB, keep_pulse  # noqa: E402  (needs the apps to be loaded)

try:
    keep_pulse(WEB)
except DatabaseError as error:
    logging.getLogger(__name__).warning("The site started without its database: %s", error)
