"""The channel to the judge, as the terminal's program speaks on it."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from collections.abc import Callable
from typing import Any

MOST_WAITING = 8
HEADER = struct.Struct(">I")
Answer = dict[str, Any]


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


class Channel:
    """Questions to the judge and its answers, without ever waiting for one."""

    def __init__(self, fd: int) -> None:
        self.socket = socket.socket(fileno=fd)
        self.socket.setblocking(True)
        self.unasked: Callable[[Answer], None] = lambda said: None
        self._held = bytearray()
        self._number = 0
        self._waiting: dict[int, Callable[[Answer], None]] = {}

    @property
    def is_busy(self) -> bool:
        return len(self._waiting) >= MOST_WAITING

    def ask(self, method: str, then: Callable[[Answer], None], **params: Any) -> None:
        self._number += 1
        self._waiting[self._number] = then
        body = json.dumps({"id": self._number, "m": method, "p": params}).encode()
        self.socket.sendall(HEADER.pack(len(body)) + body)

    def hear(self) -> None:
        """Take what has come. Ends this program where the judge has gone."""
        data = self.socket.recv(65536)
        if not data:
            os._exit(0)
        self._held += data
        while len(self._held) >= 4:
            end = 4 + HEADER.unpack_from(self._held)[0]
            if len(self._held) < end:
                return
            frame = json.loads(self._held[4:end])
            del self._held[:end]
            self._take(frame)

    def _take(self, frame: Answer) -> None:
        if frame["id"] == 0:
            self.unasked(frame["r"])
            return
        then = self._waiting.pop(frame["id"], None)
        if then is not None:
            then(frame["r"] if "r" in frame else {"refused": frame["e"]["message"]})
