"""Questions, the audit trail, webhooks and deliveries as the API writes and reads them."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import LogEntry
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from integrations.api.hiring_forms import ReasonIn
from integrations.models import Delivery, DeliveryTry, Webhook
from integrations.webhooks.events import KINDS
from library.models import Question

__all__ = ["ReasonIn"]
STATES = ("waiting", "sending", "trying_again", "delivered", "given_up")


class QuestionOut(serializers.ModelSerializer[Question]):
    tags = serializers.ListField(child=serializers.CharField())
    expected_points = serializers.ListField(child=serializers.CharField())
    follow_ups = serializers.ListField(child=serializers.CharField())
    follow_up_answers = serializers.ListField(child=serializers.CharField(allow_blank=True))
    weak_answers = serializers.ListField(child=serializers.CharField())
    red_flags = serializers.ListField(child=serializers.CharField())
    hints = serializers.ListField(child=serializers.CharField())
    discussion_points = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Question
        fields = (
            "id",
            "topic_id",
            "topic",
            "section",
            "optional",
            "text",
            "level",
            "tags",
            "related_exercise",
            "expected_points",
            "follow_ups",
            "follow_up_answers",
            "weak_answers",
            "red_flags",
            "hints",
            "discussion_points",
            "shipped",
            "family",
            "version",
        )
        read_only_fields = fields


class AuditOut(serializers.ModelSerializer[LogEntry]):
    at = serializers.DateTimeField(source="action_time")
    by: Any = serializers.StringRelatedField(source="user")
    kind = serializers.SerializerMethodField(help_text='Of what: "hiring.opening".')
    row = serializers.CharField(source="object_id", allow_null=True)
    row_named = serializers.CharField(source="object_repr", allow_blank=True)
    said = serializers.SerializerMethodField()

    class Meta:
        model = LogEntry
        fields = ("id", "at", "by", "kind", "row", "row_named", "said")
        read_only_fields = fields

    def get_kind(self, row: LogEntry) -> str:
        kind = row.content_type
        return f"{kind.app_label}.{kind.model}" if kind else ""

    def get_said(self, row: LogEntry) -> str:
        return row.get_change_message()


class WebhookOut(serializers.ModelSerializer[Webhook]):
    events = serializers.ListField(child=serializers.ChoiceField(choices=list(KINDS)))

    class Meta:
        model = Webhook
        fields = ("id", "url", "description", "events", "made_at", "stopped_at", "stop_reason")
        read_only_fields = fields


class WebhookMade(WebhookOut):
    """With the secret, this once."""

    secret = serializers.CharField(help_text="whsec_ and base64; signs what is sent.")

    class Meta(WebhookOut.Meta):
        fields = (*WebhookOut.Meta.fields, "secret")  # type: ignore[assignment]


class WebhookIn(serializers.Serializer[Any]):
    url = serializers.CharField(max_length=500, help_text="https, at a public address.")
    description = serializers.CharField(
        max_length=150, required=False, default="", allow_blank=True
    )
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=list(KINDS)),
        required=False,
        default=list,
        help_text="Empty: all.",
    )


class WebhookChange(serializers.Serializer[Any]):
    """What is left out stays."""

    url = serializers.CharField(max_length=500, required=False)
    description = serializers.CharField(max_length=150, required=False, allow_blank=True)
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=list(KINDS)), required=False
    )


class TryOut(serializers.ModelSerializer[DeliveryTry]):
    class Meta:
        model = DeliveryTry
        fields = ("at", "took_ms", "status", "said")
        read_only_fields = fields


class DeliveryOut(serializers.ModelSerializer[Delivery]):
    what = serializers.CharField(help_text="The event's type, or the standing of an order.")
    to = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    log = TryOut(many=True)

    class Meta:
        model = Delivery
        fields = (
            "id",
            "webhook",
            "event",
            "what",
            "to",
            "state",
            "tries",
            "queued_at",
            "due_at",
            "delivered_at",
            "given_up_at",
            "log",
        )
        read_only_fields = fields

    def get_to(self, row: Delivery) -> str:
        return str(row.webhook or (row.order and row.order.connection))

    @extend_schema_field(serializers.ChoiceField(choices=STATES))
    def get_state(self, row: Delivery) -> str:
        return row.state(self.context["now"])
