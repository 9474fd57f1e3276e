"""The workspace's questions to the staff, and what was told: one address, read again when the state says so."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.not_possible import NotPossible
from assessments.api import AttemptView
from assessments.enquiries import asking
from assessments.models import Announcement, Attempt, Enquiry
from assessments.one_question import AskRequest, NotNow


class EnquiriesView(AttemptView):
    """GET: all that was asked and told. POST: ask; the same id again is the same question."""

    def get(self, request: Request, pk: UUID) -> Response:
        return Response(conversation(self.attempt))

    def post(self, request: Request, pk: UUID) -> Response:
        serializer = AskRequest(request.data, longest=asking.LONGEST)
        serializer.is_valid(raise_exception=True)
        try:
            row = asking.ask(self.attempt, **serializer.validated_data, now=self.now)
        except NotPossible as error:
            raise NotNow(str(error)) from error
        return Response(_question(row, []), status=status.HTTP_201_CREATED)


def conversation(attempt: Attempt) -> dict[str, Any]:
    """{"asked": questions with their answers, "announced": the rest of what was told, "newest": its number}."""
    told = list(Announcement.objects.to_attempt(attempt))
    own = list(attempt.enquiries.all())
    answers: defaultdict[UUID, list[Announcement]] = defaultdict(list)
    for row in told:
        if row.enquiry_id:
            answers[row.enquiry_id].append(row)
    keys = {row.pk for row in own}
    return {
        "asked": [_question(row, answers[row.pk]) for row in own],
        "announced": [_told(row) for row in told if row.enquiry_id not in keys],
        "newest": told[-1].pk if told else 0,
    }


def _question(row: Enquiry, answers: list[Announcement]) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "text": row.text,
        "at": row.asked_at.isoformat(),
        "about": row.about,
        "answers": [_told(one) for one in answers],
    }


def _told(row: Announcement) -> dict[str, Any]:
    """Without who said it: candidates know staff by the company's name."""
    return {
        "id": row.pk,
        "text": row.text,
        "at": row.at.isoformat(),
        "to_all": row.to_id is None,
        "is_correction": row.is_correction,
    }
