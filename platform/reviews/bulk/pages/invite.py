"""Invite the candidates of a list to one opening: terms and message, what becomes of each, then all at once."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.prose import ProseField
from accounts.row_numbers import RowsField, row_number
from accounts.staff_admin import allow
from hiring.invite_form import WINDOW, Moment
from hiring.messages.delivery import is_configured
from hiring.messages.occasions import occasions
from hiring.messages.wording import Words, check, words_for
from hiring.models import Candidate, Exercise, Opening, one_line
from hiring.policies import SHOWN_AHEAD
from reviews.bulk import selection
from reviews.bulk.inviting import AT_ONCE, Line, Terms, invite_all, plan, preview
from reviews.names_seen import note_names
from reviews.visibility import candidates_visible_to

CHANGED = "You changed something since the page was shown: look at it once more, then press again."
INVITATION = "invitation"


@dataclass(frozen=True)
class Asked:
    """Who asks for whom to be invited to what."""

    request: HttpRequest
    chosen: list[Candidate]
    opening: Opening
    by: User
    now: datetime

    @property
    def leave(self) -> set[str]:
        """Keys of those who are left out."""
        return set(self.request.POST.getlist("leave"))


class TermsForm(forms.Form):
    """What all are invited to, when, and the message that they get."""

    exercises = RowsField(
        Exercise.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one exercise."},
    )
    opens_at = Moment(label="Opens (UTC)")
    closes_at = Moment(
        label="Closes (UTC)",
        help_text="Last moment to press Start. Agreed extra time widens the window by itself.",
    )
    ahead_at = Moment(
        label="Materials shown ahead from (UTC)",
        required=False,
        help_text=f"For {SHOWN_AHEAD}; empty: a surprise.",
    )
    sends = forms.BooleanField(
        required=False,
        initial=True,
        label="Send the invitation by e-mail at once",
        help_text="Each with a link of its own. Without it nobody is told until you send it.",
    )
    subject = forms.CharField(max_length=200, validators=[one_line], label="Subject")
    text = ProseField(
        max_length=6000,
        label="Message",
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="The words for this list alone; {{ name }} and the other words in braces are "
        "filled in for each person.",
    )
    repeat_reason = forms.CharField(
        max_length=300,
        required=False,
        widget=forms.HiddenInput,  # shown where somebody did an exercise not long ago
        label="Why again",
        help_text="For whoever did an exercise of these not long ago. Stays with their invitation "
        "and in the audit trail; empty: they are left out.",
    )

    def __init__(self, *args: Any, opening: Opening, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.opening = opening
        self.fields["exercises"].queryset = opening.exercises.all()  # type: ignore[attr-defined]

    def clean_subject(self) -> str:
        return self._known_words("subject")

    def clean_text(self) -> str:
        return self._known_words("text")

    def _known_words(self, name: str) -> str:
        said: str = self.cleaned_data[name]
        check(said, occasions()[INVITATION])
        return said

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        opens_at, closes_at = data.get("opens_at"), data.get("closes_at")
        if opens_at and closes_at and closes_at <= opens_at:
            self.add_error("closes_at", "The window must close after it opens.")
        elif closes_at and closes_at <= timezone.now():
            self.add_error("closes_at", "This moment has passed: choose a later one.")
        ahead_at, chosen = data.get("ahead_at"), data.get("exercises") or []
        if ahead_at and chosen and not any(row.traits.is_released_ahead for row in chosen):
            self.add_error("ahead_at", "None of the chosen exercises can be shown ahead.")
        elif ahead_at and closes_at and ahead_at >= closes_at:
            self.add_error("ahead_at", "Show the materials before the link closes.")
        return data

    def terms(self) -> Terms:
        """Of a form that is valid."""
        data = self.cleaned_data
        return Terms(
            opening=self.opening,
            exercises=list(data["exercises"]),
            opens_at=data["opens_at"],
            closes_at=data["closes_at"],
            words=Words(data["subject"], data["text"]),
            sends=data["sends"],
            ahead_at=data["ahead_at"],
            repeat_reason=data["repeat_reason"].strip(),
        )


def first_form(opening: Opening, now: datetime) -> TermsForm:
    """A week from now, the opening's words and its exercise: filled in where there is only one."""
    start = now.replace(second=0, microsecond=0)
    exercises = list(opening.exercises.all())
    words = words_for(occasions()[INVITATION], opening)
    initial = {"opens_at": start, "closes_at": start + WINDOW, "sends": True, **words._asdict()}
    if len(exercises) != 1:
        return TermsForm(initial=initial, opening=opening)
    sent = QueryDict(mutable=True)
    for name in ("opens_at", "closes_at"):
        sent[name] = f"{initial[name]:%Y-%m-%dT%H:%M}"
    sent.update({**words._asdict(), "sends": "on", "exercises": str(exercises[0].pk)})
    return TermsForm(sent, opening=opening)


