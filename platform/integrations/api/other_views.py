"""The question bank, the audit trail, webhooks and their deliveries."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.audit import ADDITION, note_action
from accounts.confirmed import Refused
from accounts.models import User
from integrations import deliveries
from integrations.api import filters, other_forms
from integrations.api.base import Readable
from integrations.api.idempotency import Made, once
from integrations.models import Delivery, Webhook
from integrations.webhooks import endpoints
from library.models import Question

STOPPED_BEFORE = "This webhook was stopped before."


class Questions(Readable):
    model, resource, permission = Question, "questions", "library.view_question"
    serializer_class = other_forms.QuestionOut
    filterset_class = filters.QuestionFilter
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[Question]:
        return Question.objects.filter(replaced_at=None)


class Audit(Readable):
    model, resource, permission = LogEntry, "audit", "admin.view_logentry"
    serializer_class = other_forms.AuditOut
    filterset_class = filters.AuditFilter
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[LogEntry]:
        return LogEntry.objects.select_related("user", "content_type")


class Webhooks(Readable):
    model, resource, permission = Webhook, "webhooks", "integrations.view_webhook"
    verbs = {
        "create": "integrations.add_webhook",
        "partial_update": "integrations.change_webhook",
        "stop": "integrations.change_webhook",
    }
    never_once = ("create",)
    serializer_class = other_forms.WebhookOut
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[Webhook]:
        return Webhook.objects.all()

    @extend_schema(request=other_forms.WebhookIn, responses={201: other_forms.WebhookMade})
    def create(self, request: Request) -> Response:
        """A new webhook; its secret is in this answer and nowhere else."""
        data = self.checked(other_forms.WebhookIn)
        row, secret = endpoints.make(**data, by=self.viewer, now=self.now)
        note_action(self.viewer, row, "Made a webhook.", flag=ADDITION)
        return Response({**self.shown(row), "secret": secret}, status=201)

    @extend_schema(request=other_forms.WebhookChange)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Another address, description or choice of events."""
        data, row = self.checked(other_forms.WebhookChange), self.get_object()
        kept = {name: getattr(row, name) for name in ("url", "description", "events")}
        endpoints.change(row, **kept | data)
        note_action(self.viewer, row, "Changed a webhook.")
        return Response(self.shown(row))

    @extend_schema(request=other_forms.ReasonIn, responses=other_forms.WebhookOut)
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, pk: int) -> Response:
        """Nothing more is sent to it."""
        data, row = self.checked(other_forms.ReasonIn), self.get_object()

        def perform() -> Made:
            if not endpoints.stop(row, reason=data["reason"], now=self.now):
                raise Refused(STOPPED_BEFORE)
            note_action(self.viewer, row, f"Stopped a webhook. Reason: {data['reason']}")
            return Made(200, {})

        def answer(made: Made) -> Response:
            row.refresh_from_db()
            return Response(self.shown(row))

        return once(request, perform, answer)


class Deliveries(Readable):
    model, resource, permission = Delivery, "deliveries", "integrations.view_delivery"
    verbs = {"replay": "integrations.add_delivery"}
    scopes = dict.fromkeys(("list", "retrieve", "replay"), "webhooks")
    serializer_class = other_forms.DeliveryOut
    filterset_class = filters.DeliveryFilter
    lookup_value_converter = "uuid"
    ordering = "-queued_at"

    def rows(self, viewer: User) -> QuerySet[Delivery]:
        rows = Delivery.objects.select_related("webhook", "event", "order__connection")
        return rows.prefetch_related("log")

    @extend_schema(request=None, responses={201: other_forms.DeliveryOut})
    @action(detail=True, methods=["post"])
    def replay(self, request: Request, pk: UUID) -> Response:
        """The same thing once more, as a new delivery."""
        row = self.get_object()

        def perform() -> Made:
            new = deliveries.again(row, by=self.viewer, now=self.now)
            note_action(self.viewer, new, "Delivered again.")
            return Made(201, {"delivery": str(new.pk)})

        def answer(made: Made) -> Response:
            new: Any = self.get_queryset().get(pk=made.keys["delivery"])
            return Response(self.shown(new), status=made.status)

        return once(request, perform, answer)
