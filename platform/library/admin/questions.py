"""The question bank in the admin: cards to read and search, own questions to write."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import path
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from accounts.staff_admin import StaffAdmin, viewer
from library import versions
from library.admin import question_files
from library.admin.question_filters import ExposureFilter, SpareFilter, TopicFilter, WriterFilter
from library.exposure import difficulty, with_exposure
from library.models import Question


class LinesField(forms.CharField):
    """A list of texts, written one on each line."""

    widget = forms.Textarea

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value) or ""
        return [line.strip() for line in text.splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))


LISTS = {
    "expected_points": "What a good answer covers, one point on each line.",
    "follow_ups": "Questions to go deeper with, one on each line.",
    "follow_up_answers": "What a good answer to each follow-up says, one on each line, in the same order.",
    "weak_answers": "What somebody says who knows the words and not the work, one on each line.",
    "red_flags": "What should worry you, one on each line.",
    "hints": "Help for somebody who is stuck, one on each line.",
    "discussion_points": "For architecture questions: what to talk through, one on each line.",
    "tags": "Words to find the question by, one on each line.",
}


LABELS = {
    "follow_ups": "Follow-up questions",
    "follow_up_answers": "Answers to the follow-ups",
    "tags": "Words to find it by",
}


def _label(name: str) -> str:
    return LABELS.get(name, name.replace("_", " ").capitalize())


def _lines(name: str, *, required: bool = False) -> LinesField:
    widget = forms.Textarea(attrs={"rows": 4})
    return LinesField(label=_label(name), required=required, help_text=LISTS[name], widget=widget)


def _shown(name: str) -> Any:
    """A column that shows a list as a list, for questions that cannot be edited."""

    @admin.display(description=_label(name))
    def show(self: Any, question: Question) -> str:
        rows = format_html_join("", "<li>{}</li>", ((text,) for text in getattr(question, name)))
        return format_html('<ul class="points">{}</ul>', rows) if rows else "–"

    return show


class QuestionForm(forms.ModelForm):  # type: ignore[type-arg]
    expected_points = _lines("expected_points", required=True)
    follow_ups = _lines("follow_ups")
    follow_up_answers = _lines("follow_up_answers")
    weak_answers = _lines("weak_answers")
    red_flags = _lines("red_flags")
    hints = _lines("hints")
    discussion_points = _lines("discussion_points")
    tags = _lines("tags")

    class Meta:
        model = Question
        fields = [
            "topic_id",
            "topic",
            "section",
            "level",
            "text",
            *LISTS,
            "related_exercise",
            "optional",
        ]
        labels = {"optional": "Only with time to spare"}
        widgets = {"text": forms.Textarea(attrs={"rows": 4})}

    def clean(self) -> dict[str, Any]:
        """Refuse to change what somebody else has just replaced; the row stays locked until saved."""
        data = super().clean() or {}
        answers = data.get("follow_up_answers") or []
        if len(answers) not in (0, len(data.get("follow_ups") or [])):
            self.add_error(
                "follow_up_answers", "Write one answer for each follow-up, or leave them all out."
            )
        if self.instance.pk:
            rows = Question.objects.select_for_update().filter(pk=self.instance.pk)
            if not rows.filter(replaced_at=None).exists():
                raise forms.ValidationError(
                    "Somebody changed this question since you opened it. Open the newest version "
                    "and make your change there."
                )
        return data


@admin.register(Question)
class QuestionAdmin(StaffAdmin):
    form = QuestionForm
    intro = "Questions with what a good answer covers. Only the question itself is for candidates."
    empty = "The bank is empty. “Add question” starts your own; the shipped ones come with a pack."
    list_display = ["topic", "topic_id", "section", "level"]
    list_filter = [
        "section",
        TopicFilter,
        "level",
        ExposureFilter,
        "related_exercise",
        SpareFilter,
        WriterFilter,
    ]
    search_fields = ["topic_id", "topic", "section", "text", "tags", "expected_points"]
    list_per_page = 40
    readonly_fields = ["version", "writer", *(f"{name}_shown" for name in LISTS)]
    fieldsets = (
        (None, {"fields": ("topic_id", "topic", "section", "level", "text")}),
        ("For the interviewer", {"fields": tuple(LISTS)}),
        ("Use", {"fields": ("related_exercise", "optional", "version", "writer")}),
    )

    @admin.display(description="who wrote it")
    def writer(self, question: Question) -> str:
        return "Came with Headnode" if question.shipped else "Your team"

    expected_points_shown = _shown("expected_points")
    follow_ups_shown = _shown("follow_ups")
    follow_up_answers_shown = _shown("follow_up_answers")
    weak_answers_shown = _shown("weak_answers")
    red_flags_shown = _shown("red_flags")
    hints_shown = _shown("hints")
    discussion_points_shown = _shown("discussion_points")
    tags_shown = _shown("tags")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None or self.has_change_permission(request, obj):
            return self.fieldsets
        shown = tuple(f"{name}_shown" for name in LISTS)
        return (self.fieldsets[0], ("For the interviewer", {"fields": shown}), self.fieldsets[2])

    def get_queryset(self, request: HttpRequest) -> Any:
        """Questions as they are now; replaced versions are shown beside the newest one."""
        return with_exposure(super().get_queryset(request).filter(replaced_at=None))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list, each question of the page with how hard it was where that can be said."""
        answer = super().changelist_view(request, extra_context)
        listed = getattr(answer, "context_data", None) or {}
        if "cl" in listed:
            rows = list(listed["cl"].result_list)
            known = difficulty(rows)
            for row in rows:
                row.difficulty = known.get(row.family)
            listed["cl"].result_list = rows
        return answer

    def get_urls(self) -> Any:
        page = self.admin_site.admin_view
        own = [
            path("import/", page(question_files.import_page), name="question-import"),
            path("export.csv", page(question_files.export_csv), name="question-export-csv"),
            path("export.json", page(question_files.export_json), name="question-export-json"),
        ]
        return own + super().get_urls()

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """The form, with how often the question was asked and what it said before."""
        question = context.get("original")
        if question is not None:
            question.difficulty = difficulty([question]).get(question.family)
            context |= {"versions": versions.versions_of(question), "question": question}
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A changed question is a new row; interviews keep the words that they were held with."""
        now, by = timezone.now(), viewer(request)
        if change:
            versions.replace(Question.objects.get(pk=obj.pk), obj, by=by, now=now)
            return
        obj.created_at, obj.changed_by = now, by
        super().save_model(request, obj, form, change)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Shipped questions are replaced by the next version of the product, so nobody edits them."""
        allowed = super().has_change_permission(request, obj)
        return allowed and not (obj is not None and obj.shipped)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_delete_permission(request, obj)
        return allowed and not (obj is not None and obj.shipped)
