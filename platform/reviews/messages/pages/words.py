"""Edit the words of messages, for the organisation or one opening, with a preview beside them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.audit import note_action
from accounts.models import User
from accounts.prose import ProseField
from accounts.staff_admin import allow
from hiring.messages.delivery import is_configured
from hiring.messages.occasions import TO_CANDIDATE, Occasion, occasions
from hiring.messages.wording import Words, check, words_for, written
from hiring.models import MessageWords, Opening, one_line

VIEW, ADD = "hiring.view_messagewords", "hiring.add_messagewords"
LONGEST = 6000
TO = {TO_CANDIDATE: "To candidates", "staff": "To staff"}


class WordsForm(forms.Form):
    """Subject and text; refused in one sentence where they hold more than known variables."""

    subject = forms.CharField(max_length=200, validators=[one_line])
    text = ProseField(max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 18}))

    def __init__(self, *args: Any, occasion: Occasion, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.occasion = occasion

    def clean_subject(self) -> str:
        return self._checked("subject")

    def clean_text(self) -> str:
        return self._checked("text")

    def _checked(self, name: str) -> str:
        source: str = self.cleaned_data[name]
        check(source, self.occasion)
        return source


@require_safe
def all_words(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Every occasion, when it is told, and whose words count."""
    allow(request, VIEW)
    opening = get_object_or_404(Opening, pk=pk) if pk else None
    groups = [
        (
            label,
            [
                (occasion, whose_words(occasion, opening), _address(occasion, opening))
                for occasion in occasions().values()
                if occasion.to == to
            ],
        )
        for to, label in TO.items()
    ]
    context = {
        **admin.site.each_context(request),
        "title": "Words of messages",
        "opening": opening,
        "groups": groups,
        "may_edit": request.user.has_perm(ADD),
        "mail_is_configured": is_configured(),
    }
    return render(request, "reviews/message_words.html", context)


def whose_words(occasion: Occasion, opening: Opening | None) -> str:
    """Whose words count: the opening's own, the organisation's, or those that are shipped."""
    for scope, said in ((opening, "this opening’s own"), (None, "your organisation’s")):
        if scope is None and opening is None and said.startswith("this"):
            continue
        row = MessageWords.objects.filter(occasion=occasion.key, opening=scope).first()
        if row and row.text:
            return said
    return "as shipped"


def _address(occasion: Occasion, opening: Opening | None) -> str:
    if opening:
        return reverse("admin:opening-words-edit", args=[opening.pk, occasion.key])
    return reverse("admin:message-words-edit", args=[occasion.key])


def _list_address(opening: Opening | None) -> str:
    if opening:
        return reverse("admin:opening-words", args=[opening.pk])
    return reverse("admin:message-words")


@require_http_methods(["GET", "HEAD", "POST"])
def edit_words(request: HttpRequest, occasion: str, pk: int | None = None) -> HttpResponse:
    """The form; "Preview" shows what is typed with examples in it, "Keep" keeps it, "Undo" goes back."""
    by = allow(request, ADD)
    opening = get_object_or_404(Opening, pk=pk) if pk else None
    about = occasions().get(occasion)
    if about is None:
        raise Http404
    now_said = words_for(about, opening)
    if request.method == "POST" and "undo" in request.POST:
        return _kept(request, about, opening, by, Words("", ""))
    form = WordsForm(request.POST or None, occasion=about, initial=now_said._asdict())
    shown, status = now_said, 200
    if request.method == "POST":
        if form.is_valid():
            shown = Words(form.cleaned_data["subject"], form.cleaned_data["text"])
            if "preview" not in request.POST:
                return _kept(request, about, opening, by, shown)
        else:
            status = 400
    context = {
        **admin.site.each_context(request),
        "title": about.title,
        "occasion": about,
        "opening": opening,
        "whose": whose_words(about, opening),
        "form": form,
        "preview": written(about, shown, about.examples()),
        "previews_typed": request.method == "POST" and status == 200,
        "back": _list_address(opening),
    }
    return render(request, "reviews/message_words_edit.html", context, status=status)


def _kept(
    request: HttpRequest, about: Occasion, opening: Opening | None, by: User, words: Words
) -> HttpResponse:
    row = MessageWords.objects.create(
        occasion=about.key,
        opening=opening,
        subject=words.subject,
        text=words.text,
        changed_by=by,
        changed_at=timezone.now(),
    )
    scope = f"“{opening}”" if opening else "the organisation"
    what = "Changed" if words.text else "Undid"
    note_action(by, row, f"{what} the words of “{about.title}” for {scope}.")
    messages.success(request, f"{what} the words of “{about.title}” for {scope}.")
    return HttpResponseRedirect(_list_address(opening))
