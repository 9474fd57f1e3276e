"""What a worker does with the outbox, and a mail server that answers as a test wants."""

from __future__ import annotations

import socketserver
import ssl
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.utils import timezone

from hiring.messages.delivery import send_due
from hiring.models import Message


def send_all(now: datetime | None = None, worker: str = "worker-1") -> int:
    """As the task does, at `now`."""
    return send_due(worker, lambda: now or timezone.now())


def states(now: datetime) -> list[str]:
    """Of all messages, oldest first."""
    return [row.state(now) for row in Message.objects.order_by("pk")]


class MailServer(socketserver.ThreadingTCPServer):
    """SMTP as far as these tests need it.

    answers: {command: what is said to it instead}; an answer of "" cuts the connection.
    """

    allow_reuse_address = daemon_threads = True

    def __init__(self, answers: dict[str, str], tls: ssl.SSLContext | None) -> None:
        self.answers, self.tls = answers, tls
        self.taken: list[str] = []
        self.signed_in: list[str] = []
        self.was_secured = False
        super().__init__(("127.0.0.1", 0), _Conversation)

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        if not self._say("CONNECT", "220 mail.test ready"):
            return
        while line := self.rfile.readline().decode().strip():
            command, _, rest = line.partition(" ")
            if command.upper() == "QUIT":
                self._say("QUIT", "221 bye")
                return
            if not self._answer(command.upper(), rest):
                return

    def _answer(self, command: str, rest: str) -> bool:
        match command:
            case "EHLO":
                offers = ["mail.test"] + (["STARTTLS"] if self.server.tls else []) + ["AUTH PLAIN"]
                lines = [f"250-{word}" for word in offers[:-1]] + [f"250 {offers[-1]}"]
                return self._say(command, "\r\n".join(lines))
            case "STARTTLS":
                self._say(command, "220 go on")
                assert self.server.tls
                self.connection = self.server.tls.wrap_socket(self.request, server_side=True)
                self.rfile = self.connection.makefile("rb")
                self.wfile = self.connection.makefile("wb", buffering=0)
                self.server.was_secured = True
                return True
            case "AUTH":
                said = b64decode(rest.split()[1]).decode().split("\0")
                self.server.signed_in.append(f"{said[1]}:{said[2]}")
                return self._say(command, "235 welcome")
            case "DATA":
                return self._take()
        return self._say(command, "250 fine")

    def _take(self) -> bool:
        if not self._say("DATA", "354 go on"):
            return False
        lines: list[str] = []
        if self.server.answers.get("DATA", "354").startswith("354"):
            while (line := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                lines.append(line)
            self.server.taken.append("\n".join(lines))
            return self._say("END", "250 taken as 42")
        return True

    def _say(self, command: str, usual: str) -> bool:
        said = self.server.answers.get(command, usual)
        if said:
            self.wfile.write(f"{said}\r\n".encode())
        return bool(said)


@contextmanager
def mail_server(
    settings: Any, answers: dict[str, str] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[MailServer]:
    """A server that the site's settings lead to."""
    with MailServer(answers or {}, tls) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS, settings.EMAIL_TIMEOUT = tls is not None, 2
        yield server
        server.shutdown()
