"""How lines of the logs look: plain for a person, or JSON that names request, attempt, run and job."""

from __future__ import annotations

import logging
import logging.config
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.http import HttpRequest

from accounts.log_marks import marked, marks

PLAIN = {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}
JSON = {
    "()": "pythonjsonlogger.json.JsonFormatter",
    "fmt": "%(asctime)s %(levelname)s %(name)s %(process)d %(message)s",
    "datefmt": "%Y-%m-%dT%H:%M:%S%z",
    "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
}
GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""An id that a proxy gave; anything else is a stranger's text and stays out of the logs."""


def configuration(form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING; `form` is "plain" or "json"."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"marks": {"()": "headnode.logs.Marks"}},
        "formatters": {"plain": PLAIN, "json": JSON},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["marks"] if form == "json" else [],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {"django.request": {"level": "ERROR"}},
    }


class Marks(logging.Filter):
    """Gives each line the ids of what its thread works on; a line that has its own keeps it."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in marks().items():
            if not hasattr(record, name):
                setattr(record, name, value)
        return True


class Requests:
    """Gives each request an id, the proxy's where it gave one, and says it in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        given = request.headers.get("X-Request-ID", "")
        number = given if GIVEN.fullmatch(given) else uuid4().hex
        with marked(request=number, **_subject(request.path)):
            response = self._get_response(request)
        response["X-Request-ID"] = number
        return response


_PATH = re.compile(
    r"/(?:api/|admin/)?attempts/(?P<attempt>[0-9a-f-]{36})(?:/runs/(?P<run>[0-9a-f-]{36}))?"
)


def _subject(path: str) -> dict[str, str]:
    """The attempt and the run that an address is about."""
    found = _PATH.match(path)
    return {name: value for name, value in found.groupdict().items() if value} if found else {}


def in_workers(loglevel: int | None, configuration: dict[str, Any]) -> None:
    """Celery's processes log as all others do, from the level that they were started with."""
    logging.config.dictConfig(configuration)
    if loglevel is not None:
        logging.getLogger().setLevel(loglevel)
