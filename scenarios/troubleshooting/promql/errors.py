"""What can be wrong with a query, as one sentence for whoever wrote it."""

from __future__ import annotations


class QueryError(ValueError):
    """A query that has no answer here; `position` (from 0, in characters) is where, if that is known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class NotHere(QueryError):
    """Part of PromQL that is not evaluated here."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not available here; the help lists what is.")
