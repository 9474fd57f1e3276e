"""How gunicorn serves the site: gunicorn -c python:headnode.web_server --bind ADDRESS"""

from __future__ import annotations

from typing import Any

from headnode.environment import integer

wsgi_app = "headnode.wsgi"
worker_class = "gthread"
workers = integer(
    "WEB_PROCESSES", 1
)  # several only on PostgreSQL: SQLite's writers take turns within one
threads = integer(
    "WEB_THREADS", 8
)  # settings.WEB_THREADS: what is expensive leaves some of them free


def post_worker_init(worker: Any) -> None:
    """Tell what watches the front door where it is."""
    from headnode.front_door import front_door

    if not worker.cfg.is_ssl:  # a knock speaks plain HTTP; FRONT_DOOR_URL may name an https address
        front_door.listens_at(worker.sockets[0].sock)
