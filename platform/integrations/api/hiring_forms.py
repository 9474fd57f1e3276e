"""Openings, candidates and invitations as the API writes and reads them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from hiring.models import Candidate, Exercise, Invitation, Opening
from reviews.bulk.inviting import AT_ONCE

HIGHEST_KEY = 10**18 - 1
WINDOWS = ("revoked", "scheduled", "open", "over")


class Key(serializers.IntegerField):
    """The number of a row."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=HIGHEST_KEY, **kwargs)


class ExerciseOut(serializers.ModelSerializer[Exercise]):
    class Meta:
        model = Exercise
        fields = (
            "id",
            "pack_name",
            "kind",
            "level",
            "mode",
            "answer_form",
            "limit_minutes",
            "revision_minutes",
        )
        read_only_fields = fields


class OpeningOut(serializers.ModelSerializer[Opening]):
    hiring_manager: Any = serializers.StringRelatedField(allow_null=True)
    exercises = ExerciseOut(many=True)

    class Meta:
        model = Opening
        fields = (
            "id",
            "title",
            "level",
            "description",
            "hiring_manager",
            "work_sample_weight",
            "answer_languages",
            "created_at",
            "closed_at",
            "exercises",
        )
        read_only_fields = fields


class CandidateOut(serializers.ModelSerializer[Candidate]):
    class Meta:
        model = Candidate
        fields = ("id", "name", "email", "time_zone", "pseudonym", "created_at")
        read_only_fields = fields


class CandidateIn(serializers.Serializer[Any]):
    """Somebody new; who is there already under the address is answered as they are."""

    name = serializers.CharField(max_length=150)
    email = serializers.EmailField(max_length=254)
    time_zone = serializers.CharField(
        max_length=64, required=False, default="", allow_blank=True, help_text="As Europe/Berlin."
    )


class InvitationOut(serializers.ModelSerializer[Invitation]):
    state = serializers.SerializerMethodField()
    exercises: Any = serializers.PrimaryKeyRelatedField(many=True, read_only=True)

    class Meta:
        model = Invitation
        fields = (
            "id",
            "opening",
            "candidate",
            "exercises",
            "state",
            "opens_at",
            "closes_at",
            "sent_at",
            "first_opened_at",
            "revoked_at",
            "revoke_reason",
            "repeat_reason",
            "created_at",
        )
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=WINDOWS))
    def get_state(self, row: Invitation) -> str:
        now: datetime = self.context["now"]
        return row.state(now)


class InvitationsIn(serializers.Serializer[Any]):
    """One or many candidates to one opening, on the same terms."""

    opening = Key()
    candidates = serializers.ListField(child=Key(), min_length=1, max_length=AT_ONCE)
    exercises = serializers.ListField(child=Key(), min_length=1, max_length=50)
    opens_at = serializers.DateTimeField()
    closes_at = serializers.DateTimeField(help_text="Last moment to press Start.")
    ahead_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        default=None,
        help_text="From when the materials are shown before the start; null: a surprise.",
    )
    sends = serializers.BooleanField(default=True, help_text="Whether a message goes out at once.")
    repeat_reason = serializers.CharField(
        max_length=300,
        required=False,
        default="",
        allow_blank=True,
        help_text="For whoever did one of the exercises not long ago; empty: they are left out.",
    )


class LeftOut(serializers.Serializer[Any]):
    candidate = serializers.IntegerField()
    why = serializers.CharField()


class InvitationsOut(serializers.Serializer[Any]):
    """Those who were invited, and of the others why not."""

    invitations = InvitationOut(many=True)
    left_out = LeftOut(many=True)


class ReasonIn(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=300, help_text="Goes into the audit trail.")


class ExtendIn(ReasonIn):
    closes_at = serializers.DateTimeField()
    tell = serializers.BooleanField(default=True, help_text="Whether the candidate is told.")


class Done(serializers.Serializer[Any]):
    """The sentence that went into the audit trail."""

    said = serializers.CharField()


class LinkOut(serializers.Serializer[Any]):
    link = serializers.URLField(help_text="Shown this once; links from before stop working.")
