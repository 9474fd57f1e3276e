"""Reads a container's two output streams from the one socket the engine gives for both."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Any

from sandbox.capture import Output

_HEADER = 8
_STDOUT = 1
_CHUNK = 65536


class Demultiplexer:
    """Splits bytes of the engine's stream format into stdout and stderr.

    Source: Docker Engine API, ContainerAttach, "Stream format": type, three zeros, 4-byte size.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._header = bytearray()
        self._left = 0

    def feed(self, data: bytes) -> None:
        while data:
            if not self._left:
                data = self._take_header(data)
                continue
            part, data = data[: self._left], data[self._left :]
            self._left -= len(part)
            stream = self._output.out if self._header[0] == _STDOUT else self._output.err
            stream.feed(part)

    def _take_header(self, data: bytes) -> bytes:
        if len(self._header) == _HEADER:
            self._header.clear()
        missing = _HEADER - len(self._header)
        self._header += data[:missing]
        if len(self._header) == _HEADER:
            self._left = int.from_bytes(self._header[4:], "big")
        return data[missing:]


class Attachment:
    """The engine's hijacked connection, as a stream for the conversation."""

    def __init__(self, connection: Any, output: Output) -> None:
        self._connection = connection
        self._socket: socket.socket = getattr(connection, "_sock", connection)
        self._socket.settimeout(None)
        self._sink = Demultiplexer(output)
        os.set_blocking(self._socket.fileno(), False)

    def fileno(self) -> int:
        return self._socket.fileno()

    def read(self) -> bool:
        try:
            data = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._sink.feed(data)
        return bool(data)

    def let_go(self) -> None:
        """In a child process: close the descriptor, and leave the connection to the parent."""
        os.close(self._socket.detach())

    def close(self) -> None:
        """Before any kill: a stream that nobody reads makes the engine's kill and wait hang."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for part in (self._connection, getattr(self._connection, "_response", None)):
            # The SDK's layers close one another and then complain about it.
            with contextlib.suppress(OSError, ValueError):
                if part is not None:
                    part.close()
