"""What the shell's programs want of the judge: a command answered, a host entered, its files fetched.

Nothing here waits: a program that does not read its answer, behind a pager for one, holds up nobody else.
"""

from __future__ import annotations

import base64
import os
import selectors
import socket
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from assessments.terminal.inside.judge import HEADER, Answer, Channel

HERE = Path("/box/.headnode")
HOSTS = HERE / "hosts"
LONGEST_ASKED = 48_000
MOST_PATHS = 64
FAILED, UNREACHABLE = 1, 255


class Client:
    """A program that has connected: one question of NUL-separated words, then the answer in parts.

    `fetched` are the hosts and paths whose files have been asked for already.
    """

    fetched: ClassVar[set[tuple[str, str]]] = set()

    def __init__(
        self, peer: socket.socket, channel: Channel, loop: selectors.DefaultSelector
    ) -> None:
        self._peer, self._channel, self._loop = peer, channel, loop
        self._asked, self._unsent = bytearray(), bytearray()
        self._then: Callable[[], None] = self._close
        peer.setblocking(False)
        loop.register(peer, selectors.EVENT_READ, self._read)

    def _read(self, _mask: int) -> None:
        try:
            data = self._peer.recv(65536)
        except OSError:
            data = b""
        self._asked += data
        if not data or len(self._asked) > LONGEST_ASKED:
            self._loop.unregister(self._peer)
            self._close()
        elif len(self._asked) >= 4 and len(self._asked) >= 4 + HEADER.unpack_from(self._asked)[0]:
            self._loop.unregister(self._peer)
            self._serve(bytes(self._asked[4:]).decode("utf-8", "replace").split("\0"))

    def _serve(self, words: list[str]) -> None:
        if len(words) < 4:
            self._close()
            return
        kind, host, stdin, *argv = words
        if kind == "enter":
            self._channel.ask("host", self._entered, host=argv[0])
        elif kind == "files":
            paths = [path for path in argv if (host, path) not in Client.fetched][:MOST_PATHS]
            Client.fetched.update((host, path) for path in paths)
            if not paths:
                self._finish(0)
                return
            self._channel.ask(
                "files", lambda answer: self._filled(host, answer), host=host, paths=paths
            )
        else:
            self._channel.ask("command", self._part, host=host, argv=argv, stdin=stdin)

    def _part(self, answer: Answer) -> None:
        if "refused" in answer:
            self._finish(FAILED, err=answer["refused"])
            return
        self._put(b"o", base64.b64decode(answer["out"]))
        self._put(b"e", base64.b64decode(answer["err"]))
        if more := answer["more"]:
            self._send(lambda: self._channel.ask("more", self._part, number=more))
        else:
            self._finish(answer["code"])

    def _entered(self, answer: Answer) -> None:
        if "refused" in answer:
            self._finish(UNREACHABLE, err=answer["refused"])
            return
        make_commands(HOSTS / answer["name"] / "bin", answer["commands"])
        self._put(b"o", answer["name"].encode())
        self._finish(0)

    def _filled(self, host: str, answer: Answer) -> None:
        """Files of a host come one after the other, so that no answer is large."""
        for path, text in answer.get("files", {}).items():
            target = HOSTS / host / "root" / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("ab" if answer.get("goes_on") else "wb") as out:
                out.write(base64.b64decode(text))
        if more := answer.get("more"):
            self._channel.ask("more", lambda next_: self._filled(host, next_), number=more)
        else:
            self._finish(0)

    def _finish(self, code: int, err: str = "") -> None:
        if err:
            self._put(b"e", f"{err}\n".encode())
        self._put(b"x", bytes([code & 255]))
        self._send(self._close)

    def _put(self, kind: bytes, data: bytes) -> None:
        self._unsent += kind + HEADER.pack(len(data)) + data

    def _send(self, then: Callable[[], None]) -> None:
        """Send as the program reads, then go on."""
        self._then = then
        self._loop.register(self._peer, selectors.EVENT_WRITE, self._write)

    def _write(self, _mask: int) -> None:
        try:
            del self._unsent[: self._peer.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError:  # it has gone, as when its reader had seen enough
            self._unsent.clear()
            self._then = self._close
        if not self._unsent:
            self._loop.unregister(self._peer)
            self._then()

    def _close(self) -> None:
        self._peer.close()


class Reports:
    """Lines that the shell says it has run: host, exit code, milliseconds and the line, ended by NUL."""

    def __init__(self, channel: Channel) -> None:
        self.fd, self.shells = os.pipe()
        os.set_blocking(self.fd, False)
        self._channel = channel
        self._held = b""

    def ready(self, _mask: int) -> None:
        if self._channel.is_busy:
            return
        self._held += os.read(self.fd, 4096)  # never its end: this program has the other end too
        *whole, self._held = self._held.split(b"\0")
        for line in whole:
            fields = line.decode("utf-8", "replace").split("\x1f", 3)
            if len(fields) == 4 and fields[1].isdigit() and fields[2].isdigit():
                host, code, took, text = fields
                self._channel.ask(
                    "report",
                    lambda answer: None,
                    host=host[:100],
                    code=int(code[:3]),
                    ms=int(took[:9]),
                    line=text[:4000],
                )
        self._held = self._held[-8192:]


def make_commands(folder: Path, names: list[str]) -> None:
    """The same program under each name; hard links, for symbolic ones are not followed in /box."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        if not (folder / name).exists():
            (folder / name).hardlink_to(HERE / "command.py")
