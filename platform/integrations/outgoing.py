"""The HTTP request of a delivery, made anew for each try: signatures and standings are of that moment."""

from __future__ import annotations

from datetime import datetime

from integrations.models import Delivery
from integrations.sealed import unseal
from integrations.sending import Outgoing
from integrations.tracking.adapters import ADAPTERS
from integrations.tracking.orders import progress
from integrations.webhooks import signing
from integrations.webhooks.events import body_of


def request_for(delivery: Delivery, now: datetime) -> Outgoing:
    """What is sent for it now. Raises sealed.Unreadable where its secret cannot be read any more."""
    if delivery.order:
        connection = delivery.order.connection
        adapter, key = ADAPTERS[connection.kind], unseal(connection.outward_key)
        return adapter.told(delivery.order, progress(delivery.order, now), key=key)
    webhook, event = delivery.webhook, delivery.event
    if webhook is None or event is None:
        raise ValueError(f"delivery {delivery.pk} is of nothing")  # against the database's own rule
    body = body_of(event)
    signed = signing.headers(unseal(webhook.secret), id=f"evt_{event.pk.hex}", body=body, now=now)
    return Outgoing("POST", webhook.url, body, {"Content-Type": "application/json", **signed})
