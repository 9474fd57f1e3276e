"""What tests of other systems begin with: programs with tokens, and a server that notes what it is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from accounts.models import User
from assessments.models import Attempt
from integrations import tokens
from integrations.api import access
from integrations.models import ApiToken, Connection, Delivery, Event, Webhook

EVERYTHING = list(tokens.SCOPES)


@dataclass
class Program:
    """A client of the API with a token of somebody."""

    person: User
    token: ApiToken
    text: str
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def ask(self, method: str, path: str, data: Any = None, **headers: str) -> Any:
        """The answer to a request below /api/v1/; data is sent as JSON."""
        sent = {"Authorization": f"Bearer {self.text}", **headers}
        body = (
            {} if data is None else {"data": json.dumps(data), "content_type": "application/json"}
        )
        call = getattr(self.client, method.lower())
        return call(f"/api/v1/{path}", headers=sent, **body)

    def get(self, path: str) -> Any:
        return self.ask("get", path)

    def post(self, path: str, data: Any = None, key: str = "") -> Any:
        headers = {"Idempotency-Key": key} if key else {}
        return self.ask("post", path, {} if data is None else data, **headers)


def program(person: User, scopes: list[str] | None = None, days: int = 30) -> Program:
    token, text = tokens.make(
        person=person,
        label="test",
        scopes=scopes or EVERYTHING,
        days=days,
        by=person,
        now=timezone.now(),
    )
    return Program(person, token, text)


@pytest.fixture
def api(db: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Program]:
    """Makes a program for a person; nobody is too fast."""
    monkeypatch.setattr(access.ASKED, "take", lambda *_: True)
    return program


def rows_about(attempt: Attempt, by: User, now: datetime) -> dict[str, Any]:
    """A row of each kind that the staff's pages show, by "app.model"; nothing of it is sent anywhere."""
    link = attempt.invitation
    token, _ = tokens.make(
        person=by, label="x", scopes=["openings:read"], days=9, by=by, now=timezone.now()
    )
    hook = Webhook.objects.create(url="https://hooks.invalid/", secret="", made_by=by, made_at=now)
    event = Event.objects.create(
        kind="attempt.started",
        at=now,
        noticed_at=now,
        opening=link.opening,
        candidate=link.candidate,
        attempt=attempt,
    )
    connection = Connection.objects.create(
        kind="ashby", label="x", person=by, key_hash="x", base_url="https://x.invalid",
        made_by=by, made_at=now,
    )  # fmt: skip
    return {
        "integrations.apitoken": token,
        "integrations.webhook": hook,
        "integrations.delivery": Delivery.objects.create(
            webhook=hook, event=event, queued_at=now, due_at=now, delivered_at=now
        ),
        "integrations.connection": connection,
    }


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """A server of another system on this machine. `reply` makes (status, body) of what it received."""

    url: str
    got: list[Received] = field(default_factory=list)
    reply: Callable[[Received], tuple[int, Any]] = lambda _: (200, {})


class _Handler(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        row = Received(self.command, self.path, dict(self.headers), body)
        receiver: Receiver = self.server.receiver  # type: ignore[attr-defined]
        receiver.got.append(row)
        status, said = receiver.reply(row)
        text = json.dumps(said).encode()
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", str(said))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def receiver(settings: LazySettings) -> Iterator[Receiver]:
    """A server on this machine, to which requests are allowed for the test."""
    settings.INTEGRATIONS_PRIVATE_ADDRESSES = True
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    found = Receiver(f"http://127.0.0.1:{server.server_address[1]}")
    server.receiver = found  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()
