"""Ask the site once a second as a browser would, and let the answer be its pulse.

A thread of the web server knocks at the server's own address: through the kernel's queue, a thread of
the pool and one write to the database. Only whoever answers writes the pulse, so a server that is dead,
frozen, short of threads or cut off from its database leaves none, whatever else goes on in it.
"""

from __future__ import annotations

import hmac
import http.client
import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from assessments.outages import answered
from assessments.pulses import KNOCK_S

logger = logging.getLogger(__name__)
PATH = "/pulse"
ANSWERS_WITHIN_S = 10.0
Knock = Callable[[], http.client.HTTPConnection]


def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Answers a knock before anything looks at names and cookies."""

    def answer(request: HttpRequest) -> Any:
        if request.path == PATH and hmac.compare_digest(request.headers.get("X-Knock", ""), _key()):
            answered(now=timezone.now())
            return HttpResponse(status=204)
        return get_response(request)

    return answer


def watch() -> None:
    """Knock for as long as this process lives; at FRONT_DOOR_URL or at the address that `listens_at` named."""
    threading.Thread(target=_knock_on, name="front-door", daemon=True).start()


def listens_at(listener: socket.socket) -> None:
    """Where this web server can be reached. Without it only its process is watched."""
    global _knock
    _knock = _at(listener.family, listener.getsockname())


_knock: Knock | None = None


def _knock_on() -> None:
    while True:
        began = time.monotonic()
        try:
            knock()
        except (OSError, http.client.HTTPException, Error) as error:
            logger.warning("The site did not answer a knock: %s", error)
        time.sleep(max(0.0, KNOCK_S - (time.monotonic() - began)))


def knock() -> None:
    """Ask once, and wait for the answer; raises where none comes.

    Where somebody answers who does not know what a knock is, the pulse is left from here: a wrong
    address must not make the site look dead.
    """
    door = _at_url(settings.FRONT_DOOR_URL) if settings.FRONT_DOOR_URL else _knock
    if door is not None:
        asked = door()
        try:
            asked.request("GET", PATH, headers={"X-Knock": _key(), "Connection": "close"})
            status = asked.getresponse().status
        finally:
            asked.close()
        if status == 204 or status >= 500:
            return
        logger.warning("The front door answered %s, not as this site does.", status)
    try:
        answered(now=timezone.now())
    finally:
        connection.close()


def _at(family: int, address: Any) -> Knock:
    def door() -> http.client.HTTPConnection:
        asked = http.client.HTTPConnection("localhost")
        asked.sock = socket.socket(family)
        asked.sock.settimeout(ANSWERS_WITHIN_S)
        asked.sock.connect(address)
        return asked

    return door


def _at_url(url: str) -> Knock:
    parts = urlsplit(url)
    is_secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
    return lambda: kind(parts.hostname or "", parts.port, timeout=ANSWERS_WITHIN_S)


def _key() -> str:
    """What only this site's processes know, so that no stranger makes the site write."""
    return salted_hmac("headnode.front_door", "knock").hexdigest()
