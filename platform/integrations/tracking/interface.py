"""What every applicant-tracking system comes down to here: tests, an order for a person, how far it is.

An adapter translates between this and one system's own words; the views below `inbound` read its requests,
and what is sent to it is made by `told`. Nothing here decides about anybody: a result is the ratings that
people gave, and a link to the page where they stand with their reasons.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from integrations.models import ConnectionKind, Order, Standing
from integrations.sending import Outgoing


@dataclass(frozen=True)
class Test:
    """What can be ordered: an exercise of an open opening."""

    __test__ = False  # no test of pytest's

    id: str
    name: str
    description: str


@dataclass(frozen=True)
class Person:
    """For whom, as the other system writes them."""

    name: str
    email: str


@dataclass(frozen=True)
class Progress:
    """How far an order is. rating: the mean level that people gave, 1 to 5; None until all of it is in."""

    standing: Standing
    at: datetime
    page: str
    rating: float | None = None
    evaluators: int = 0
    outcome: str = ""


class Adapter(Protocol):
    """One system. `tells`: the standings that it is told of; of others it hears when it asks."""

    kind: ConnectionKind
    base_url: str
    tells: frozenset[Standing]

    def told(self, order: Order, progress: Progress, *, key: str) -> Outgoing:
        """The request by which the system learns of a standing; `key` is what it knows us by."""


def basic(key: str) -> str:
    """The header of HTTP Basic authentication with the key as the name and no password (RFC 7617)."""
    return "Basic " + base64.b64encode(f"{key}:".encode()).decode()
