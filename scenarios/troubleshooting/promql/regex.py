"""Regular expressions of matchers: RE2's, as in Prometheus, in time that grows with a value's length."""

from __future__ import annotations

import re2

from scenarios.troubleshooting.promql.errors import QueryError

MOST_MEMORY = 1 << 20
"""Bytes of one pattern; Prometheus has no bound, RE2's own is 8 MiB."""


class Pattern:
    """A compiled pattern, which has to match a whole value. Raises QueryError for one that cannot be read."""

    def __init__(self, text: str) -> None:
        options = re2.Options()
        options.log_errors, options.dot_nl, options.max_mem = False, True, MOST_MEMORY
        try:
            self._compiled = re2.compile(text, options)
        except re2.error as error:
            why = error.args[0]
            said = why.decode(errors="replace") if isinstance(why, bytes) else str(why)
            raise QueryError(f"The pattern “{text}” cannot be read: {said}.") from None

    def matches(self, value: str) -> bool:
        """Whether the pattern matches the whole value."""
        return self._compiled.fullmatch(value) is not None

    def groups(self, value: str) -> list[str] | None:
        """The whole value and what each group holds (empty where it took no part); None without a match."""
        found = self._compiled.fullmatch(value)
        return None if found is None else [value, *(group or "" for group in found.groups())]
