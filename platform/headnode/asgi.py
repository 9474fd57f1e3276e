"""ASGI entry point."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
application = get_asgi_application()

from headnode.front_door import front_door  # noqa: E402  (needs the apps to be loaded)

front_door.watch()
