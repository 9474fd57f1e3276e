"""Lever: a stage change arrives by webhook, a link goes to the opportunity, and a note once people have scored.

Lever signs with HMAC-SHA256 over the request's token and its time in milliseconds, under the webhook's
signature token, in hexadecimal; all three stand in the body. The body names the opportunity by its id
alone, so that name and address are asked for. Source: hire.lever.co, "Developer documentation": webhooks,
opportunities, notes; and "Use cases", assessments.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from integrations.models import Connection, ConnectionKind, Order, Standing
from integrations.sending import Outgoing
from integrations.tracking.interface import Person, Progress, basic

STAGE_CHANGE = "candidateStageChange"
FRESH = timedelta(days=2)
"""How old a signed request may be: Lever itself tries again for hours."""


def is_signed(body: dict[str, Any], key: str, now: datetime) -> bool:
    """Whether Lever made the request, and not long ago."""
    token, at, signature = (body.get(name) for name in ("token", "triggeredAt", "signature"))
    if (
        not isinstance(token, str)
        or not isinstance(signature, str)
        or type(at) is not int
        or not key
    ):
        return False
    made = hmac.new(key.encode(), f"{token}{at}".encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(made, signature.lower()):
        return False
    try:
        return abs(now - datetime.fromtimestamp(at / 1000, UTC)) < FRESH
    except (ValueError, OverflowError, OSError):
        return False


def _path(connection: Connection, opportunity: str, verb: str = "") -> str:
    whole = f"{connection.base_url}/opportunities/{quote(opportunity, safe='')}{verb}"
    return (
        f"{whole}?perform_as={quote(connection.acts_as, safe='')}"
        if connection.acts_as and verb
        else whole
    )


def who(connection: Connection, opportunity: str, *, key: str) -> Outgoing:
    """The request that asks who an opportunity is about."""
    headers = {"Authorization": basic(key), "Accept": "application/json"}
    return Outgoing("GET", _path(connection, opportunity), headers=headers)


def person_of(text: str) -> Person | None:
    """Name and first address from the answer; None where there is none."""
    try:
        data = json.loads(text)["data"]
        return Person(str(data["name"]), str(data["emails"][0]))
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def note(order: Order, progress: Progress) -> str:
    """The note that stays with the opportunity: what people rated, and where it is read."""
    said = [f"{order.exercise}: {progress.standing.label.lower()}."]
    if progress.rating is not None:
        people = (
            "one evaluator" if progress.evaluators == 1 else f"{progress.evaluators} evaluators"
        )
        said.append(f"Mean rating {progress.rating:.2f} of 5, by {people}.")
    if progress.outcome:
        said.append(f"Decision: {progress.outcome}.")
    return " ".join([*said, f"Read the report: {progress.page}"])


class Lever:
    kind = ConnectionKind.LEVER
    base_url = "https://api.lever.co/v1"
    tells = frozenset({Standing.INVITED, Standing.HANDED_IN, Standing.COMPLETE, Standing.MISSED})

    def told(self, order: Order, progress: Progress, *, key: str) -> Outgoing:
        body: dict[str, Any]
        if progress.standing == Standing.INVITED:
            verb, body = "/addLinks", {"links": [progress.page]}
        else:
            verb, body = "/notes", {"value": note(order, progress)}
        headers = {"Authorization": basic(key), "Content-Type": "application/json"}
        url = _path(order.connection, order.external_id, verb)
        return Outgoing("POST", url, json.dumps(body).encode(), headers)
