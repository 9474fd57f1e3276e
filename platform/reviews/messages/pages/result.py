"""Tell a candidate the result: a person does, after the decision, in words they have read."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.confirmed import DoneBefore, Refused, Verb, confirm
from accounts.models import User
from assessments.models import Attempt
from hiring.languages import of_messages
from hiring.messages.occasions import occasions
from hiring.messages.wording import words_for
from reviews.access import own_attempt_for
from reviews.messages.pages.words import WordsForm
from reviews.messages.results import (
    ONWARD,
    TELLS,
    TOLD_BEFORE,
    checked,
    occasion_of,
    tell,
)
from reviews.models import Decision
from reviews.visibility import may_read_decisions

HIDDEN = "What was decided is hidden from you until your own scorecard is in."
NOT_FINAL = "Nothing final is decided yet: record an offer, the next stage or a decline first."


def by_mail_field() -> forms.BooleanField:
    return forms.BooleanField(
        required=False,
        initial=True,
        label="Tell the candidate by e-mail",
        help_text="Unticked, it is only noted that they know, from a call or from a talk.",
    )


class ResultForm(WordsForm):
    """The words of the result; their variables are filled in when it is queued."""

    tell = by_mail_field()
    field_order = ["tell", "subject", "text"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(
            *args, occasion=occasions()[ONWARD], **kwargs
        )  # both have the same variables


def newest_final(attempt: Attempt) -> Decision | None:
    """The decision that stands, if it ends the matter."""
    link = attempt.invitation
    rows = Decision.objects.filter(opening=link.opening, candidate=link.candidate)
    latest = rows.order_by("-decided_at").first()
    return latest if latest and latest.outcome in Decision.FINAL else None


def _tell(attempt: Attempt, data: dict[str, Any], by: User, now: datetime) -> str:
    decision = newest_final(attempt)
    if decision is None:
        raise Refused(NOT_FINAL)
    if decision.told_at:
        raise DoneBefore(TOLD_BEFORE)
    words = checked(data, occasion_of(decision))
    return tell(decision, by_mail=data["tell"], by=by, now=now, words=words)


TELL = Verb(
    title="Tell the candidate",
    explanation=(
        "The message below goes to the candidate once. Read it as they will: {{ name }} and the other "
        "words in braces are filled in when it goes out."
    ),
    button="Tell them",
    permission=TELLS,
    perform=_tell,
    form=ResultForm,
)


def tell_result(request: HttpRequest, pk: UUID) -> HttpResponse:
    viewer, attempt = own_attempt_for(request, pk, TELL.permission)
    back = reverse("admin:decision", args=[attempt.pk])
    if not may_read_decisions(viewer, attempt):
        messages.info(request, HIDDEN)
        return HttpResponseRedirect(back)
    occasion = occasions()[occasion_of(newest_final(attempt))]
    words = words_for(occasion, attempt.invitation.opening, of_messages(attempt.invitation))
    return confirm(request, attempt, TELL, back=back, initial=words._asdict())
