#!/usr/bin/python3 -ISB
"""One of the cluster's commands: asks the program at the terminal's other end, which asks the judge.

Started under the command's name. Written with the fewest imports, for it is started hundreds of times.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import os
import sys

SOCKET = "/box/.headnode/socket"
FILES, ENTER = "headnode-files", "headnode-enter"


def question(name: str, arguments: list[str]) -> list[str]:
    """The words to ask: what kind, on which host, standard input, and the command line."""
    host = os.environ.get("HEADNODE_HOST", "")
    if name == FILES:
        return ["files", host, "", *arguments]
    if name == ENTER:
        return ["enter", host, "", *arguments]
    # Only where the command line says so: otherwise a loop that reads lines would lose them.
    takes = "-" in arguments and not os.isatty(0)
    text = sys.stdin.buffer.read(32768).decode("utf-8", "replace") if takes else ""
    return ["command", host, text.replace("\0", ""), name, *arguments]


def whole(peer: _socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = peer.recv(size - len(data))
        if not part:
            os._exit(1)
        data += part
    return data


def show(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def main() -> None:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    words = question(os.path.basename(sys.argv[0]), sys.argv[1:])
    body = "\0".join(words).encode("utf-8", "surrogateescape")
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    peer.connect(SOCKET)
    peer.send(len(body).to_bytes(4, "big") + body)
    while True:
        kind, size = peer.recv(1), int.from_bytes(whole(peer, 4), "big")
        data = whole(peer, size)
        if kind == b"x":
            os._exit(data[0])
        show(1 if kind == b"o" else 2, data)


main()
