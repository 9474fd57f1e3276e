"""One complete interview guide of an opening, to read and to print (requirement E17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.staff_admin import allow
from assessments import company
from assessments.pages import rendered
from hiring.models import Exercise, Mode, Opening
from hiring.policies import weight_warning
from library.models import Rubric
from library.packs import latest_rubric, pack_of
from reviews.feedback import defence
from reviews.interviews.question_sets import items_of
from reviews.models import QuestionSet
from reviews.printed import answer
from reviews.visibility import openings_visible_to
from scenarios.packs import PackNotFound

# Minutes that the talks around an exercise take, beside what the exercise itself is given.
WELCOME, DEFEND, FEEDBACK, GOODBYE = 5, 15, 5, 5


@dataclass
class Step:
    """One line of the timetable; `start` counts minutes from the beginning of the sitting."""

    what: str
    minutes: int
    start: int = 0


@require_safe
def guide(request: HttpRequest, pk: int) -> HttpResponse:
    """Exercises, policies, release, rubrics, keys, feedback, questions, timetable; ?pdf as a file."""
    viewer = allow(request, "library.view_rubric")
    opening = openings_visible_to(viewer).filter(pk=pk).first()
    if opening is None or not viewer.has_perm("hiring.view_opening"):
        raise Http404
    exercises = list(opening.exercises.all())
    sets = _sets(opening, viewer)
    context = {
        **admin.site.each_context(request),
        "title": f"Interview guide: {opening}",
        "opening": opening,
        "weight_warning": weight_warning(opening.work_sample_weight),
        "interview_weight": 100 - opening.work_sample_weight,
        "parts": [_part(exercise) for exercise in exercises],
        "sets": sets,
        "timetable": _timetable(exercises, sets),
        "defence_levels": list(defence.LEVELS.items()),
    }
    return answer(request, "reviews/opening_guide.html", context, name=f"guide {opening}")


def _sets(opening: Opening, viewer: User) -> list[dict[str, Any]]:
    """The opening's sets; those that were built on one person's ratings are no part of a guide."""
    rows = QuestionSet.objects.visible_to(viewer).filter(
        opening=opening, attempt=None, retired_at=None
    )
    return [{"row": row, "items": items_of(row)} for row in rows]


def _part(exercise: Exercise) -> dict[str, Any]:
    """All about one exercise; without the texts where its pack is no longer on disk."""
    part: dict[str, Any] = {"exercise": exercise, "released": _released(exercise)}
    try:
        pack = pack_of(exercise.pack_name)
        profile = company.of_opening(exercise.opening)
        part |= {
            "pack": pack,
            "brief": _html(pack.brief(exercise.level, profile)),
            "guide": _html(pack.guide(exercise.level, profile)),
            "sections": pack.sections(exercise.level),
            "measures": pack.measures(exercise.level) if exercise.is_measured else [],
            "criteria": _criteria(exercise),
        }
    except PackNotFound as error:
        part["missing"] = str(error)
    return part


def _criteria(exercise: Exercise) -> list[dict[str, Any]]:
    """The rubric that new scorecards would use, as they would copy it; nothing is saved."""
    rubric: Rubric | None = latest_rubric(exercise.pack_name, exercise.level)
    if rubric is not None:
        rows = Rubric.objects.prefetch_related("criteria__levels").get(pk=rubric.pk).snapshot()
        return [_levels(item) for item in rows["criteria"]]
    source = pack_of(exercise.pack_name).rubric(exercise.level)
    return [
        {
            "title": item.title,
            "dimension": item.dimension,
            "round": item.round,
            "weight": str(item.weight),
            "levels": sorted(item.levels.items()),
        }
        for item in source.criteria
    ]


def _levels(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "levels": sorted(item["levels"].items())}


def _html(markdown: str) -> SafeString:
    return mark_safe(rendered(markdown))  # noqa: S308 (sanitised by nh3 in rendered)


def _released(exercise: Exercise) -> str:
    if exercise.traits.is_released_ahead:
        return (
            "Brief and materials can be shown 24 to 48 hours ahead; each invitation says from when, "
            "and the attempt keeps when they were first opened."
        )
    return "A surprise: nothing is shown before the candidate presses Start."


def _timetable(exercises: list[Exercise], sets: list[dict[str, Any]]) -> list[Step]:
    """What happens when; take-home work is done before the sitting, the talk about it in it."""
    steps = [Step("Welcome, how the day goes, what may be consulted", WELCOME)]
    for exercise in exercises:
        if exercise.mode != Mode.TAKE_HOME:
            steps.append(Step(f"{exercise}: the candidate works", exercise.limit_minutes))
        steps.append(Step(f"{exercise}: the candidate explains and defends the answer", DEFEND))
        steps.append(Step(f"{exercise}: one strength, one improvement", FEEDBACK))
        steps.append(Step(f"{exercise}: the candidate revises", exercise.revision_minutes))
    for each in sets:
        minutes = sum(item.minutes for item in each["items"])
        steps.append(Step(f"Questions: {each['row'].title}", minutes))
    steps.append(Step("The candidate's questions, what happens next", GOODBYE))
    at = 0
    for step in steps:
        step.start = at
        at += step.minutes
    return [*steps, Step("End", 0, at)]
