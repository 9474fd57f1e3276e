"""Tell a candidate the result: a person does, after the decision, in words they have read."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from accounts.confirmed import DoneBefore, Refused, Verb, confirm
from accounts.models import User
from assessments.models import Attempt
from hiring.languages import of_messages
from hiring.messages.occasions import occasions
from hiring.messages.outbox import Told, tell_candidate
from hiring.messages.wording import Words, check, words_for
from reviews.access import attempt_for
from reviews.messages.pages.words import WordsForm
from reviews.models import Decision

NOT_FINAL = "Nothing final is decided yet: record an offer, the next stage or a decline first."
ONWARD, DECLINED = "result_onward", "result_declined"


class ResultForm(WordsForm):
    """The words of the result; their variables are filled in when it is queued."""

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


def occasion_of(decision: Decision | None) -> str:
    declined = decision is not None and decision.outcome == Decision.Outcome.DECLINE
    return DECLINED if declined else ONWARD


def _tell(attempt: Attempt, data: dict[str, Any], by: User, now: datetime) -> str:
    decision = newest_final(attempt)
    if decision is None:
        raise Refused(NOT_FINAL)
    key = occasion_of(decision)
    link = attempt.invitation
    words = Words(data["subject"], data["text"])
    try:
        check(words.text, occasions()[key])
    except ValidationError as error:
        raise Refused(error.messages[0]) from error
    told = Told(
        occasion=key,
        about=f"decision {decision.pk}",
        opening=link.opening,
        candidate=link.candidate,
        invitation=link,
    )
    if not tell_candidate(told, now=now, by=by, words=words):
        raise DoneBefore("The candidate was told of this decision before.")
    return f"Told the candidate: {decision.get_outcome_display()}."


TELL = Verb(
    title="Tell the candidate",
    explanation=(
        "The message below goes to the candidate once. Read it as they will: {{ name }} and the other "
        "words in braces are filled in when it goes out."
    ),
    button="Send it",
    permission="reviews.add_decision",
    perform=_tell,
    form=ResultForm,
)


def tell_result(request: HttpRequest, pk: UUID) -> HttpResponse:
    _, attempt = attempt_for(request, pk, TELL.permission)
    occasion = occasions()[occasion_of(newest_final(attempt))]
    words = words_for(occasion, attempt.invitation.opening, of_messages(attempt.invitation))
    back = reverse("admin:decision", args=[attempt.pk])
    return confirm(request, attempt, TELL, back=back, initial=words._asdict())
