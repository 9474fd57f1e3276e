"""Tokens of the API: the list, making one, ending one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.confirmed import Question, Refused, Verb
from accounts.models import User
from accounts.staff_admin import allow
from hiring.models import one_line
from integrations import tokens
from integrations.models import ApiToken
from integrations.pages.making import Maker, Secret, ending, in_whose_name, making, number_of_days
from reviews.phases import Tag

TAGS = {
    "live": Tag("Live", "good"),
    "over": Tag("Expired", ""),
    "revoked": Tag("Revoked", ""),
    "without access": Tag("Person has no access", "warn"),
}
CRUMB = "API tokens"


class TokenForm(forms.Form):
    """For which program, in whose name, for what, for how long."""

    label = forms.CharField(
        label="For which program",
        max_length=80,
        validators=[one_line],
        help_text="For the list of tokens, as “Nightly export to the warehouse”.",
    )
    person = in_whose_name(
        "The token sees and does what this person may, openings and blindness included. An "
        "account of its own with the fitting role says best in the audit trail who acted.",
    )
    scopes = forms.MultipleChoiceField(
        choices=[(name, f"{words} ({name})") for name, words in tokens.SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose what the token is for."},
        help_text="Only what the program needs: a scope never gives more than the person has.",
    )
    days = number_of_days(
        "Days",
        most=tokens.MOST_DAYS,
        usual=tokens.USUAL_DAYS,
        help_text=f"Then it opens nothing any more. At most {tokens.MOST_DAYS}.",
    )


@never_cache
@require_safe
def all_tokens(request: HttpRequest) -> HttpResponse:
    allow(request, "integrations.view_apitoken")
    now = timezone.now()
    rows = ApiToken.objects.select_related("person", "made_by")
    context = {
        **admin.site.each_context(request),
        "title": CRUMB,
        "rows": [(row, TAGS[row.state(now)]) for row in rows],
    }
    return render(request, "integrations/tokens.html", context)


def _make(data: dict[str, Any], by: User, now: datetime) -> Secret:
    row, text = tokens.make(**data, by=by, now=now)
    said = f"Made an API token for {row.person}, for {data['days']} days: {', '.join(row.scopes)}."
    help_text = "Shown this once: only a hash of it is stored. A program sends it as “Authorization: Bearer …”."
    return Secret(row, said, f"The token for {row.label}", [("Token", text, help_text)])


MAKE = Question(
    title="Make an API token",
    explanation=(
        "A program that has the token asks and acts under /api/v1/ in the name of a member of staff, without a "
        "password, until the token ends or is revoked. Everything it does is in the audit trail."
    ),
    button="Make the token",
    permission="integrations.add_apitoken",
    form=TokenForm,
)
make = making(Maker(MAKE, _make, CRUMB, "admin:api-tokens"))


def _revoke(row: ApiToken, data: dict[str, Any], by: User, now: datetime) -> str:
    if not tokens.revoke(row, by=by, now=now):
        raise Refused("This token was revoked before.")
    return f"Revoked the API token. Reason: {data['reason']}"


REVOKE = Verb(
    title="Revoke the token",
    explanation="It opens nothing from now on, and it cannot be brought back.",
    button="Revoke the token",
    permission="integrations.change_apitoken",
    perform=_revoke,
    grave=True,
)
revoke = ending(ApiToken, REVOKE, back=lambda row: reverse("admin:api-tokens"))
