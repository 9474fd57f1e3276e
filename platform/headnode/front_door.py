"""Ask the site twice a second as a browser would, and let the answer be its pulse.

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

from assessments.outages import Saying, answered
from assessments.pulses import KNOCK_S, WEB

logger = logging.getLogger(__name__)
PATH = "/pulse"
ANSWERS_WITHIN_S = 10.0
FIRST_S = 0.2
"""A server that dies at once gets no pulse; until the first one people are given back time."""
Connect = Callable[[], http.client.HTTPConnection]


def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Answers a knock before anything looks at names and cookies."""

    def answer(request: HttpRequest) -> Any:
        if request.path == PATH and hmac.compare_digest(request.headers.get("X-Knock", ""), _key()):
            answered(now=timezone.now())
            return HttpResponse(status=204)
        return get_response(request)

    return answer


class FrontDoor:
    """Knocks at FRONT_DOOR_URL, else at the address that `listens_at` named.

    Where there is neither, as under Django's own server, only this process is watched.
    """

    def __init__(self) -> None:
        url = settings.FRONT_DOOR_URL
        self._connect: Connect | None = _to_url(url) if url else None
        self._status = 204
        self._saying = Saying(WEB, settings.WEB_THREADS)

    def listens_at(self, listener: socket.socket) -> None:
        """Where this process's web server can be reached."""
        self._connect = self._connect or _to(listener.family, listener.getsockname())

    def watch(self) -> None:
        """Knock for as long as this process lives."""
        threading.Thread(target=self._knock_on, name="front-door", daemon=True).start()

    def _knock_on(self) -> None:
        time.sleep(FIRST_S)
        while True:
            try:
                self.knock()
                self._say_which_host()
            except (OSError, http.client.HTTPException, Error) as error:
                logger.warning("The site did not answer a knock: %s", error)
            time.sleep(KNOCK_S)

    def knock(self) -> None:
        """Ask once, and wait for the answer; raises where none comes.

        Where somebody answers who does not know what a knock is, the pulse is left from here: a
        wrong address must not make the site look dead.
        """
        status = _asked(self._connect) if self._connect else None
        if status is not None and status != self._status:
            logger.warning("The front door now answers %s; 204 is right.", status)
            self._status = status
        if status is not None and (status == 204 or status >= 500):
            return
        try:
            answered(now=timezone.now())
        finally:
            connection.close()

    def _say_which_host(self) -> None:
        if self._saying.is_due():
            try:
                self._saying.host()
            finally:
                connection.close()


def _asked(connect: Connect) -> int:
    door = connect()
    try:
        door.request("GET", PATH, headers={"X-Knock": _key(), "Connection": "close"})
        return door.getresponse().status
    finally:
        door.close()


def _to(family: int, address: Any) -> Connect:
    def connect() -> http.client.HTTPConnection:
        door = http.client.HTTPConnection("localhost")
        door.sock = socket.socket(family)
        door.sock.settimeout(ANSWERS_WITHIN_S)
        door.sock.connect(address)
        return door

    return connect


def _to_url(url: str) -> Connect:
    parts = urlsplit(url)
    is_secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
    return lambda: kind(parts.hostname or "", parts.port, timeout=ANSWERS_WITHIN_S)


def _key() -> str:
    """What only this site's processes know, so that no stranger makes the site write."""
    return salted_hmac("headnode.front_door", "knock").hexdigest()


front_door = FrontDoor()
