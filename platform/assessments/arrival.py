"""When a request reached this machine: what waits for us must not make an answer late.

The kernel knows when it last received something on a connection, also while every thread is taken or
the whole process stands still. Behind a proxy it is the proxy's request that is timed.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from datetime import datetime, timedelta

from django.http import HttpRequest, RawPostDataException

# Browsers have given up long before; nothing older is believed.
LONGEST = timedelta(minutes=2)
LAST_DATA_RECEIVED = 8 + 11 * 4
"""Offset in the kernel's struct tcp_info of tcpi_last_data_recv, milliseconds ago; see linux/tcp.h."""


def arrived_at(request: HttpRequest, now: datetime) -> datetime:
    """When the last byte of the request came; `now` where the server cannot say.

    Reads the body first: a request that is not here in full has not arrived.
    """
    with suppress(RawPostDataException):  # a form that was read is here in full
        _ = request.body
    return now - min(_waited(request.META.get("gunicorn.socket")), LONGEST)


def _waited(connection: socket.socket | None) -> timedelta:
    try:
        if connection is None or connection.family not in {socket.AF_INET, socket.AF_INET6}:
            return timedelta(0)
        known = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LAST_DATA_RECEIVED + 4)
        return timedelta(milliseconds=struct.unpack_from("=I", known, LAST_DATA_RECEIVED)[0])
    except (OSError, struct.error):  # the connection is gone, or this is no Linux
        return timedelta(0)
