"""Question sets in the staff's pages: the list, the builder, a set to edit, its printed form."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.audit import ADDITION, note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from assessments.models import Attempt
from hiring.models import Opening
from library.choosing import Wish, propose
from library.exposure import difficulty, with_exposure
from library.models import Question, Seniority
from library.vocabulary import LONGEST_TEXT, level_of, traits
from reviews.access import attempt_for
from reviews.interviews import question_sets
from reviews.models import QuestionSet
from reviews.printed import answer
from reviews.visibility import openings_visible_to


class WishForm(forms.Form):
    """What the set is for; one of text, traits or weak criteria has to say something."""

    text = forms.CharField(
        label="Job description",
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 9}),
        help_text=(
            "Paste it whole. It is compared with a written list of the trade's words; "
            "nothing leaves this site."
        ),
    )
    traits = forms.MultipleChoiceField(
        label="What the person should show",
        required=False,
        choices=traits,
        widget=forms.CheckboxSelectMultiple,
    )
    level = forms.ChoiceField(label="Seniority", choices=Seniority.choices, initial="mid")
    other_levels = forms.BooleanField(label="Questions of other levels too", required=False)
    minutes = forms.IntegerField(label="Minutes available", min_value=5, max_value=240, initial=45)


class SetForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = QuestionSet
        fields = ["title", "opening", "minutes"]

    def __init__(self, *args: Any, viewer: User, **kwargs: Any) -> None:
        kwargs["auto_id"] = "set_%s"  # beside a form with the same fields
        super().__init__(*args, **kwargs)
        self.fields["opening"].queryset = openings_visible_to(viewer)  # type: ignore[attr-defined]
        self.fields["opening"].empty_label = "No opening in particular"  # type: ignore[attr-defined]


def _page(request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
    return render(
        request, template, {**admin.site.each_context(request), "title": title, **context}
    )


def set_for(request: HttpRequest, pk: int, permission: str) -> tuple[User, QuestionSet]:
    """The viewer and the set; PermissionDenied by role, Http404 where they may not know of it."""
    viewer = allow(request, permission)
    row = QuestionSet.objects.visible_to(viewer).select_related("opening").filter(pk=pk).first()
    if row is None:
        raise Http404
    return viewer, row


@require_safe
def sets(request: HttpRequest) -> HttpResponse:
    """All sets in use, newest first."""
    viewer = allow(request, "reviews.view_questionset")
    rows = QuestionSet.objects.visible_to(viewer).filter(retired_at=None)
    rows = rows.select_related("opening", "created_by").prefetch_related("items__question")
    return _page(request, "reviews/question_sets.html", "Question sets", rows=list(rows[:200]))


@require_http_methods(["GET", "HEAD", "POST"])
def build(request: HttpRequest) -> HttpResponse:
    """Say what the set is for, see what is proposed and why, keep what fits, save."""
    viewer = allow(request, "reviews.add_questionset")
    attempt = _attempt(request)
    weaknesses = question_sets.weakest(attempt, viewer) if attempt else []
    begin: dict[str, Any] = {"level": attempt.level} if attempt else {}
    opening = _opening(request, viewer)
    if opening:
        begin |= {"level": opening.level, "text": opening.description}
    wish_form = WishForm(_with_level(request), initial=begin)
    other = "Questions to go deeper" if attempt else "Interview questions"
    title = f"Questions for {opening}" if opening else other
    about = opening or (attempt.invitation.opening if attempt else None)
    initial: dict[str, Any] = {"title": title[:150], "opening": about}
    set_form = SetForm(viewer=viewer, initial=initial)
    context: dict[str, Any] = {"attempt": attempt, "weaknesses": weaknesses, "rows": []}
    if request.method == "POST" and "save" in request.POST:
        row = QuestionSet(attempt=attempt, job_text=request.POST.get("text", "")[:LONGEST_TEXT])
        set_form = SetForm(request.POST, instance=row, viewer=viewer)
        if saved := _save(request, set_form, viewer):
            return saved
        context["rows"] = _kept(request)
    elif request.method == "POST" and wish_form.is_valid():
        wish = Wish(
            **wish_form.cleaned_data,
            weaknesses=weaknesses,
            exercise=attempt.exercise.kind if attempt else "",
        )
        context |= _proposed(wish)
        initial["minutes"] = wish.minutes
        set_form = SetForm(viewer=viewer, initial=initial)
        if not context["rows"]:
            wish_form.add_error(None, _nothing(wish))
    context |= {"form": wish_form, "set_form": set_form}
    return _page(request, "reviews/build_set.html", "Build a question set", **context)


def _with_level(request: HttpRequest) -> QueryDict | None:
    """What was sent; the button that proposes for another level says which."""
    if request.method != "POST":
        return None
    sent = request.POST.copy()
    if (level := sent.get("propose")) in Seniority.values:
        sent["level"] = level
    return sent


def _nothing(wish: Wish) -> str:
    if not (wish.text.strip() or wish.traits or wish.weaknesses):
        return "Paste a job description or choose a trait."
    return (
        "Nothing there speaks for a topic of the bank. Name the tools and duties of the job, "
        "or choose traits."
    )


def _attempt(request: HttpRequest) -> Attempt | None:
    text = request.GET.get("attempt", "")
    if not text:
        return None
    try:
        pk = UUID(text)
    except ValueError:
        raise Http404 from None
    return attempt_for(request, pk, "reviews.view_evaluation")[1]


def _opening(request: HttpRequest, viewer: User) -> Opening | None:
    text = request.GET.get("opening", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 18):
        return None
    return openings_visible_to(viewer).filter(pk=int(text)).first()


def _proposed(wish: Wish) -> dict[str, Any]:
    proposal = propose(wish, with_exposure(question_sets.present_questions()))
    rows: list[dict[str, Any]] = [
        {"question": item.question, "minutes": item.minutes, "why": item.why, "kept": kept}
        for group, kept in ((proposal.chosen, True), (proposal.left_out[:12], False))
        for item in group
    ]
    known = difficulty(row["question"] for row in rows)
    for row in rows:
        row["exposed"] = True
        row["question"].difficulty = known.get(row["question"].family)
    level, said_by = level_of(wish.text)
    return {
        "rows": rows,
        "words": proposal.words,
        "total": proposal.minutes,
        "wish": wish,
        "is_short": proposal.minutes * 2 < wish.minutes,
        "chosen_level": Seniority(wish.level).label.lower(),
        "other_level": Seniority(level) if level and level != wish.level else None,
        "said_by": said_by,
    }


def _known() -> dict[int, Question]:
    return {row.pk: row for row in question_sets.present_questions()}


def _kept(request: HttpRequest) -> list[dict[str, Any]]:
    items = question_sets.read_items(request.POST, _known())
    return [
        {"question": question, "minutes": minutes, "why": why, "kept": True}
        for question, minutes, why in items
    ]


def _save(request: HttpRequest, form: SetForm, viewer: User) -> HttpResponse | None:
    """Where to go on when it was saved; None with the form's errors where it was not."""
    if not form.is_valid():
        return None
    row: QuestionSet = form.instance
    is_new = row.pk is None
    row.job_text = row.job_text.replace("\x00", "")
    items = question_sets.read_items(request.POST, _known())
    try:
        question_sets.save_set(row, items, by=viewer, now=timezone.now())
    except (NotPossible, ValidationError) as error:
        form.add_error(None, str(error))
        return None
    verb = "Built" if is_new else "Changed"
    said = f"{verb} the set: {len(items)} questions, {sum(m for _, m, _ in items)} minutes."
    note_action(viewer, row, said, **({"flag": ADDITION} if is_new else {}))
    messages.success(request, said)
    return HttpResponseRedirect(reverse("admin:question-set", args=[row.pk]))


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """A set with its questions; whoever may change it reorders, adds, takes out and retires."""
    viewer, row = set_for(request, pk, "reviews.view_questionset")
    may_change = viewer.has_perm("reviews.change_questionset") and not row.retired_at
    form = SetForm(instance=row, viewer=viewer)
    rows: list[dict[str, Any]] = [
        {"question": item.question, "minutes": item.minutes, "why": item.why, "kept": True}
        for item in question_sets.items_of(row)
    ]
    if request.method == "POST":
        allow(request, "reviews.change_questionset")
        if "retire" in request.POST:
            QuestionSet.objects.filter(pk=row.pk).update(retired_at=timezone.now())
            note_action(viewer, row, "Retired the set: it is no longer offered for interviews.")
            messages.success(request, "The set is retired. Interviews that used it keep it.")
            return HttpResponseRedirect(reverse("admin:question-sets"))
        form = SetForm(request.POST, instance=row, viewer=viewer)
        if saved := _save(request, form, viewer):
            return saved
        rows = _kept(request)
    chosen: set[int] = {item["question"].pk for item in rows}
    return _page(
        request,
        "reviews/question_set.html",
        QuestionSet.objects.get(pk=row.pk).title,
        row=row,
        rows=rows,
        set_form=form,
        may_change=may_change,
        total=sum(item["minutes"] for item in rows),
        others=[q for q in question_sets.present_questions() if q.pk not in chosen],
    )


@require_safe
def sheet(request: HttpRequest, pk: int) -> HttpResponse:
    """The set on paper: each question with its points to tick and space for notes."""
    _, row = set_for(request, pk, "reviews.view_questionset")
    items = question_sets.items_of(row)
    total = sum(item.minutes for item in items)
    context = {**admin.site.each_context(request), "title": row.title}
    context |= {"row": row, "items": items, "total": total}
    return answer(request, "reviews/print_set.html", context, name=row.title)
