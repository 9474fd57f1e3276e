"""Calibration pages: score an exemplar blind, then see how far off one is and why."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from assessments.pages import rendered
from library.exemplars import Exemplar
from library.kept_exemplars import every_exemplar, everywhere
from library.models import HIGHEST, LOWEST, Seniority
from library.packs import pack_of
from reviews.access import as_json
from reviews.evidence import answer_text
from reviews.fairness import calibration
from reviews.models import CalibrationCard

PERMISSION = "reviews.add_calibrationcard"
LONGEST_NOTE = 5000


class Sent(msgspec.Struct):
    """What the page's script keeps at once: one criterion's level and note."""

    criterion: str
    level: Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)] | None
    note: Annotated[str, msgspec.Meta(max_length=LONGEST_NOTE)] = ""


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Every exemplar there is, with the viewer's own state; nobody else's."""
    viewer = allow(request, PERMISSION)
    cards = {card.digest: card for card in CalibrationCard.objects.filter(evaluator=viewer)}
    groups = [
        {
            "pack": pack,
            "kind": pack.name.split("/")[0],
            "name": pack.name.split("/")[1],
            "level": level,
            "level_label": Seniority(level).label,
            "rows": [(item, cards.get(item.digest)) for item in found],
            "distance": calibration.distance(
                line
                for item in found
                if item.digest in cards
                for line in calibration.lines(cards[item.digest])
            ),
            "left": sum(_is_open(cards.get(item.digest)) for item in found),
        }
        for pack, level, found in everywhere()
    ]
    return _page(request, "reviews/calibration.html", "Calibration", groups=groups)


def _is_open(card: CalibrationCard | None) -> bool:
    return card is None or card.submitted_at is None


@require_http_methods(["GET", "HEAD", "POST"])
def card(request: HttpRequest, kind: str, name: str, level: str, key: str) -> HttpResponse:
    """The exemplar beside the rubric; a POST carries all ratings and hands them in."""
    viewer = allow(request, PERMISSION)
    exemplar = _exemplar(f"{kind}/{name}", level, key)
    own = calibration.begin(f"{kind}/{name}", level, exemplar, evaluator=viewer, now=timezone.now())
    problem, status = "", 200
    if request.method == "POST":
        try:
            own = calibration.rate(own, _from_form(own, request.POST))
            own = calibration.submit(own, exemplar, now=timezone.now())
        except NotPossible as error:
            problem, status = str(error), 409
        else:
            note_action(viewer, own, "Submitted the ratings of an exemplar.")
            messages.success(
                request, "Your ratings are in. Beside them now stands what was agreed."
            )
            return HttpResponseRedirect(request.path)
    context = _card_context(own, exemplar, viewer) | {"problem": problem}
    title = f"{exemplar.title}: {pack_of(own.pack_name).title}"
    return _page(request, "reviews/calibration_card.html", title, status=status, **context)


def _exemplar(pack_name: str, level: str, key: str) -> Exemplar:
    found = [item for item in every_exemplar(pack_name, level) if item.key == key]
    if not found:
        raise Http404
    return found[0]


def _from_form(own: CalibrationCard, data: Any) -> dict[str, tuple[int | None, str]]:
    levels = {str(value): value for value in range(LOWEST, HIGHEST + 1)}
    return {
        item["key"]: (
            levels.get(data.get(f"level-{item['key']}", "")),
            # a new line is one character where it is typed and two where it is sent
            data.get(f"note-{item['key']}", "")
            .replace("\x00", "")
            .replace("\r\n", "\n")[:LONGEST_NOTE],
        )
        for item in own.criteria()
    }


def _card_context(own: CalibrationCard, exemplar: Exemplar, viewer: User) -> dict[str, Any]:
    pack = pack_of(own.pack_name)
    titles = {section.key: section.title for section in pack.sections(own.level)}
    rows = calibration.lines(own)
    keys = [item.key for item in every_exemplar(own.pack_name, own.level)]
    at = keys.index(exemplar.key)
    return {
        "card": own,
        "pack": pack,
        "exemplar": exemplar,
        "level_label": Seniority(own.level).label,
        "parts": answer_text.parts(exemplar.body, titles),
        "guide": mark_safe(rendered(pack.guide(own.level))),  # noqa: S308 (sanitised by nh3)
        "brief": mark_safe(rendered(pack.brief(own.level))),  # noqa: S308
        "criteria": [_criterion(item, own.ratings.get(item["key"], {})) for item in own.criteria()],
        "rated": len(own.criteria()) - len(calibration.missing(own)),
        "lines": [
            (row, mark_safe(rendered(row.reason)))  # noqa: S308 (sanitised by nh3)
            for row in rows
        ],
        "distance": calibration.distance(rows),
        "following": keys[at + 1] if at + 1 < len(keys) else "",
        "kind": own.pack_name.split("/")[0],
        "name": own.pack_name.split("/")[1],
    }


def _criterion(item: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    levels = sorted((int(value), text) for value, text in item["levels"].items())
    return {**item, "levels": levels, "level": given.get("level"), "note": given.get("note", "")}


@never_cache
@require_POST
@as_json
def save(request: HttpRequest, kind: str, name: str, level: str, key: str) -> JsonResponse:
    """{"criterion", "level": 1 to 5 or null, "note"} -> {"saved_at", "rated", "of", "missing"}."""
    viewer = allow(request, PERMISSION)
    exemplar = _exemplar(f"{kind}/{name}", level, key)
    own = calibration.begin(f"{kind}/{name}", level, exemplar, evaluator=viewer, now=timezone.now())
    try:
        sent = msgspec.json.decode(request.body, type=Sent)
        if "\x00" in sent.note:
            raise msgspec.ValidationError("NUL")
        own = calibration.rate(own, {sent.criterion: (sent.level, sent.note)})
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        text = (
            f"Send criterion, level (1 to 5 or null) and note (at most {LONGEST_NOTE} characters)."
        )
        return JsonResponse({"detail": text}, status=400)
    except NotPossible as error:
        return JsonResponse({"detail": str(error)}, status=409)
    left, total = calibration.missing(own), len(own.criteria())
    said = {"saved_at": timezone.now().isoformat(), "rated": total - len(left), "of": total}
    return JsonResponse(said | {"missing": left})


def _page(
    request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any
) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": title, **context}
    return render(request, template, context, status=status)
