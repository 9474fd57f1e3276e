"""Requests to other systems as rows: claimed under a lease, tried again, each try on record."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from integrations.models.tracking import Order, Standing
from integrations.models.webhooks import Event, Webhook


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def open(self) -> Self:
        """Neither delivered nor given up."""
        return self.filter(delivered_at=None, given_up_at=None)

    def startable(self, now: datetime) -> Self:
        """Due, and in no worker's hands."""
        free = Q(lease_until=None) | Q(lease_until__lte=now)
        return self.open().filter(free, due_at__lte=now)

    def claim(self, pk: uuid.UUID, worker: str, now: datetime, until: datetime) -> bool:
        """Take the row for this worker; False where somebody else has it or it has ended."""
        rows = self.startable(now).filter(pk=pk)
        return rows.update(worker=worker, lease_until=until, tries=F("tries") + 1) == 1


class Delivery(models.Model):
    """One thing that one system is told: an event to a webhook, or a standing to a tracking system."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, null=True, related_name="deliveries")
    event = models.ForeignKey(Event, models.CASCADE, null=True, related_name="deliveries")
    order = models.ForeignKey(Order, models.CASCADE, null=True, related_name="deliveries")
    standing = models.CharField(max_length=10, choices=Standing, blank=True)
    queued_at = models.DateTimeField()
    due_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)
    replayed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-queued_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(webhook__isnull=False, event__isnull=False, order=None)
                | Q(webhook=None, event=None, order__isnull=False),
                name="delivery_is_of_an_event_or_an_order",
            ),
            models.UniqueConstraint(
                fields=["webhook", "event"],
                condition=Q(replayed_by=None, event__isnull=False),
                name="event_delivered_once_to_a_webhook",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                name="deliveries_to_send",
                condition=Q(delivered_at=None, given_up_at=None),
            )
        ]

    def __str__(self) -> str:
        return f"{self.what} to {self.webhook or (self.order and self.order.connection)}"

    @property
    def what(self) -> str:
        """The event's type, or what an order's standing is called."""
        return self.event.kind if self.event else self.get_standing_display()

    def state(self, now: datetime) -> str:
        """delivered, given_up, sending, waiting or trying_again."""
        if self.delivered_at:
            return "delivered"
        if self.given_up_at:
            return "given_up"
        if self.lease_until and self.lease_until > now and self.worker:
            return "sending"
        return "trying_again" if self.tries else "waiting"


class DeliveryTry(models.Model):
    """What came of one try."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="log")
    at = models.DateTimeField()
    took_ms = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(
        null=True, help_text="Of the answer; none: there was none."
    )
    said = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name_plural = "delivery tries"
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.status or 'no answer'} at {self.at:%Y-%m-%d %H:%M:%S}"
