"""Rows of the doors to other systems: tokens, webhooks, tracking systems, and what is sent to them."""

from __future__ import annotations

from integrations.models.deliveries import Delivery, DeliveryQuerySet, DeliveryTry
from integrations.models.tokens import ApiToken, ApiTokenQuerySet, Departure, KeyedRequest
from integrations.models.tracking import Arrival, Connection, ConnectionKind, Order, Standing
from integrations.models.webhooks import Event, Webhook

__all__ = [
    "ApiToken",
    "ApiTokenQuerySet",
    "Arrival",
    "Connection",
    "ConnectionKind",
    "Delivery",
    "DeliveryQuerySet",
    "DeliveryTry",
    "Departure",
    "Event",
    "KeyedRequest",
    "Order",
    "Standing",
    "Webhook",
]
