"""How gunicorn serves the site: gunicorn -c python:headnode.web_server --bind ADDRESS"""

from __future__ import annotations

import gc
import os
from typing import Any

from headnode.environment import choice, integer
from headnode.logs import configuration

wsgi_app = "headnode.wsgi"
worker_class = "gthread"
# Python runs one thread of a process at a time: with one process a hundred candidates wait a second for
# a save. SQLite's writers take turns within a process, so there it stays at one.
_on_postgresql = os.environ.get("DATABASE_URL", "").startswith("postgres")
workers = integer("WEB_PROCESSES", 2 if _on_postgresql else 1)
# As settings.WEB_THREADS: what is expensive leaves some of them free.
threads = integer("WEB_THREADS", 8)
if choice("LOG_FORMAT", ("plain", "json")) == "json":
    logconfig_dict = configuration("json", os.environ.get("LOG_LEVEL", "INFO").upper())
    # gunicorn keeps its own lines from the root's handler.
    logconfig_dict["loggers"]["gunicorn.error"] = {"handlers": ["console"], "level": "INFO"}


def on_starting(server: Any) -> None:
    """Take away what processes of earlier days counted."""
    from django.conf import settings

    from headnode.metrics.folder import prune

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
    prune(settings.METRICS)


def settle() -> None:
    """Load every page, and take what is loaded out of what Python searches for garbage.

    It stays as long as the process does. Searching it took a tenth of a second and more, in the midst of
    whichever request made the rows that set it off.
    """
    from django.urls import get_resolver

    get_resolver().url_patterns  # noqa: B018  (imports them)
    gc.collect()
    gc.freeze()


def post_worker_init(worker: Any) -> None:
    """Tell what watches the front door where it is."""
    from headnode.front_door import front_door

    settle()
    if not worker.cfg.is_ssl:  # a knock speaks plain HTTP; FRONT_DOOR_URL may name an https address
        front_door.listens_at(worker.sockets[0].sock)
