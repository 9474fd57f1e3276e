"""How a request's JSON is read. Apart from errors: the framework needs it before views can be imported."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

UNREADABLE = "That could not be read: send JSON."


class StrictJSONParser(JSONParser):
    """JSON whose nesting cannot exhaust the stack."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError as error:
            raise ParseError(UNREADABLE) from error
