"""Connections to applicant-tracking systems, and what each of them ordered for whom."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from hiring.models import Candidate, Exercise, Invitation


class ConnectionKind(models.TextChoices):
    GREENHOUSE = "greenhouse", "Greenhouse"
    ASHBY = "ashby", "Ashby"
    LEVER = "lever", "Lever"


class Connection(models.Model):
    """One tracking system that may order exercises. It sees and invites as `person` may."""

    kind = models.CharField("system", max_length=12, choices=ConnectionKind)
    label = models.CharField(max_length=80)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="tracking_connections",
        help_text="In whose name candidates are invited and results are given back.",
    )
    key_hash = models.CharField(
        max_length=64, unique=True, help_text="Of the key in its requests to us, or in its address."
    )
    outward_key = models.TextField(blank=True, help_text="Sealed; its own key, for requests to it.")
    signature_key = models.TextField(blank=True, help_text="Sealed; signs what Lever sends.")
    base_url = models.URLField(max_length=300, help_text="Where its own interface is.")
    acts_as = models.CharField(
        max_length=100, blank=True, help_text="Of Lever: the user in whose name notes are written."
    )
    stage = models.CharField(
        max_length=100, blank=True, help_text="Of Lever: what leads to an order."
    )
    exercise = models.ForeignKey(
        Exercise,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Of that stage.",
    )
    window_days = models.PositiveSmallIntegerField(default=7, db_default=7)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    trouble = models.TextField(blank=True, default="", db_default="")
    trouble_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "connection to a tracking system"
        verbose_name_plural = "connections to tracking systems"
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.label


class Standing(models.TextChoices):
    """How far an ordered exercise is, in the order in which it goes."""

    INVITED = "invited", "Invited"
    STARTED = "started", "Started"
    HANDED_IN = "handed_in", "Handed in"
    COMPLETE = "complete", "Scored"
    MISSED = "missed", "Not started in time"
    CANCELLED = "cancelled", "Cancelled"


class Order(models.Model):
    """One exercise that a tracking system ordered for one person."""

    goes_with_the_name = True
    """Whose name is forgotten is not found by their number in another system either."""
    exported_as = "orders_of_tracking_systems"
    """Where these rows stand in a candidate's copy of their data."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="orders")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="tracking_orders")
    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="tracking_orders")
    exercise = models.ForeignKey(Exercise, models.PROTECT, related_name="+")
    external_id = models.CharField(
        max_length=200, help_text="Application, opportunity or test, as the system calls it."
    )
    profile_url = models.URLField(max_length=500, blank=True)
    callback_url = models.URLField(max_length=500, blank=True)
    ordered_at = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True)
    told = models.CharField(
        max_length=10, choices=Standing, blank=True, help_text="What the system was told last."
    )

    class Meta:
        ordering = ["-ordered_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["connection", "external_id", "exercise"],
                condition=Q(cancelled_at=None),
                name="ordered_once",
            )
        ]

    def __str__(self) -> str:
        return f"Order {self.external_id} of {self.connection}"

    @classmethod
    def exported(cls, candidate: Candidate) -> list[dict[str, Any]]:
        """Which system ordered what, by which number, and how far it was told that they are."""
        rows = cls.objects.filter(candidate=candidate).order_by("ordered_at", "pk")
        return [
            {
                "system": row.connection.get_kind_display(),
                "opening": row.exercise.opening.title,
                "exercise": str(row.exercise),
                "their_number": row.external_id,
                "their_page": row.profile_url,
                "ordered_at": row.ordered_at,
                "cancelled_at": row.cancelled_at,
                "told": [
                    {"that": one.what, "at": one.delivered_at}
                    for one in row.deliveries.exclude(delivered_at=None).order_by("delivered_at")
                ],
            }
            for row in rows.select_related("connection", "exercise__opening")
        ]


class Arrival(models.Model):
    """A stage change that Lever reported: taken in by a worker, which asks Lever who it is about."""

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="arrivals")
    token = models.CharField(max_length=100, help_text="Of Lever's request; the same comes once.")
    external_id = models.CharField(max_length=200)
    order = models.ForeignKey(Order, models.CASCADE, null=True, related_name="arrivals")
    arrived_at = models.DateTimeField()
    due_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    said = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-arrived_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["connection", "token"], name="arrived_once")]

    def __str__(self) -> str:
        return f"{self.external_id} at {self.arrived_at:%Y-%m-%d %H:%M:%S}"
