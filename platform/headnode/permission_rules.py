"""The words of which the rules of addresses are made: whose rows, which permission, to read and to send."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Scope(StrEnum):
    """Whose rows an address is narrowed to, beyond the permission."""

    SITE = "site"
    ATTEMPT = "attempt"  # all with EVERY, with NAMED those of openings that name one; assigned ones
    OVERSEEN = "overseen"  # as ATTEMPT without what is only assigned
    MEASURES = "measures"  # as ATTEMPT; whoever scores it once their own scorecard is in
    NAMED = "named"  # not of whom one scores, until a decision
    PANEL = "panel"  # assigned by name, whatever else the role sees
    OWN = "own"  # one's own rows, and others' as far as the rules of independence open them
    CANDIDATE = "candidate"  # the candidate's own, by their link
    PUBLIC = "public"
    PROGRAM = "token"  # a program's, by a token or key: headnode/api_permissions.py says which


class Rule(NamedTuple):
    """What an address asks for: a permission, or one of several as "a|b".

    write: for POST where that needs more, "-" where nothing is sent. acts: whose rows POST is narrowed
    to where that is not the same.
    """

    permission: str = ""
    scope: Scope = Scope.SITE
    write: str = ""
    only_post: bool = False
    acts: Scope | None = None


class Address(NamedTuple):
    name: str
    pattern: str
    rule: Rule | None
