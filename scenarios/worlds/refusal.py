"""A call that a world answers with an error; knows no wire format."""

from __future__ import annotations


class Refused(Exception):
    """`code` is for programs (invalid, not_found, conflict, timeout, rate_limited, over)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
