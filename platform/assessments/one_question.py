"""A question as a candidate types it, to the assistant or to the staff: its text, its request, its refusal."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers, status
from rest_framework.exceptions import APIException

from accounts.prose import is_text


class BadQuestion(ValueError):
    """What was sent is no question; the text is one sentence."""


class NotNow(APIException):
    """It cannot be asked now; the text is one sentence."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "not_now"


def checked(text: object, longest: int) -> str:
    """The question as it is kept, of so many characters at most; raises BadQuestion."""
    if not isinstance(text, str) or not is_text(text) or not text.strip():
        raise BadQuestion(_("Write your question first."))
    whole = text.replace("\r\n", "\n").strip()
    if len(whole) > longest:
        raise BadQuestion(
            _("A question has at most %(most)s characters: shorten it, and send it again.")
            % {"most": f"{longest:,}"}
        )
    return whole


class AskRequest(serializers.Serializer[Any]):
    """One question: the id that the page chose for it, and its text."""

    id = serializers.UUIDField()
    text = serializers.CharField(trim_whitespace=False)

    def __init__(self, data: object, *, longest: int) -> None:
        super().__init__(data=data)
        self.longest = longest

    def validate_text(self, value: str) -> str:
        try:
            return checked(value, self.longest)
        except BadQuestion as error:
            raise serializers.ValidationError(str(error)) from error
