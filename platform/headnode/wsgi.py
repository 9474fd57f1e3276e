"""WSGI entry point."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from headnode.encoding import utf8_only

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
application = utf8_only(get_wsgi_application())

from headnode.front_door import front_door  # noqa: E402  (needs the apps to be loaded)

front_door.watch()
