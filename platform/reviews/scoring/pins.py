"""Fix remarks to places of the work: lines of the answer or of a material, rows of an output, a stretch
of a replay or of a chart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import transaction
from django.db.models import F
from django.http import Http404

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, GradingRun, Submission
from assessments.workplace.access import NotThere, Room, room
from reviews.evidence import answer_text, automation, chart_places
from reviews.evidence.ordinary_minutes import ordinary_time_of
from reviews.models import Assignment, Pin, PinWording

ANSWER, MATERIAL = "answer", "material"
LONGEST = 5000
LONGEST_QUOTE = 2000
QUOTED_MARKS = 5  # a stretch with more of them says nothing by listing them
OUTPUTS = {"stdout": "Output", "stderr": "Errors"}
DAY = 86_400
GONE = "There is no such place in this work: open the page again and choose the place anew."


@dataclass(frozen=True)
class Spot:
    """A place as the page names it; `first` and `last` as in Pin."""

    kind: str
    source: str
    part: str
    first: int
    last: int


@dataclass(frozen=True)
class Place:
    """A place that exists: its name in words and what stands there."""

    name: str
    quote: str = ""


def keep(
    *,
    key: UUID,
    attempt: Attempt,
    round: int,
    author: User,
    spot: Spot,
    text: str,
    now: datetime,
) -> Pin:
    """Pin a remark, or reword the pin that has this key. The same words again change nothing."""
    text = text.strip()
    if not text:
        raise NotPossible("An empty pin was not kept: write something, or withdraw it.")
    if spot.source == MATERIAL:
        _materials(attempt)  # made now where they have to be, not while the database is held
    with transaction.atomic():
        submission = _scored_by(author, attempt, round)
        pin = Pin.objects.select_for_update().filter(pk=key).first()
        if pin is None:
            pin = _create(key, submission, author, spot, now)
        elif pin.author_id != author.pk or pin.submission_id != submission.pk:
            raise NotPossible("This pin is not yours to change.")
        newest = pin.newest()
        if newest is None or newest.text != text or newest.withdrawn:
            PinWording.objects.create(pin=pin, text=text, written_at=now)
    return pin


def _create(key: UUID, submission: Submission, author: User, spot: Spot, now: datetime) -> Pin:
    place = place_of(submission, spot)
    return Pin.objects.create(
        id=key,
        submission=submission,
        author=author,
        kind=spot.kind,
        source=spot.source,
        part=spot.part,
        first=spot.first,
        last=spot.last,
        place=place.name,
        quote=place.quote[:LONGEST_QUOTE],
        pinned_at=now,
    )


@transaction.atomic
def withdraw(*, key: UUID, author: User, now: datetime) -> None:
    """Take one's own pin back; its place and its words stay on record."""
    pin = Pin.objects.select_for_update().filter(pk=key, author=author).first()
    if pin is None:
        raise NotPossible("There is no such pin of yours.")
    if not pin.withdrawn:
        PinWording.objects.create(pin=pin, text=pin.text, withdrawn=True, written_at=now)


def _scored_by(author: User, attempt: Attempt, round: int) -> Submission:
    """The round's present answer, locked; NotPossible where the person does not score it."""
    if not Assignment.objects.filter(attempt=attempt, evaluator=author).exists():
        raise NotPossible("Only people who are assigned to this attempt can pin remarks.")
    answers = Submission.objects.select_for_update(of=("self",)).select_related(
        "attempt__pack_version"
    )
    found = answers.filter(attempt=attempt, round=round, superseded_at=None).first()
    if found is None:
        raise NotPossible(f"Round {round} was not handed in yet: there is nothing to pin to.")
    return found


def place_of(submission: Submission, spot: Spot) -> Place:
    """The place in words with what stands there; NotPossible where there is no such place."""
    if spot.first > spot.last or spot.first < 0:
        raise NotPossible("A place begins before it ends: turn the two numbers round.")
    if spot.kind == Pin.Kind.LINE and spot.source == ANSWER:
        return _lines(submission, spot)
    if spot.source == MATERIAL:
        return _in_materials(submission.attempt, spot)
    report, name = _recorded(submission, spot.source)
    if spot.kind == Pin.Kind.ROW and spot.part in OUTPUTS:
        return _rows(str(report.get(spot.part) or ""), OUTPUTS[spot.part], name, spot)
    if spot.kind == Pin.Kind.TIME:
        return _stretch(report.get("replay"), name, spot)
    raise NotPossible(GONE)


def _lines(submission: Submission, spot: Spot) -> Place:
    attempt = submission.attempt
    read = answer_text.parts(
        submission.body, answer_text.section_titles(attempt), ordinary_time_of(attempt)
    )
    parts = {part.key: part for part in read}
    if spot.part not in parts:
        raise NotPossible(GONE)
    part = parts[spot.part]
    texts = [line.text for line in part.lines]
    return Place(f"{part.title}, {_numbers('line', spot, len(texts))}", _quoted(texts, spot))


def _in_materials(attempt: Attempt, spot: Spot) -> Place:
    if spot.kind == Pin.Kind.LINE:
        return _material(attempt, spot)
    if spot.kind != Pin.Kind.TIME:
        raise NotPossible(GONE)
    try:
        return Place(*chart_places.place(_materials(attempt), spot.part, spot.first, spot.last))
    except chart_places.NoChart as error:
        raise NotPossible(GONE) from error


