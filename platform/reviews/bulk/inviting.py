"""Invite many to one opening: what will become of each, then one invitation and one message each.

Every invitation has a key that follows from the page: sent twice, or cut off in the middle and sent
again, it makes each one once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid5

from django.db.models import prefetch_related_objects

from accounts.audit import ADDITION, note_actions
from accounts.models import User
from assessments.ahead import release
from assessments.queue import enqueue_drawing
from hiring.invitations import Invited, invite_many
from hiring.messages.occasions import occasions
from hiring.messages.outbox import ring, values_of
from hiring.messages.to_candidates import invitation_told, invite_by_mail
from hiring.messages.together import IN_ONE_TRANSACTION, together
from hiring.messages.wording import LINK, Words, written
from hiring.models import Candidate, Exercise, Invitation, Opening
from hiring.repeats import Repeat, repeats

AT_ONCE = 200
"""Invitations of one press; the rest of a longer list follows with the next."""
ERASED = "@invalid.example"


@dataclass(frozen=True)
class Terms:
    """What all of them are invited to, when, and in which words; sends: a message goes out at once."""

    opening: Opening
    exercises: Sequence[Exercise]
    opens_at: datetime
    closes_at: datetime
    words: Words
    sends: bool = True
    ahead_at: datetime | None = None
    repeat_reason: str = ""


@dataclass(frozen=True)
class Line:
    """One candidate: `said` is what will happen, or why nothing does."""

    candidate: Candidate
    said: str
    possible: bool
    repeat: list[Repeat] = field(default_factory=list)
    """What they did not long ago: a reason is needed, and without one they are left out."""


def plan(candidates: Iterable[Candidate], terms: Terms, now: datetime) -> list[Line]:
    """A line for each, in two queries however many there are; changes nothing."""
    rows = list(candidates)
    keys = [row.pk for row in rows]
    done = repeats(terms.opening, terms.exercises, keys, now)
    links = Invitation.objects.usable().filter(opening=terms.opening, candidate__in=keys)
    links = links.select_related("candidate").prefetch_related("candidate__accommodations")
    invited: dict[int, Invitation] = {}
    for link in links.prefetch_related("attempts"):
        if link.state(now) != "over" or link.attempts.all():
            invited[link.candidate_id] = link
    return [_line(row, invited.get(row.pk), done.get(row.pk, []), terms) for row in rows]


def _line(person: Candidate, before: Invitation | None, done: list[Repeat], terms: Terms) -> Line:
    if before:
        said = (
            f"is invited to this opening since {before.created_at:%-d %b %Y}: send or remind, and "
            "links from before keep working"
        )
        return Line(person, said, False)
    if not person.email or person.email.endswith(ERASED):
        return Line(person, "has no address to be invited at", False)
    if done:
        did = "; ".join(row.said for row in done)
        if not terms.repeat_reason:
            return Line(person, f"{did}: say below why again, or they are left out", False, done)
        return Line(person, f"is invited all the same: {did}", True, done)
    said = f"is invited, by e-mail to {person.email}" if terms.sends else "is invited, not told yet"
    return Line(person, said, True)


def invite_all(lines: list[Line], terms: Terms, *, page: UUID, by: User, now: datetime) -> int:
    """Invite those who can be, AT_ONCE at most; how many were. page: what marks the page that asks.

    Messages are queued and variants drawn by workers, who hear of both when all invitations are stored.
    """
    ready = [line for line in lines if line.possible][:AT_ONCE]
    parts = [
        ready[first : first + IN_ONE_TRANSACTION]
        for first in range(0, len(ready), IN_ONE_TRANSACTION)
    ]
    count = sum(_invite(part, terms, page, by, now) for part in parts)
    if count:
        enqueue_drawing(terms.opening.pk)
        if terms.sends:
            ring()
    return count


def _invite(lines: list[Line], terms: Terms, page: UUID, by: User, now: datetime) -> int:
    """Some of them, with their messages and trail, all or nothing."""
    with together():
        Opening.objects.select_for_update(of=("self",)).get(pk=terms.opening.pk)  # two presses
        asked = {uuid5(page, str(line.candidate.pk)): line for line in lines}
        made = set(Invitation.objects.filter(pk__in=asked).values_list("pk", flat=True))
        people = [
            Invited(line.candidate, key, terms.repeat_reason if line.repeat else "")
            for key, line in asked.items()
            if key not in made
        ]
        rows = invite_many(
            people,
            opening=terms.opening,
            exercises=terms.exercises,
            opens_at=terms.opens_at,
            closes_at=terms.closes_at,
            by=by,
            now=now,
        )
        note_actions(by, [(row, said_of(row)) for row in rows], flag=ADDITION)
        if terms.ahead_at:
            for row in rows:
                release.arrange(row, opens_at=terms.ahead_at, by=by, now=now)
        if terms.sends:
            prefetch_related_objects(rows, "exercises", "advance_releases")
            for row in rows:
                invite_by_mail(row, by=by, now=now, words=terms.words, times_sent=0)
    return len(rows)


def said_of(invitation: Invitation) -> str:
    """The sentence of the trail; why somebody does an exercise again is in it."""
    again = invitation.repeat_reason
    return (
        f"Invited. Did the exercise not long ago; again because: {again}" if again else "Invited."
    )


def preview(person: Candidate, terms: Terms, *, by: User, now: datetime) -> Words:
    """The message as this person would get it, but for the link; nothing is written."""
    draft = Invitation(
        opening=terms.opening,
        candidate=person,
        opens_at=terms.opens_at,
        closes_at=terms.closes_at,
        created_by=by,
    )
    told = invitation_told(draft, "preview", by, now, terms.exercises)
    occasion = occasions()["invitation"]
    said = written(occasion, terms.words, values_of(occasion, told, person.name))
    return Words(said.subject, said.text.replace(LINK, "https://…/t/their-own-link/"))
