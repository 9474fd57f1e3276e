from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created


class HeadnodeConfig(AppConfig):
    name = "headnode"
    verbose_name = "Headnode"

    def ready(self) -> None:
        from headnode import traces
        from headnode.metrics.counted import listen

        listen()
        if settings.TRACES_URL:
            traces.start(settings.TRACES_URL)
        connection_created.connect(without_compiling)


def without_compiling(sender: Any, connection: Any, **kwargs: Any) -> None:
    """PostgreSQL compiles queries that it expects to be long, for longer than any of ours runs.

    A statement and not a start option, which connection poolers refuse.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET jit = off")
