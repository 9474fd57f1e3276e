"""Lists in pages: a cursor leads on, signed, so that nobody writes one and nothing has to be read out of it."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from django.core import signing
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

EACH, MOST = 50, 200
NOT_OURS = "This cursor is none of this list: begin anew without one."


class Pages(CursorPagination):
    """{"next", "previous", "results"}; ?cursor= and ?page_size=."""

    page_size = EACH
    page_size_query_param = "page_size"
    page_size_query_description = f"Rows of a page, 1 to {MOST}; {EACH} where it is not said."
    cursor_query_description = (
        "Where the page begins: take it from `next` or `previous` of another page."
    )
    max_page_size = MOST
    ordering = "pk"
    template = None

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        """The resource's own, and the key where that may be the same for two rows."""
        first: str = view.ordering
        if first.lstrip("-") == "pk":
            return (first,)
        return (first, "-pk" if first.startswith("-") else "pk")

    def get_page_size(self, request: Request) -> int:
        sent = request.query_params.get("page_size")
        if sent is None:
            return EACH
        if not (sent.isascii() and sent.isdecimal() and len(sent) < 6 and 1 <= int(sent) <= MOST):
            raise ValidationError({"page_size": [f"Write a number from 1 to {MOST}."]})
        return int(sent)

    request: Request

    def _signer(self, path: str) -> signing.Signer:
        return signing.Signer(salt=f"cursor of {path}")

    def encode_cursor(self, cursor: Cursor) -> str:
        tokens = [str(cursor.offset), "1" if cursor.reverse else "0"]
        tokens += [str(cursor.position)] if cursor.position is not None else []
        signed = self._signer(self.request.path).sign("|".join(tokens))
        value = base64.urlsafe_b64encode(signed.encode()).decode()
        return replace_query_param(self.base_url or "", self.cursor_query_param, value)

    def decode_cursor(self, request: Request) -> Cursor | None:
        sent = request.query_params.get(self.cursor_query_param)
        if sent is None:
            return None
        try:
            text = base64.urlsafe_b64decode(sent.encode("ascii")).decode()
            said = self._signer(request.path).unsign(text).split("|", 2)
        except (binascii.Error, UnicodeError, ValueError, signing.BadSignature):
            raise ValidationError({"cursor": [NOT_OURS]}) from None
        position = said[2] if len(said) > 2 else None
        reverse: Any = said[1] == "1"
        where: Any = position  # of whatever the list is ordered by
        return Cursor(offset=int(said[0]), reverse=reverse, position=where)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": link,
                "previous": link,
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [
            {
                "name": "cursor",
                "in": "query",
                "description": self.cursor_query_description,
                "schema": {"type": "string"},
            },
            {
                "name": "page_size",
                "in": "query",
                "description": self.page_size_query_description,
                "schema": {"type": "integer", "minimum": 1, "maximum": MOST},
            },
        ]
