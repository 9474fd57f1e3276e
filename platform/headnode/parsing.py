"""How what candidates' pages send is read. Apart from errors: views need it before they can be imported."""

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
