"""Write one strength and one improvement, release them, and so open the revision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments import attempts
from assessments.models import Attempt, RevisionRound
from hiring.messages.to_candidates import tell_revision_opened
from hiring.models import Mode
from library.packs import pack_of
from reviews.evidence import answer_text
from reviews.evidence.kinds import staff_of
from reviews.feedback import challenges, defence, early_release
from reviews.models import Feedback, Pin
from reviews.scoring import pins

LONGEST_PLACE = 500
HIDDEN = (
    "Somebody else has begun the feedback. "
    "It is open to you once your own scorecard of the first answer is in."
)


def focus_choices(attempt: Attempt) -> list[tuple[str, str]]:
    """(value, label) of what a revision may be narrowed to: a file or a section; "" is everything."""
    first = attempt.submissions.filter(round=1, superseded_at=None).first()
    pack = pack_of(attempt.pack_version.name)
    fixed = pack.read_only(attempt.level)
    files = [path for path in (first.body["files"] if first else {}) if path not in fixed]
    sections = [(item.key, item.title) for item in pack.sections(attempt.level)]
    named = [(path, _focus_title(attempt, path)) for path in files]
    return [("", "The whole answer"), *named, *sections]


def _focus_title(attempt: Attempt, path: str) -> str:
    if path == challenges.table_of(attempt):
        return challenges.FOCUS
    return answer_text.title_of(path, {})


@dataclass(frozen=True)
class Wording:
    """What an interviewer wrote; places are values of `place_choices`, "" where none is named."""

    strength: str = ""
    improvement: str = ""
    strength_place: str = ""
    improvement_place: str = ""
    focus: str = ""


def pins_for(attempt: Attempt, viewer: User) -> dict[str, Pin]:
    """Pins to the first answer that feedback may refer to, by the value that names them."""
    rows = pins.for_candidates_eyes(pins.shown(attempt, viewer, 1))
    return {f"pin-{pin.pk}": pin for pin in rows}


def place_choices(
    attempt: Attempt, viewer: User, *, challenged: bool = False
) -> list[tuple[str, str]]:
    """(value, label) of places that a strength or an improvement can be pinned to.

    challenged: of the improvement; rows that the grader suggests to challenge then come first.
    """
    found = [("", "Choose…"), *_row_choices(attempt, viewer, challenged)]
    for value, pin in pins_for(attempt, viewer).items():
        said = " ".join(pin.text.split())
        found.append((value, f"{pin.place}: {said[:60]}{'…' if len(said) > 60 else ''}"))
    first = attempt.submissions.filter(round=1, superseded_at=None).first()
    focus = focus_choices(attempt)
    names = [_part_name(value, label) for value, label in focus if value]
    fixed = [path for path in (first.body["files"] if first else {}) if path not in dict(focus)]
    return found + [(f"part-{name}", f"{name} as a whole") for name in [*names, *fixed]]


def _part_name(value: str, label: str) -> str:
    return answer_text.title_of(value, {value: label})


def _row_choices(attempt: Attempt, viewer: User, challenged: bool) -> list[tuple[str, str]]:
    rows = challenges.rows_for(attempt)
    ranked = challenges.suggestions(attempt, viewer) if challenged else []
    first = [(one.value, f"Suggested {one.rank}: {one.place}") for one in ranked]
    named = {value for value, _ in first}
    return [*first, *(row for row in rows.items() if row[0] not in named)]


def _place(
    value: str, label: str, known: dict[str, Pin], choices: dict[str, str]
) -> tuple[str, Pin | None]:
    """(place as the candidate reads it, its pin if it has one)."""
    if value not in choices:
        raise NotPossible(f"The place of the {label} is no longer there: choose it anew.")
    if value in known:
        return known[value].place, known[value]
    if value.startswith(challenges.PREFIX):
        return choices[value][:LONGEST_PLACE], None
    return value.removeprefix("part-"), None


@transaction.atomic
def write(*, attempt: Attempt, wording: Wording, by: User, now: datetime) -> Feedback:
    """Keep the wording; it can change until it is released.

    Whoever began it stays its author. Who still owes scores of the first answer may write, but not
    over another person's words.
    """
    focus = wording.focus
    if focus not in dict(focus_choices(attempt)):
        raise NotPossible("The revision can be about a file or section of the answer only.")
    Attempt.objects.select_for_update().get(pk=attempt.pk)  # two may begin at the same moment
    feedback = Feedback.objects.filter(attempt=attempt).first()
    if feedback is None:
        feedback = Feedback(attempt=attempt, author=by)
    elif feedback.released_at:
        raise NotPossible("This feedback was released; the candidate has seen it.")
    elif not Feedback.objects.visible_to(by).filter(pk=feedback.pk).exists():
        raise NotPossible(HIDDEN)
    elif by != feedback.author:
        feedback.changed_by = by
    known, choices = pins_for(attempt, by), dict(place_choices(attempt, by))
    feedback.strength, feedback.improvement = wording.strength.strip(), wording.improvement.strip()
    feedback.strength_place, feedback.strength_pin = _place(
        wording.strength_place, "strength", known, choices
    )
    feedback.improvement_place, feedback.improvement_pin = _place(
        wording.improvement_place, "improvement", known, choices
    )
    _note_rows(feedback, wording, by)
    feedback.focus, feedback.written_at = focus, now
    feedback.save()
    return feedback


def _note_rows(feedback: Feedback, wording: Wording, by: User) -> None:
    """Keep which recommendations are meant, and what was suggested of the challenged one.

    Where no words were written for a suggested one, its question is what the candidate reads.
    """
    rows = challenges.rows_for(feedback.attempt)

    def row_of(place: str) -> str:
        return place.removeprefix(challenges.PREFIX) if place in rows else ""

    before = feedback.challenged_row
    feedback.strength_row = row_of(wording.strength_place)
    feedback.challenged_row = row_of(wording.improvement_place)
    suggested = challenges.suggestions(feedback.attempt, by)
    mine = next((one for one in suggested if one.value == wording.improvement_place), None)
    if mine:
        feedback.challenge = mine.fact(len(suggested))
        feedback.improvement = feedback.improvement or mine.question
    elif feedback.challenged_row != before:
        feedback.challenge = {}


@transaction.atomic
def release(feedback: Feedback, *, by: User, now: datetime) -> RevisionRound:
    """Show the feedback to the candidate and open the timed revision.

    With a take-home link the revision clock starts when the candidate presses Start; on site and
    live, where the interviewer sits with them, it starts at once.
    """
    attempt = feedback.attempt
    Attempt.objects.select_for_update().get(pk=attempt.pk)  # nobody is assigned meanwhile
    if early_release.owes_card(attempt, by):
        raise NotPossible(early_release.OWN_CARD)
    if gaps := gaps_of(feedback):
        raise NotPossible(gaps[0])
    early_release.check(feedback)
    changed = Feedback.objects.filter(pk=feedback.pk, released_at=None).update(released_at=now)
    if not changed:
        raise NotPossible("This feedback was released before.")
    try:
        revision = attempts.open_revision(
            attempt.pk,
            strength=placed(feedback.strength_place, feedback.strength),
            improvement=placed(feedback.improvement_place, feedback.improvement),
            focus=feedback.focus,
            also=challenges.also_open(attempt, feedback.focus),
            subject=feedback.challenged_row,
            start_now=attempt.exercise.mode != Mode.TAKE_HOME,
            by=by,
            now=now,
        )
    except NotPossible as error:
        raise NotPossible(str(error)) from error
    tell_revision_opened(attempt.invitation, attempt.exercise, revision=revision.pk, now=now)
    return revision


def _row_gaps(feedback: Feedback) -> list[str]:
    """What a cost exercise asks for beside: one recommendation named as valuable."""
    if not challenges.rows_for(feedback.attempt) or feedback.strength_row:
        return []
    return [
        "Name the one recommendation that is particularly valuable: choose its row as the place."
    ]


def placed(place: str, text: str) -> str:
    """What the candidate reads: the place in the work, then the words."""
    return f"{place}:\n{text}"


def gaps_of(feedback: Feedback) -> list[str]:
    """What still keeps it from being released, each as a sentence that says what to do."""
    gaps = []
    if not feedback.strength or not feedback.improvement:
        gaps.append("Write one strength and one improvement before you release the feedback.")
    if not feedback.strength_place or not feedback.improvement_place:
        gaps.append(
            "Pin the strength and the improvement to the work: choose for each where it shows."
        )
    if staff_of(feedback.attempt.exercise).needs_focus and not feedback.focus:
        gaps.append(
            "Name the one file or section to revise: in this exercise the rest is read-only."
        )
    gaps += _row_gaps(feedback)
    if not defence.is_recorded(feedback.attempt):
        gaps.append(
            "Record first how the candidate explained and defended the answer, or say why "
            "they were not asked to."
        )
    return gaps
