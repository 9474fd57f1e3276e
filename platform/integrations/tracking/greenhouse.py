"""Greenhouse as an assessment partner meets it.

Greenhouse asks us: which tests there are, to send one, how far it is; and reports answers of ours that it
could not read. We tell it one thing: that a test is complete, by an empty PATCH to the address that came
with the order; it then asks how far it is. Source: developers.greenhouse.io, "Assessment API".
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from integrations.models import Connection, ConnectionKind, Order, Standing
from integrations.sending import Outgoing
from integrations.tracking.interface import Progress, basic

MOST_ERRORS = 20


class Greenhouse:
    kind = ConnectionKind.GREENHOUSE
    base_url = "https://app.greenhouse.io"
    tells = frozenset({Standing.COMPLETE})

    def told(self, order: Order, progress: Progress, *, key: str) -> Outgoing:
        return Outgoing("PATCH", order.callback_url, headers={"Authorization": basic(key)})


def is_theirs(url: str, connection: Connection) -> bool:
    """Whether an address that came with an order is at the system's own host: our key is sent there."""
    parts, own = urlsplit(url), urlsplit(connection.base_url)
    return (parts.scheme, parts.netloc) == (own.scheme, own.netloc)


def status(progress: Progress) -> dict[str, Any]:
    """What `test_status` answers: complete once people have scored it, with their mean rating."""
    found: dict[str, Any] = {
        "partner_status": "complete"
        if progress.standing == Standing.COMPLETE
        else progress.standing.value,
        "partner_profile_url": progress.page,
        "metadata": {"Standing": progress.standing.label},
    }
    if progress.standing == Standing.COMPLETE:
        if progress.rating is not None:
            found["partner_score"] = progress.rating
            found["metadata"]["Scale"] = "Mean of the evaluators' levels, 1 to 5"
            found["metadata"]["Evaluators"] = progress.evaluators
        if progress.outcome:
            found["metadata"]["Decision"] = progress.outcome
    return found


def trouble(report: dict[str, Any]) -> str:
    """One sentence of what Greenhouse could not read, for the connection's page."""
    errors = report.get("errors")
    said = "; ".join(map(str, errors[:MOST_ERRORS])) if isinstance(errors, list) else str(errors)
    return f"{report.get('api_call', 'a request')}: {said}"[:1000]