def _material(attempt: Attempt, spot: Spot) -> Place:
    """Lines of a file of the candidate's room, as they stand there and not as the page sent them."""
    try:
        text = _materials(attempt).path(spot.part).read_text(encoding="utf-8")
    except (Http404, UnicodeDecodeError) as error:
        raise NotPossible(GONE) from error
    texts = [answer_text.visible(line) for line in text.removesuffix("\n").split("\n")]
    return Place(f"{spot.part}, {_numbers('line', spot, len(texts))}", _quoted(texts, spot))


def _materials(attempt: Attempt) -> Room:
    try:
        return room(attempt)
    except NotThere as error:
        raise NotPossible(
            "The materials could not be prepared on this server: try again in a moment."
        ) from error
    except Http404 as error:
        raise NotPossible(GONE) from error


def _rows(output: str, what: str, name: str, spot: Spot) -> Place:
    texts = [line.text for line in answer_text.numbered(output)]
    return Place(f"{what} of {name}, {_numbers('row', spot, len(texts))}", _quoted(texts, spot))


def _numbers(word: str, spot: Spot, count: int) -> str:
    if not 1 <= spot.first <= spot.last <= count:
        raise NotPossible(GONE)
    if spot.first == spot.last:
        return f"{word} {spot.first}"
    return f"{word}s {spot.first} to {spot.last}"


def _quoted(texts: Sequence[str], spot: Spot) -> str:
    return "\n".join(texts[spot.first - 1 : spot.last])


def _stretch(replay: Any, name: str, spot: Spot) -> Place:
    times = (replay or {}).get("t") or []
    marks = (replay or {}).get("marks") or []
    if not times:
        raise NotPossible(GONE)
    end = max([times[-1], *(mark["t"] for mark in marks)])
    if spot.last > end:
        raise NotPossible(GONE)
    long = end > DAY
    steps = replay.get("axis") == "step"
    said = [_moment(at, steps=steps, long=long) for at in (spot.first, spot.last)]
    when = said[0] if spot.first == spot.last else f"{said[0]} to {said[1]}"
    here = [str(mark["text"]) for mark in marks if spot.first <= mark["t"] <= spot.last]
    return Place(f"Replay of {name}, {when}", "\n".join(here) if len(here) <= QUOTED_MARKS else "")


def _moment(at: int, *, steps: bool, long: bool) -> str:
    """A moment of a replay as the page writes it: "day 2, 14:20" or "step 40"."""
    if steps:
        return f"step {at}"
    rest = at % DAY
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}" + (f":{rest % 60:02}" if rest % 60 else "")
    return f"day {at // DAY + 1}, {clock}" if long else clock


def _recorded(submission: Submission, source: str) -> tuple[dict[str, Any], str]:
    """{"stdout", "stderr", "replay"} of a run or of a hidden workload, and its name in words."""
    kind, _, rest = source.partition("-")
    try:
        if kind == "run":
            run = submission.attempt.runs.select_related("draft").get(
                pk=rest, round=submission.round
            )
            _check_canonical(source, f"run-{run.pk}")
            report = run.report or {}
            said = f"the run of draft {run.draft.number} on {run.workload}"
            return {**report, "replay": report.get("timeline")}, said
        grading, _, position = rest.partition("-")
        if kind == "graded" and grading.isdecimal() and position.isdecimal():
            graded = submission.grading_runs.get(pk=int(grading))
            _check_canonical(source, f"graded-{graded.pk}-{int(position)}")
            return _workload(graded, int(position))
    except (ValidationError, OverflowError, ObjectDoesNotExist) as error:
        raise NotPossible(GONE) from error
    raise NotPossible(GONE)


def _check_canonical(source: str, name: str) -> None:
    """Pages make addresses of it: another spelling of the same key would lead nowhere."""
    if source != name:
        raise NotPossible(GONE)


def _workload(run: GradingRun, position: int) -> tuple[dict[str, Any], str]:
    found = {row.position: row for row in automation.workloads(run.report)}
    if position not in found:
        raise NotPossible(GONE)
    row = found[position]
    replay = automation.timeline(run.report, position)
    return {"stderr": row.stderr, "replay": replay}, f"{row.title or row.name}"


def shown(attempt: Attempt, viewer: User, round: int | None = None) -> list[Pin]:
    """The pins that the viewer may see and nobody withdrew, in the order of the work."""
    rows = Pin.objects.visible_to(viewer).of(attempt, round)
    rows = rows.select_related("author", "submission").prefetch_related("wordings")
    order = rows.order_by("submission__round", "source", "part", F("first"), "pinned_at")
    return [pin for pin in order.defer("submission__body") if pin.newest() and not pin.withdrawn]


def for_candidates_eyes(pins: Iterable[Pin]) -> list[Pin]:
    """Those whose places may be named to the candidate: nothing of hidden workloads, and no line or
    chart of the materials, which would say where to look."""
    return [pin for pin in pins if not (pin.source == MATERIAL or pin.source.startswith("graded-"))]
