"""The order that a request names, if it is of the system that asks."""

from __future__ import annotations

from uuid import UUID

from integrations.inbound.access import Refusal
from integrations.models import Connection, Order

NO_SUCH_ORDER = "There is no such order of this connection."


def order_of(connection: Connection, key: str) -> Order:
    """Raises Refusal."""
    try:
        wanted = UUID(key)
    except ValueError:
        raise Refusal(404, NO_SUCH_ORDER) from None
    rows = connection.orders.select_related(
        "connection__person", "invitation__candidate", "exercise"
    )
    order = rows.filter(pk=wanted).first()
    if order is None:
        raise Refusal(404, NO_SUCH_ORDER)
    return order
