"""One streamed answer of an OpenAI-compatible model: POST to ASSISTANT_URL/chat/completions, and nowhere else.

Proxies, netrc and directions to another address are not followed: what a candidate writes goes to the
address that the operator named. The key stands in a header of that one request and nowhere else.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import requests
from django.conf import settings
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError

from assessments.escapes import writable

CONNECT_S = 5.0
FIRST_S = 45.0
"""Longest wait for the head of the answer, and for each piece of it."""
WHOLE_S = 180.0
LONGEST_LINE = 1 << 20
READ = 1 << 14
Json = dict[str, Any]


class NoAnswer(Exception):
    """There is no answer, or no more of it; `why` is a value of AssistantTurn.Problem, the text for the log."""

    def __init__(self, why: str, text: str = "") -> None:
        super().__init__(text or why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Piece:
    """What one event brought: text to add, and the tokens used (of the question, of the answer)."""

    text: str = ""
    used: tuple[int, int] | None = None


class Bearer(AuthBase):
    """The key as a header; a session without any would look for one in ~/.netrc."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if settings.ASSISTANT_KEY:
            request.headers["Authorization"] = f"Bearer {settings.ASSISTANT_KEY}"
        return request


def pieces(messages: Sequence[Json]) -> Iterator[Piece]:
    """The answer as it comes. Raises NoAnswer, also after some pieces; closing it ends the request."""
    until = time.monotonic() + WHOLE_S
    with requests.Session() as session:
        session.trust_env = False
        response = _asked(session, messages)
        try:
            yield from _read(response, until)
        finally:
            response.close()


def _asked(session: requests.Session, messages: Sequence[Json]) -> requests.Response:
    body: Any = {
        "model": settings.ASSISTANT_MODEL,
        "messages": list(messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    try:
        response = session.post(
            f"{settings.ASSISTANT_URL}/chat/completions",
            json=body,
            headers={"Accept": "text/event-stream", "Accept-Encoding": "identity"},
            auth=Bearer(),
            stream=True,
            allow_redirects=False,
            timeout=(CONNECT_S, FIRST_S),
        )
    except requests.ConnectTimeout:
        raise NoAnswer("unreachable") from None
    except requests.Timeout:
        raise NoAnswer("slow") from None
    except (requests.RequestException, HTTPError, OSError) as error:
        raise NoAnswer("unreachable", type(error).__name__) from None
    if response.status_code != 200:
        response.close()
        why = "busy" if response.status_code in (429, 503) else "refused"
        raise NoAnswer(why, f"status {response.status_code}")
    return response


def _read(response: requests.Response, until: float) -> Iterator[Piece]:
    """Pieces up to [DONE] or the one that says it is the last; after it only the count may follow."""
    has_come = is_whole = False
    try:
        for data in _events(response, until):
            if data == "[DONE]":
                return
            piece, is_last = _piece(data)
            has_come, is_whole = has_come or bool(piece.text), is_whole or is_last
            yield piece
    except NoAnswer:
        if not is_whole:
            raise
    if not is_whole:
        raise NoAnswer("cut" if has_come else "rubbish")


def _events(response: requests.Response, until: float) -> Iterator[str]:
    """The data of each event; other lines of the protocol say nothing here."""
    held = b""
    while chunk := _next(response, until):
        *lines, held = (held + chunk).split(b"\n")
        if len(held) > LONGEST_LINE:
            raise NoAnswer("rubbish")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip().decode(errors="replace")
        if time.monotonic() > until:
            raise NoAnswer("slow")


def _next(response: requests.Response, until: float) -> bytes:
    """What has come, at least a byte; b"" at the end."""
    try:
        return bytes(response.raw.read1(READ))
    except TimeoutError:
        raise NoAnswer("slow") from None
    except (HTTPError, OSError, ValueError) as error:
        is_slow = "timed out" in str(error) or time.monotonic() > until
        raise NoAnswer("slow" if is_slow else "cut") from None


def _piece(data: str) -> tuple[Piece, bool]:
    """(what it brings, whether the text is whole with it). Raises NoAnswer for what is no such event."""
    try:
        event = json.loads(writable(data))
        if "error" in event:
            raise NoAnswer("refused")
        choice = (event.get("choices") or [{}])[0]
        text = (choice.get("delta") or {}).get("content") or ""
        usage = event.get("usage") or {}
        used = (int(usage["prompt_tokens"]), int(usage["completion_tokens"])) if usage else None
        if not isinstance(text, str):
            raise NoAnswer("rubbish")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise NoAnswer("rubbish") from None
    return Piece(text, used), bool(choice.get("finish_reason"))
