"""How gunicorn serves the site: gunicorn -c python:headnode.web_server --bind ADDRESS"""

from __future__ import annotations

from typing import Any

wsgi_app = "headnode.wsgi"
worker_class = "gthread"
threads = 8


def post_worker_init(worker: Any) -> None:
    """Tell what watches the front door where it is."""
    from headnode.front_door import front_door

    if not worker.cfg.is_ssl:  # a knock speaks plain HTTP; FRONT_DOOR_URL may name an https address
        front_door.listens_at(worker.sockets[0].sock)