@require_http_methods(["GET", "HEAD", "POST"])
def invite_many(request: HttpRequest) -> HttpResponse:
    """?list=: of `selection`. ?opening=: to which; asked for where it is not said."""
    by, now = allow(request, "hiring.add_invitation"), timezone.now()
    mark = request.GET.get("list", "")
    chosen = _chosen(request, mark, by)
    opening = _opening(request)
    if not chosen:
        messages.info(request, "Paste or choose the people first: the list is not kept any more.")
        more = f"?opening={opening.pk}" if opening else ""
        return HttpResponseRedirect(reverse("admin:candidates-add-many") + more)
    note_names(by, [person.pk for person in chosen], "invite-many", now=now)
    if opening is None:
        return _ask_opening(request, mark, chosen)
    asked = Asked(request, chosen, opening, by, now)
    if request.method != "POST":
        return _page(asked, first_form(opening, now))
    form = TermsForm(request.POST, opening=opening)
    if not form.is_valid():
        return _page(asked, form, status=400)
    if "invite" not in request.POST:
        return _page(asked, form)
    if request.POST.get("shown") != _shown(request.POST):
        return _page(asked, form, notice=CHANGED, status=409)
    return _invite(asked, form)


def _chosen(request: HttpRequest, mark: str, by: User) -> list[Candidate]:
    keys = [number for key in selection.kept(request, mark) if (number := row_number(key))]
    rows = candidates_visible_to(by).filter(pk__in=keys).prefetch_related("accommodations")
    return list(rows)


def _opening(request: HttpRequest) -> Opening | None:
    sent = request.GET.get("opening", "")
    if not sent:
        return None
    found: Opening = get_object_or_404(Opening, pk=row_number(sent), closed_at=None)
    return found


def _ask_opening(request: HttpRequest, mark: str, chosen: list[Candidate]) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": "Invite to which opening",
        "openings": Opening.objects.filter(closed_at=None).prefetch_related("exercises"),
        "count": len(chosen),
        "mark": mark,
    }
    return render(request, "reviews/bulk/which_opening.html", context)


def _shown(data: Any) -> str:
    """What of the form decides what happens, so that nothing happens that was not shown."""
    names = ("opens_at", "closes_at", "ahead_at", "sends", "subject", "text", "repeat_reason")
    said = [f"{name}={data.get(name, '')}" for name in names]
    said += sorted(data.getlist("exercises")) + sorted(data.getlist("leave"))
    return uuid.uuid5(uuid.NAMESPACE_OID, "\n".join(said).replace("\r\n", "\n")).hex


def _page(asked: Asked, form: TermsForm, *, notice: str = "", status: int = 200) -> HttpResponse:
    """The form; below it, once it can be read, what becomes of each and the first one's message."""
    lines, ready, message = _outlook(asked, form)
    context = {
        **admin.site.each_context(asked.request),
        "title": "Invite together",
        "form": form,
        "opening": asked.opening,
        "chosen": asked.chosen,
        "lines": _first_of(lines),
        "hidden": max(0, len(lines) - len(_first_of(lines))),
        "leave": asked.leave,
        "ready": min(ready, AT_ONCE),
        "later": max(0, ready - AT_ONCE),
        "message": message,
        "shown": _shown(form.data) if lines else "",
        "press": asked.request.POST.get("press") or uuid.uuid4(),
        "notice": notice,
        "mail_is_configured": is_configured(),
    }
    return render(asked.request, "reviews/bulk/invite.html", context, status=status)


def _outlook(asked: Asked, form: TermsForm) -> tuple[list[Line], int, Words | None]:
    """A line for each, how many can be invited, and the first one's message."""
    if not (form.is_bound and form.is_valid()):
        return [], 0, None
    terms = form.terms()
    lines = plan(asked.chosen, terms, asked.now)
    if any(line.repeat for line in lines):
        form.fields["repeat_reason"].widget = forms.TextInput()
    ready = [row for row in lines if row.possible and str(row.candidate.pk) not in asked.leave]
    if not (terms.sends and ready):
        return lines, len(ready), None
    return lines, len(ready), preview(ready[0].candidate, terms, by=asked.by, now=asked.now)


def _first_of(lines: list[Line]) -> list[Line]:
    """Those that the next press invites, then those that it cannot; a longer list has more pages."""
    possible = [line for line in lines if line.possible]
    return possible[:AT_ONCE] + [line for line in lines if not line.possible][:AT_ONCE]


def _invite(asked: Asked, form: TermsForm) -> HttpResponse:
    """Invite them; of a long list the page comes again as it was filled in, for the next ones."""
    request, opening, now = asked.request, asked.opening, asked.now
    people = [person for person in asked.chosen if str(person.pk) not in asked.leave]
    try:
        page = uuid.UUID(request.POST.get("press", ""))
    except ValueError:
        page = uuid.uuid4()
    terms = form.terms()
    lines = plan(people, terms, now)
    count = invite_all(lines, terms, page=page, by=asked.by, now=now)
    left = sum(line.possible for line in lines) - count
    sent = " Their messages are on their way." if terms.sends and count else ""
    if count:
        text = f"Invited {count} candidate{'' if count == 1 else 's'} to {opening}.{sent}"
        messages.success(request, text)
    else:
        messages.info(request, "Nobody was invited: all of them were invited before.")
    if left > 0 and count:
        more = f"{left} more of the list can be invited now."
        return _page(asked, form, notice=more)
    return HttpResponseRedirect(
        f"{reverse('admin:hiring_invitation_changelist')}?opening__id__exact={opening.pk}"
    )
