"""The program's end of the channel: one question, one answer; knows no cluster."""

from __future__ import annotations

import json
import os
import socket
import threading
from typing import Any

_HEADER = 4


class ChannelClosed(Exception):
    """There is nobody at the other end: outside a run, or after the run was stopped."""


class ApiError(Exception):
    """The other end answered with an error.

    `code` is a short slug to compare, `message` one sentence to read.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[ApiError], tuple[str, str]]:
        return ApiError, (self.code, self.message)


def _open() -> socket.socket | None:
    fd = os.environ.get("HEADNODE_CHANNEL_FD", "")
    return socket.socket(fileno=int(fd)) if fd.isdigit() else None


_sock = _open()
_turn = threading.Lock()
_held = bytearray()
_last_id = 0


def call(method: str, /, **params: Any) -> Any:
    """Ask the cluster one question and wait for the answer, a JSON value.

    Threads take turns. Raises ApiError when the answer is an error, ChannelClosed when there is
    no other end, TypeError or ValueError when a parameter cannot be written as JSON.
    """
    global _last_id
    with _turn:
        _last_id += 1
        question = {"id": _last_id, "m": method, "p": params}
        body = json.dumps(question, separators=(",", ":"), allow_nan=False).encode()
        reply = _exchange(body)
        if reply.get("id") != _last_id:
            raise ChannelClosed("The answers are out of step: something else used the channel.")
    if "e" in reply:
        raise ApiError(reply["e"]["code"], reply["e"]["message"])
    return reply["r"]


def _exchange(body: bytes) -> dict[str, Any]:
    if _sock is None:
        raise ChannelClosed("This program is not connected to a cluster: start it with Run.")
    try:
        _sock.sendall(len(body).to_bytes(_HEADER, "big") + body)
        size = int.from_bytes(_take(_sock, _HEADER), "big")
        reply: dict[str, Any] = json.loads(_take(_sock, size))
    except OSError as error:
        raise ChannelClosed("The channel to the cluster is closed.") from error
    return reply


def _take(sock: socket.socket, size: int) -> bytes:
    while len(_held) < size:
        part = sock.recv(65536)
        if not part:
            raise ChannelClosed("The channel to the cluster is closed.")
        _held.extend(part)
    data = bytes(_held[:size])
    del _held[:size]
    return data
