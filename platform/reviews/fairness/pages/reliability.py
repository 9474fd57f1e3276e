"""The reliability panel: how far evaluators can be relied on to see the same work alike."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.row_numbers import row_number
from accounts.staff_admin import allow
from hiring.models import Opening
from reviews.fairness import reliability
from reviews.fairness.statistics_of_agreement import LEAST_ANSWERS, LEAST_SHARED, Figure, Leniency
from reviews.visibility import openings_visible_to

SPAN = 2.0  # levels to each side of the leniency's picture
WIDTH, HEIGHT = 240, 20


@require_safe
def panel(request: HttpRequest) -> HttpResponse:
    """Figures of one exercise; ?opening= and ?exercise= choose, the one with most data by default."""
    viewer = allow(request, "reviews.study_evaluation")
    openings = openings_visible_to(viewer).order_by("title")
    opening = _opening(request, openings)
    cards = reliability.counted(viewer, opening)
    found = reliability.choices(cards)
    asked = request.GET.get("exercise", "")
    chosen = next((row for row in found if row.exercise.key == asked), found[0] if found else None)
    figures = reliability.panel(cards, chosen.exercise) if chosen else None
    context = {
        **admin.site.each_context(request),
        "title": "Reliability",
        "openings": openings,
        "opening": opening,
        "choices": found,
        "chosen": chosen,
        "panel": figures,
        "icc_form": _one_form(figures.criteria) if figures else "",
        "rows": [_row(row) for row in figures.criteria] if figures else [],
        "people": [_person(row) for row in figures.people] if figures else [],
        "least": LEAST_ANSWERS,
        "least_shared": LEAST_SHARED,
        "span": SPAN,
        "width": WIDTH,
        "height": HEIGHT,
    }
    return render(request, "reviews/reliability.html", context)


def _opening(request: HttpRequest, openings: Any) -> Opening | None:
    asked = request.GET.get("opening", "")
    if not asked:
        return None
    number = row_number(asked)
    opening: Opening | None = openings.filter(pk=number).first() if number else None
    if opening is None:
        raise Http404
    return opening


def _one_form(rows: list[reliability.Row]) -> str:
    """Which ICC the whole column shows; "" where it is not the same in every row."""
    forms = {row.figures.icc_form for row in rows if row.figures.icc}
    return forms.pop() if len(forms) == 1 else ""


def _row(row: reliability.Row) -> dict[str, Any]:
    figures = row.figures
    return {
        "title": row.title,
        "answers": figures.answers,
        "is_enough": figures.is_enough,
        "exact": in_percent(figures.exact),
        "adjacent": in_percent(figures.adjacent),
        "kappa": in_hundredths(figures.kappa),
        "icc": in_hundredths(figures.icc),
        "icc_form": figures.icc_form,
    }


def _person(row: reliability.Person) -> dict[str, Any]:
    return {
        "name": row.name,
        "cards": row.cards,
        "shared": row.kindness.answers,
        "off": in_hundredths(row.kindness.off, sign="+"),
        "mark": _mark(row.kindness),
        "calibrated": row.calibrated,
    }


def in_percent(figure: Figure | None) -> dict[str, str] | None:
    """{"value": "47 %", "span": "45 to 49 %"}; None where there is no figure."""
    if figure is None:
        return None
    span = ""
    if figure.low is not None and figure.high is not None:
        span = f"{100 * figure.low:.0f} to {100 * figure.high:.0f} %"
    return {"value": f"{100 * figure.value:.0f} %", "span": span}


def in_hundredths(figure: Figure | None, sign: str = "") -> dict[str, str] | None:
    """{"value": "0.82", "span": "0.80 to 0.83"} with a true minus; None where there is no figure."""
    if figure is None:
        return None

    def text(value: float) -> str:
        return f"{value:{sign}.2f}".replace("-", "\N{MINUS SIGN}")

    span = ""
    if figure.low is not None and figure.high is not None:
        span = f"{text(figure.low)} to {text(figure.high)}"
    return {"value": text(figure.value), "span": span}


def _mark(kindness: Leniency) -> dict[str, float] | None:
    """Where the dot and its line lie in the picture; None where there is too little to draw."""
    if kindness.off is None:
        return None
    return {"at": _x(kindness.off.value), **_ends(kindness.off)}


def _ends(figure: Figure) -> dict[str, float]:
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return {"from": _x(low), "to": _x(high)}


def _x(value: float) -> float:
    share = (max(-SPAN, min(SPAN, value)) + SPAN) / (2 * SPAN)
    return round(share * WIDTH, 1)
