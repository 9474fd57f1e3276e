"""The scoring page: the answer and its evidence on one side, the described levels on the other."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_http_methods, require_POST

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from assessments import company
from assessments.models import Attempt
from assessments.pages import rendered
from library.models import HIGHEST, LOWEST
from library.packs import pack_of
from reviews.access import attempt_for, page_context
from reviews.evidence.automation import criterion_changes
from reviews.fairness import calibration
from reviews.models import Evaluation
from reviews.scoring import blindness, evaluations
from reviews.scoring.pages.answer import answer_context
from reviews.scoring.pages.pinned import pins_context, places
from reviews.scoring.pages.rating import LONGEST_NOTE

LEVELS = [str(value) for value in range(LOWEST, HIGHEST + 1)]


@require_http_methods(["GET", "HEAD", "POST"])
def score(request: HttpRequest, pk: UUID, round: int) -> HttpResponse:
    """The viewer's own scorecard for a round; a POST carries all ratings and hands it in."""
    viewer, attempt = attempt_for(request, pk, "reviews.add_evaluation")
    now = timezone.now()
    try:
        card = evaluations.begin(attempt=attempt, round=round, evaluator=viewer, now=now)
    except NotPossible as error:
        messages.warning(request, str(error))
        return HttpResponseRedirect(reverse("admin:attempt", args=[attempt.pk]))
    problem, status, unkept = "", 200, []
    if request.method == "POST":
        try:
            evaluations.check_shown(card, request.POST.get("card", ""))
            _take(card, request.POST)
            evaluations.submit(card, now=now)
        except NotPossible as error:
            problem, status, unkept = str(error), 409, _unkept(card, request.POST)
        else:
            note_action(viewer, attempt, f"Submitted the scorecard of round {round}.")
            messages.success(
                request, "Your scorecard is in. Machine scores and others are shown now."
            )
            return HttpResponseRedirect(request.path)
    context = _context(request, card, attempt, viewer) | {"problem": problem, "unkept": unkept}
    return render(request, "reviews/score.html", context, status=status)


def with_pin(
    request: HttpRequest, attempt: Attempt, viewer: User, round: int, problem: str, status: int
) -> HttpResponse:
    """The page once more with a pin's form as it was sent, because it could not be kept."""
    rows = Evaluation.objects.current().of(attempt, round).filter(evaluator=viewer)
    card = rows.select_related("submission__attempt__invitation", "evaluator").first()
    if card is None:
        messages.error(request, problem)
        return HttpResponseRedirect(reverse("admin:score", args=[attempt.pk, round]))
    sent = {name: request.POST.get(name, "") for name in ("where", "first", "last", "text")}
    context = _context(request, card, attempt, viewer) | {"problem": problem, "sent_pin": sent}
    return render(request, "reviews/score.html", context, status=status)


def _context(
    request: HttpRequest, card: Evaluation, attempt: Attempt, viewer: User
) -> dict[str, Any]:
    context = page_context(request, attempt, f"{attempt.exercise}")
    context |= answer_context(attempt, viewer)
    context |= card_context(card, attempt, viewer) | {"guide": guide(attempt)}
    context["exemplars_owed"] = 0 if card.submitted_at else calibration.owed(viewer, attempt)
    context |= pins_context(attempt, viewer, card.round)
    return context | {"pin_places": places(attempt, card.round), "new_pin": uuid4()}


def _unkept(card: Evaluation, data: Any) -> list[tuple[str, str]]:
    """(criterion, note) of what was written on a page that could not be kept, so that nothing is lost."""
    kept = {row.criterion_key: row.note for row in card.ratings.all()}
    sent = [(item["key"], item["title"], note_of(data, item["key"])) for item in card.criteria()]
    return [
        (title, note) for key, title, note in sent if note.strip() and note != kept.get(key, "")
    ]


