"""The bank's files in the admin: export as CSV and JSON, import with a preview of every row."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.audit import ADDITION, note_action
from accounts.staff_admin import allow
from library.exchange import MOST_BYTES, Unreadable, as_csv, as_json
from library.importing import Plan, carry_out, plan
from library.models import Question
from library.versions import ReplacedMeanwhile


class FileForm(forms.Form):
    """A file, or on the second page the text that was read from it."""

    file = forms.FileField(
        label="CSV or JSON file",
        required=False,
        help_text="At most 2 MB and 2,000 questions, in the form that an export has.",
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.json"}),
    )
    text = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        file = data.get("file")
        if file is not None:
            if file.size > MOST_BYTES:
                raise forms.ValidationError("The file is larger than 2 MB: split it.")
            try:
                data["text"] = file.read().decode("utf-8")
            except UnicodeDecodeError:
                raise forms.ValidationError(
                    "The file is not UTF-8 text: save it as “CSV UTF-8” or JSON."
                ) from None
        if not data.get("text") and not self.errors:
            raise forms.ValidationError("Choose a file.")
        return data


@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """Choose a file, see what would happen to each row, confirm."""
    by = allow(request, "library.add_question")
    form = FileForm(request.POST or None, request.FILES or None)
    planned: list[Plan] = []
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"]
        try:
            if request.POST.get("confirm"):
                counts = carry_out(text, by=by, now=timezone.now())
                said = f"Imported {counts['new']} new and {counts['changed']} changed questions"
                left = f"{counts['same']} were in the bank already, {counts['wrong']} left out"
                _trail(request, f"{said}; {left}.")
                messages.success(request, f"{said}; {left}.")
                return HttpResponseRedirect(reverse("admin:library_question_changelist"))
            planned = plan(text)
        except (Unreadable, ReplacedMeanwhile) as error:
            form.add_error(None, str(error))
    return render(
        request,
        "library/import.html",
        {
            **admin.site.each_context(request),
            "title": "Import questions",
            "form": form,
            "planned": planned,
            "usable": sum(1 for row in planned if row.kind in ("new", "changed")),
            "wrong": sum(1 for row in planned if row.kind == "wrong"),
            "text": form.cleaned_data.get("text", "") if planned else "",
        },
    )


def _trail(request: HttpRequest, sentence: str) -> None:
    by = allow(request, "library.view_question")
    newest = Question.objects.order_by("-pk").first()
    if newest is not None:
        note_action(by, newest, sentence, flag=ADDITION)


@require_safe
def export_csv(request: HttpRequest) -> HttpResponse:
    """The present questions for a spreadsheet; the byte order mark tells it that this is UTF-8."""
    text = "\ufeff" + as_csv(_current(request))
    return _file(text, "text/csv; charset=utf-8", "question-bank.csv")


@require_safe
def export_json(request: HttpRequest) -> HttpResponse:
    return _file(as_json(_current(request)), "application/json", "question-bank.json")


def _current(request: HttpRequest) -> list[Question]:
    allow(request, "library.view_question")
    return list(Question.objects.filter(replaced_at=None))


def _file(text: str, kind: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text.encode(), content_type=kind, headers=headers)
