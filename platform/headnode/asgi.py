"""ASGI entry point."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
application = get_asgi_application()

from assessments.outages import keep_pulse  # noqa: E402  (needs the apps to be loaded)
from assessments.pulses import WEB  # noqa: E402

keep_pulse(WEB)
