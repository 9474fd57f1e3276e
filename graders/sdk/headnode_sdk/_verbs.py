"""What every group of verbs builds on: one question asked, one answer read; knows no verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._channel import ApiError
from .errors import specific

Call = Callable[..., Any]


class Verbs:
    """Asks through a function with the signature of `headnode_sdk.call`."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.read_at = 0
        """The instant that the last read shows; earlier than `now` when the answer was stale."""

    def _ask(self, method: str, **params: object) -> Any:
        try:
            return self._call(method, **params)
        except ApiError as error:
            raise specific(error) from None

    def _read(self, method: str, **params: object) -> Any:
        answer = self._ask(method, **params)
        self.read_at = answer["at"]
        return answer["rows"]