@require_POST
def met(request: HttpRequest, pk: UUID, round: int) -> HttpResponse:
    """The viewer says that they have met or know the candidate; their scorecards are marked so."""
    viewer, attempt = attempt_for(request, pk, "reviews.add_evaluation")
    if not attempt.scores_it:  # type: ignore[attr-defined]
        raise Http404
    how = request.POST.get("how", "").replace("\x00", "")
    try:
        row = blindness.declare(attempt=attempt, person=viewer, how=how, now=timezone.now())
    except NotPossible as error:
        messages.error(request, str(error))
    else:
        note_action(viewer, attempt, f"Declared having met or knowing the candidate: {row.how}")
        messages.success(request, "Noted. What you rate from now on is marked as not blind.")
    return HttpResponseRedirect(reverse("admin:score", args=[attempt.pk, round]))


def guide(attempt: Attempt) -> SafeString:
    """What good looks like, common mistakes and follow-ups, from the scenario pack."""
    text = pack_of(attempt.pack_version.name).guide(attempt.level, company.of_attempt(attempt))
    return mark_safe(rendered(text))  # noqa: S308 (sanitised by nh3 in rendered)


def _take(card: Evaluation, data: Any) -> None:
    """Keep every rating of the form, so that nothing depends on the script having saved it."""
    if card.submitted_at:
        raise NotPossible("This scorecard was submitted before.")
    now = timezone.now()
    for item in card.criteria():
        level = data.get(f"level-{item['key']}", "")
        note = note_of(data, item["key"])
        if level in LEVELS or note:
            evaluations.rate(
                card,
                criterion=item["key"],
                level=int(level) if level in LEVELS else None,
                note=note,
                now=now,
            )


def note_of(data: Any, key: str) -> str:
    """A note of the form, cut to what the page lets one type: there a new line is one character."""
    text: str = data.get(f"note-{key}", "")
    return text.replace("\x00", "").replace("\r\n", "\n")[:LONGEST_NOTE]


def card_context(card: Evaluation, attempt: Attempt, viewer: User) -> dict[str, Any]:
    """The rubric with the viewer's ratings; others' scorecards as far as they may be seen."""
    criteria = rated_criteria(card)
    others = Evaluation.objects.visible_to(viewer).current().submitted()
    others = others.of(attempt, card.round).exclude(evaluator=viewer)
    others = others.select_related("evaluator", "submission__attempt__invitation")
    others = others.prefetch_related("ratings")
    shown = blindness.marked([card, *others])
    return {
        "card": card,
        "round": card.round,
        "criteria": criteria,
        "rated": sum(1 for item in criteria if item["level"]),
        "mean": evaluations.mean_rating(card),
        "others": shown[1:],
        "comparison": comparison(shown[1:], criteria) if card.submitted_at else [],
        "changes": own_changes(card, viewer),
        "earlier": earlier(card),
    }


def rated_criteria(card: Evaluation) -> list[dict[str, Any]]:
    ratings = {row.criterion_key: row for row in card.ratings.all()}
    rows = []
    for item in card.criteria():
        rating = ratings.get(item["key"])
        rows.append(
            {
                **item,
                "levels": [(int(value), text) for value, text in sorted(item["levels"].items())],
                "level": rating.level if rating else None,
                "level_text": rating.level_text if rating else "",
                "note": rating.note if rating else "",
            }
        )
    return rows


def comparison(others: Any, criteria: list[dict[str, Any]]) -> list[tuple[str, list[Any]]]:
    """(criterion, own level and then each other's) once the viewer's own are in."""
    cards = [{row.criterion_key: row.level for row in card.ratings.all()} for card in others]
    return [
        (item["title"], [item["level"], *(card.get(item["key"]) for card in cards)])
        for item in criteria
    ]


def own_changes(card: Evaluation, viewer: User) -> list[Any]:
    """In round 2: the viewer's own level of the first answer beside that of the second."""
    if card.round != 2:
        return []
    first = Evaluation.objects.current().of(card.attempt, 1).filter(evaluator=viewer).first()
    if first is None:
        return []
    levels = [
        {row.criterion_key: row.level for row in each.ratings.all()} for each in (first, card)
    ]
    return criterion_changes(card.criteria(), *levels)


def earlier(card: Evaluation) -> list[Evaluation]:
    """The scorecards that this one corrects, newest first."""
    found = []
    previous = card.supersedes
    while previous is not None:
        found.append(previous)
        previous = previous.supersedes
    return found
