"""How gunicorn serves the site: gunicorn -c python:headnode.web_server --bind ADDRESS"""

from __future__ import annotations

import os
from typing import Any

from headnode.environment import integer

wsgi_app = "headnode.wsgi"
worker_class = "gthread"
# Python runs one thread of a process at a time: with one process a hundred candidates wait a second for
# a save. SQLite's writers take turns within a process, so there it stays at one.
_on_postgresql = os.environ.get("DATABASE_URL", "").startswith("postgres")
workers = integer("WEB_PROCESSES", 2 if _on_postgresql else 1)
# As settings.WEB_THREADS: what is expensive leaves some of them free.
threads = integer("WEB_THREADS", 8)


def post_worker_init(worker: Any) -> None:
    """Tell what watches the front door where it is."""
    from headnode.front_door import front_door

    if not worker.cfg.is_ssl:  # a knock speaks plain HTTP; FRONT_DOOR_URL may name an https address
        front_door.listens_at(worker.sockets[0].sock)
