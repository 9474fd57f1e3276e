"""Patterns that people type: compiled, unless one could run for minutes on lines chosen for it."""

from __future__ import annotations

import re

LONGEST, REPEATS = 200, 2
"""Characters of a pattern, and repetitions in it: more could take very long."""
_GROUP = re.compile(r"\)[*+?{]")


class Refused(ValueError):
    """The pattern cannot be read or could run for too long; the message says which."""


def pattern_of(word: str, ignore: bool) -> re.Pattern[str]:
    """Raises Refused."""
    if len(word) > LONGEST or _GROUP.search(word) or len(re.findall(r"[*+{]", word)) > REPEATS:
        raise Refused("regular expression is too large")
    try:
        return re.compile(word, re.IGNORECASE if ignore else 0)
    except (re.error, OverflowError, RecursionError) as trouble:
        raise Refused(str(trouble)) from None
