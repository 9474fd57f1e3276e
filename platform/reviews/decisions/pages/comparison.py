"""The candidates of an opening side by side: tables sorted by links, dot plots with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.row_numbers import row_number
from accounts.staff_admin import allow
from hiring import seen_by
from hiring.models import Exercise, Opening
from hiring.policies import weight_warning
from reviews.decisions import comparison
from reviews.decisions.candidate_scores import exercise_marks
from reviews.decisions.comparison import FIRST, Order, Person
from reviews.evidence.assistant_alone import line_for
from reviews.evidence.lanes_svg import ANCHORS, Lane, Mark, drawn
from reviews.fairness.intervals import Estimate, estimate, pooled
from reviews.visibility import openings_visible_to

CRITERION = "criterion-"


@dataclass(frozen=True)
class Column:
    """A heading: what it says, where pressing it leads, and how it is sorted now."""

    label: str
    key: str
    sort: str = ""
    now: str = ""


def opening_for(request: HttpRequest, pk: int) -> tuple[User, Opening]:
    """The viewer and an opening whose candidates they may compare; Http404 otherwise."""
    viewer = allow(request, "reviews.view_decision")
    opening = openings_visible_to(viewer).filter(pk=pk).first()
    if opening is None or not viewer.has_perm("hiring.view_opening"):
        raise Http404
    return viewer, opening


@require_safe
def compare(request: HttpRequest, pk: int) -> HttpResponse:
    """?exercise= one exercise by its criteria, else all; ?sort= a column; ?page=."""
    viewer, opening = opening_for(request, pk)
    exercises = list(opening.exercises.all())
    wanted = row_number(request.GET.get("exercise", ""))
    exercise = next((row for row in exercises if row.pk == wanted), None)
    sort = request.GET.get("sort", "")
    people = comparison.people_of(viewer, opening)
    if exercise is None:
        shown = _overall(request, viewer, opening, exercises, people, sort)
    else:
        exercise.opening = opening
        shown = _exercise(request, viewer, opening, exercise, people, sort)
    shown_people = [pk for pk, _ in shown["page"]]
    seen_by.note_all(viewer, shown_people, "comparison", now=timezone.now())
    context = {
        **admin.site.each_context(request),
        "title": f"Compare candidates: {opening}",
        "opening": opening,
        "exercises": exercises,
        "exercise": exercise,
        "alone": line_for(exercise) if exercise else None,
        "count": len(people),
        "sort": sort,
        "weight_warning": weight_warning(opening.work_sample_weight),
        "interview_weight": 100 - opening.work_sample_weight,
        "reads_ratings": viewer.has_perm("reviews.view_evaluation"),
        **shown,
    }
    return render(request, "reviews/comparison.html", context)


def _page(request: HttpRequest, people: list[tuple[int, str]]) -> Page[Any]:
    return Paginator(people, comparison.PAGE).get_page(request.GET.get("page"))


def _columns(labels: list[tuple[str, str]], order: Order) -> list[Column]:
    ways = {True: "descending", False: "ascending"}
    return [
        Column(label, key, order.then(key), ways[order.down] if key == order.key else "")
        for label, key in labels
    ]


def _overall(
    request: HttpRequest,
    viewer: User,
    opening: Opening,
    exercises: list[Exercise],
    people: list[tuple[int, str]],
    sort: str,
) -> dict[str, Any]:
    labels = [("Candidate", FIRST)]
    labels += [(f"{at}. {row}", f"exercise-{row.pk}") for at, row in enumerate(exercises, 1)]
    labels += [("Work samples", "work"), ("Interviews", "interviews"), ("Combined", "combined")]
    is_large = len(people) > comparison.SORTED_WHOLE
    known = {key for _, key in labels} - ({"work", "combined"} if is_large else set())
    order = Order.asked(sort, known)
    if order.key != FIRST:
        values = comparison.overall_values(viewer, opening, order.key)
        people = comparison.in_order(people, values, down=order.down)
    elif order.down:
        people = people[::-1]
    page = _page(request, people)
    rows = comparison.overall(viewer, opening, list(page))
    return {
        "columns": [
            column if column.key in known else Column(column.label, column.key)
            for column in _columns(labels, order)
        ],
        "page": page,
        "rows": [
            (row, [row.candidate_score.exercises.get(one.pk) for one in exercises]) for row in rows
        ],
        "plot": _overall_plot(rows, exercises),
        "is_large": is_large,
    }


def _overall_plot(rows: list[Person], exercises: list[Exercise]) -> str:
    lanes = []
    for row in rows:
        rated = [row.candidate_score.exercises.get(one.pk) for one in exercises]
        marks = [Mark(one.value, filled=False) for one in rated if one and one.value is not None]
        work = row.candidate_score.work
        if work.value is not None:
            marks.append(Mark(work.value))
        lanes.append(Lane(row.name, marks, note_of(work), between_of(work)))
    return drawn("Work samples by candidate", lanes) if any(lane.marks for lane in lanes) else ""


def note_of(rating: Estimate) -> str:
    """ "3.6 (3.3–3.9)", or the value alone where there is no interval."""
    if rating.value is None:
        return "not rated yet"
    if rating.low is None or rating.high is None:
        return f"{rating.value:.2f}, no interval"
    return f"{rating.value:.2f} ({rating.low:.1f}–{rating.high:.1f})"


def between_of(rating: Estimate) -> tuple[float, float] | None:
    return None if rating.low is None or rating.high is None else (rating.low, rating.high)


def _exercise(
    request: HttpRequest,
    viewer: User,
    opening: Opening,
    exercise: Exercise,
    people: list[tuple[int, str]],
    sort: str,
) -> dict[str, Any]:
    criteria = comparison.criteria_of(opening, exercise)
    labels = [("Candidate", FIRST), ("Rating", "rating")]
    labels += [(title, f"{CRITERION}{key}") for key, title in criteria]
    order = Order.asked(sort, {key for _, key in labels})
    marks = exercise_marks(viewer, opening, exercise=exercise.pk)
    own: dict[int, list[float]] = {pk: given for (pk, _), given in marks.items()}
    title = "rating"
    if order.key.startswith(CRITERION):
        key = order.key.removeprefix(CRITERION)
        title = dict(criteria)[key]
        own = comparison.criterion_marks(viewer, opening, exercise, key)
    if order.key != FIRST:
        people = comparison.in_order(people, comparison.means(own), down=order.down)
    elif order.down:
        people = people[::-1]
    page = _page(request, people)
    rows = comparison.of_exercise(viewer, opening, exercise, list(page), marks)
    wants_machine = request.GET.get("plot") == "machine"
    return {
        "columns": _columns(labels, order),
        "page": page,
        "rows": [(row, [_levels(row, key) for key, _ in criteria]) for row in rows],
        "plot": _exercise_plot(rows, own, title),
        "plotted": title,
        "machine_plot": _machine_plot(viewer, rows, exercise) if wants_machine else "",
        "sees_machine": viewer.has_perm("assessments.view_gradingrun"),
    }


def _levels(row: Person, key: str) -> dict[str, Any] | None:
    """The mean of one criterion with the levels that were given."""
    given = row.criteria.get(key) or []
    return {"mean": sum(given) / len(given), "given": given} if given else None


def _exercise_plot(rows: list[Person], own: dict[int, list[float]], title: str) -> str:
    spread = pooled(own.values())
    lanes = []
    for row in rows:
        given = own.get(row.candidate, [])
        rating = estimate(given, spread)
        marks = [Mark(value, filled=False) for value in given]
        if rating.value is not None:
            marks.append(Mark(rating.value))
        lanes.append(Lane(row.name, marks, note_of(rating), between_of(rating)))
    return drawn(f"{title} by candidate", lanes) if any(lane.marks for lane in lanes) else ""


def _machine_plot(viewer: User, rows: list[Person], exercise: Exercise) -> str:
    """The machine's scores of the first answers: a ring for each hidden workload, which has its seed."""
    scores = comparison.workload_scores(viewer, rows, exercise)
    lanes = []
    for row in rows:
        given = scores.get(row.candidate, [])
        marks = [Mark(value, filled=False) for value in given]
        if row.machine is not None:
            marks.append(Mark(row.machine))
        span = (min(given), max(given)) if len(given) > 1 else None
        note = f"{span[0]:.2f} to {span[1]:.2f}" if span else "one workload"
        lanes.append(Lane(row.name, marks, note if marks else "not measured", span))
    title = "Machine scores by candidate"
    return drawn(title, lanes, ANCHORS) if any(lane.marks for lane in lanes) else ""
