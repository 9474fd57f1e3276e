"""The page's endpoints of the terminal: how it stands, start, and one exchange of bytes."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from uuid import UUID

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from assessments.models.terminal import TerminalSession
from assessments.terminal import sessions
from assessments.workplace.access import RoomView

LONGEST_INPUT = 64 << 10


class TooMany(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "too_many_terminals"


class Size(serializers.Serializer[Any]):
    """The window, in characters."""

    columns = serializers.IntegerField(min_value=10, max_value=500, default=80)
    rows = serializers.IntegerField(min_value=4, max_value=300, default=24)


class Exchange(Size):
    """Which session and page, what was typed under which number, and the newest chunk seen."""

    session = serializers.UUIDField()
    page = serializers.UUIDField()
    number = serializers.IntegerField(min_value=0, max_value=2**31, default=0)
    input = serializers.CharField(
        max_length=2 * LONGEST_INPUT, allow_blank=True, trim_whitespace=False, default=""
    )
    after = serializers.IntegerField(min_value=0, max_value=2**31, default=0)

    def validate_input(self, value: str) -> bytes:
        try:
            data = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as error:
            raise serializers.ValidationError("What was typed has to be base64.") from error
        if len(data) > LONGEST_INPUT:
            raise serializers.ValidationError("That is too much at once: send it in parts.")
        return data


class TerminalView(RoomView):
    """Needs no materials on this host: whoever hosts the terminal has them."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.admit(request, *args, **kwargs)
        if not self.attempt.exercise.has_terminal:
            raise Http404


class StateView(TerminalView):
    """Whether there is a terminal to go on with."""

    def get(self, request: Request, pk: UUID) -> Response:
        row = sessions.newest(self.attempt)
        if row is not None:
            sessions.look(row, now=self.now)
        return Response(sessions.told(row, now=self.now))


class StartView(TerminalView):
    def post(self, request: Request, pk: UUID) -> Response:
        size = Size(data=request.data)
        size.is_valid(raise_exception=True)
        try:
            row = sessions.start(self.attempt, now=self.now, **size.validated_data)
        except sessions.TooMany as error:
            raise TooMany(str(error)) from error
        return Response(sessions.told(row, now=self.now), status=status.HTTP_201_CREATED)


class ExchangeView(TerminalView):
    """Take what was typed, give what was printed; waits a moment for an echo."""

    def post(self, request: Request, pk: UUID) -> Response:
        exchange = Exchange(data=request.data)
        exchange.is_valid(raise_exception=True)
        given = exchange.validated_data
        row = self._session(given["session"])
        typed = self._type(row, given)
        if (row.columns, row.rows) != (given["columns"], given["rows"]):
            sessions.resize(row.pk, given["columns"], given["rows"], now=self.now)
        out = sessions.printed(row, given["after"], wait=bool(given["input"]) and row.is_open)
        # Asked after the bytes: a session that has ended has then given all of them.
        row.refresh_from_db()
        row.attempt = self.attempt  # which is here: the page asks often
        now = timezone.now()
        sessions.look(row, now=now)
        if not row.is_open and not out.data:
            out = sessions.printed(row, given["after"], wait=False)
        answer = {"typed": typed, "data": base64.b64encode(out.data).decode()}
        answer |= {"upto": out.upto, "skipped": out.skipped}
        return Response(answer | sessions.told(row, now=now))

    def _session(self, key: UUID) -> TerminalSession:
        row = self.attempt.terminal_sessions.filter(pk=key).first()
        if row is None:
            raise Http404
        return row

    def _type(self, row: TerminalSession, given: dict[str, Any]) -> int:
        if not given["input"]:
            return int(row.typed.get(str(given["page"]), 0))
        typed = sessions.Typed(given["page"], given["number"], given["input"])
        try:
            return sessions.type_into(row.pk, typed, now=self.now)
        except sessions.TooMany as error:
            raise TooMany(str(error)) from error


class HelpView(TerminalView):
    """The commands there are, each with a sentence."""

    def get(self, request: Request, pk: UUID) -> Response:
        # The console is much to read for a server that never needs it otherwise.
        from assessments.terminal.contents import help_of

        rows = [{"name": name, "about": about} for name, about in help_of()]
        return Response({"commands": rows})
