"""Candidates of a list: first what would become of each row, then all of it in one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import NamedTuple
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower

from accounts.audit import ADDITION, CHANGE, note_actions
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.prose import is_text
from hiring.bulk.reading import Record
from hiring.models import Accommodation, Candidate, one_line

LONGEST_NAME, LONGEST_EMAIL = 150, 254
LEAST, MOST = Decimal(1), Decimal(4)
NEW, KNOWN, WRONG = "new", "known", "wrong"
OF_SOMEBODY_ELSE = (
    "Somebody whom you may not know by name has this address: ask another recruiter to invite them."
)
EXTRA_TIME = "Write extra time as 25 % or 1.25, at most 300 % or 4."
MEANWHILE = (
    "Nothing was added: somebody added a person of this list a moment ago. Look at the rows again."
)
FROM_THE_LIST = "From the list of candidates."


@dataclass
class Row:
    """One row, checked. `problem` is one sentence, "" where there is none; `notes` say what changes."""

    record: Record
    email: str = ""
    time_zone: str = ""
    factor: Decimal = LEAST
    problem: str = ""
    notes: list[str] = field(default_factory=list)
    known: Candidate | None = None

    @property
    def kind(self) -> str:
        if self.problem:
            return WRONG
        return KNOWN if self.known else NEW


class Added(NamedTuple):
    """The candidates of a list, in its order, and how many of them are new."""

    candidates: list[int]
    new: int


def check(records: Iterable[Record], visible: QuerySet[Candidate]) -> list[Row]:
    """What adding the rows would do; changes nothing, in two queries however many there are.

    visible: the candidates whom the asking person may know by name.
    """
    rows = [_read(record) for record in records]
    by_email = _already(rows, visible)
    first: dict[str, int] = {}
    for row in rows:
        if row.problem:
            continue
        key = row.email.lower()
        if key in first:
            row.problem = f"Row {first[key]} has the same address: keep one of them."
            continue
        first[key] = row.record.number
        if key in by_email:
            _meets(row, by_email[key])
    return rows


def _already(rows: list[Row], visible: QuerySet[Candidate]) -> dict[str, Candidate | None]:
    """Who has an address of the list: the candidate, or None where they must not be named."""
    wanted = {row.email.lower() for row in rows if row.email}
    taken = Candidate.objects.annotate(low=Lower("email")).filter(low__in=wanted)
    found: dict[str, Candidate | None] = dict.fromkeys(taken.values_list("low", flat=True))
    if found:
        named = visible.annotate(low=Lower("email")).filter(low__in=found)
        for person in named.prefetch_related("accommodations"):
            found[person.email.lower()] = person
    return found


def _read(record: Record) -> Row:
    row = Row(record)
    try:
        _check_name(record.name)
        row.email = _email(record.email)
        row.time_zone = _zone(record.time_zone)
        row.factor = factor_of(record.extra_time)
    except ValidationError as error:
        row.problem = error.messages[0]
    return row


def _check_name(name: str) -> None:
    if not name.strip():
        raise ValidationError("The name is missing.")
    if len(name) > LONGEST_NAME:
        raise ValidationError(f"The name is longer than {LONGEST_NAME} characters.")
    if not is_text(name):
        raise ValidationError("The name holds a character that cannot be kept: write it again.")
    one_line(name)


def _email(email: str) -> str:
    if not email:
        raise ValidationError("The address is missing.")
    try:
        validate_email(email)
    except ValidationError:
        raise ValidationError(f"“{email[:60]}” is no e-mail address.") from None
    if len(email) > LONGEST_EMAIL:
        raise ValidationError(f"The address is longer than {LONGEST_EMAIL} characters.")
    return email


@cache
def _zones() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}


def _zone(name: str) -> str:
    if not name:
        return ""
    found = _zones().get(name.replace(" ", "_").lower())
    if not found:
        raise ValidationError(
            f"“{name[:40]}” is no time zone: write region and city, as in Europe/Berlin."
        )
    return found


def factor_of(text: str) -> Decimal:
    """ "25 %", "25", "1.25", "x1,25" as a factor of 1 to 4; nothing is 1. Raises ValidationError."""
    plain = re.sub(r"[\s+x×]", "", text.lower()).replace(",", ".")
    if plain in ("", "0", "0%", "-", "–", "no", "none", "nein", "keine"):
        return LEAST
    try:
        number = Decimal(plain.removesuffix("%"))
    except InvalidOperation:
        raise ValidationError(EXTRA_TIME) from None
    if number.is_finite() and (plain.endswith("%") or number > MOST):
        number = 1 + number / 100
    if not number.is_finite() or not LEAST <= number <= MOST:
        raise ValidationError(EXTRA_TIME)
    return number.quantize(Decimal("0.01"))


def _meets(row: Row, person: Candidate | None) -> None:
    """What the row changes about somebody who is there already; their name and address stay."""
    if person is None:
        row.problem = OF_SOMEBODY_ELSE
        return
    row.known = person
    if person.name != row.record.name:
        row.notes.append(f"stays {person.name}")
    if row.time_zone and not person.time_zone:
        row.notes.append(f"gets the time zone {row.time_zone}")
    if is_changed(row):
        row.notes.append(f"extra time {person.multiplier()} becomes {row.factor}")


@transaction.atomic
def _write(rows: list[Row], by: User, now: datetime) -> Added:
    new = [row for row in rows if row.kind == NEW]
    known = [row for row in rows if row.kind == KNOWN]
    made = Candidate.objects.bulk_create(
        Candidate(
            name=row.record.name.strip(),
            email=row.email,
            time_zone=row.time_zone,
            created_at=now,
        )
        for row in new
    )
    note_actions(by, [(person, f"Added. {FROM_THE_LIST}") for person in made], flag=ADDITION)
    _set_zones(known, by)
    longer = [(row.known, row.factor) for row in known if row.known and is_changed(row)]
    for row, person in zip(new, made, strict=True):
        row.known = person
        if row.factor > LEAST:
            longer.append((person, row.factor))
    grant([(person, factor, FROM_THE_LIST) for person, factor in longer], by=by, now=now)
    return Added([row.known.pk for row in rows if row.known], len(made))


def is_changed(row: Row) -> bool:
    """Whether the row agrees other extra time with somebody who is there already."""
    return row.known is not None and LEAST < row.factor != row.known.multiplier()


def _set_zones(rows: list[Row], by: User) -> None:
    """A zone where there was none."""
    changed = []
    for row in rows:
        if row.known and row.time_zone and not row.known.time_zone:
            row.known.time_zone = row.time_zone
            changed.append(row.known)
    Candidate.objects.bulk_update(changed, ["time_zone"])
    said = [(person, f"Time zone {person.time_zone}. {FROM_THE_LIST}") for person in changed]
    note_actions(by, said, flag=CHANGE)


def grant(who: list[tuple[Candidate, Decimal, str]], *, by: User, now: datetime) -> None:
    """Append agreed extra time for many: (candidate, factor of 1 to 4, what was agreed), audited."""
    Accommodation.objects.bulk_create(
        Accommodation(candidate=person, multiplier=factor, note=note, granted_by=by, granted_at=now)
        for person, factor, note in who
    )
    said = [(person, f"Extra time: {factor} × time. {note}") for person, factor, note in who]
    note_actions(by, said, flag=CHANGE)


def add(
    records: Iterable[Record], visible: QuerySet[Candidate], *, by: User, now: datetime
) -> Added:
    """Add the rows that can be used, all or none; sent twice, it adds nobody twice.

    Raises NotPossible where somebody else added one of them at the same moment.
    """
    usable = [row for row in check(records, visible) if row.kind != WRONG]
    try:
        return _write(usable, by, now)
    except IntegrityError as error:
        raise NotPossible(MEANWHILE) from error
