"""Make a candidate's data go: every row that hangs on them, the trail's words, mails, free pages.

What hangs on a candidate is found by walking the models' relations, so that a model which is added
later is erased without being named here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Q

from accounts.models import User
from assessments.jobs import Job
from assessments.models import TerminalChunk
from hiring.models import Accommodation, Candidate, Erasure, Invitation
from reviews.models import SelfDescription

Rows = dict[type[models.Model], set[Any]]
GONE = "erased"
REDACTED = "Erased with the candidate's data."
MAIL_RULE = "-" * 79 + "\n"  # what Django's file backend writes between messages
SHORTEST_WORD = 3
SHARED = {
    "snapshot",
    "policies",
    "company",
    "level_text",
}  # rubrics, terms, clusters: for everybody


class StillWorking(Exception):
    """A program of theirs is being run; the text says what to do."""


def rows_of(candidate: Candidate) -> Rows:
    """Every row that exists because of the candidate, by model: {model: keys}, they included."""
    found: Rows = defaultdict(set)
    found[Candidate] = {candidate.pk}
    queue: list[tuple[type[models.Model], set[Any]]] = [(Candidate, {candidate.pk})]
    while queue:
        model, keys = queue.pop(0)
        for relation in _pointing_at(model):
            if relation.on_delete is models.SET_NULL:
                continue
            rows = _filtered(relation, keys).values_list("pk", flat=True)
            new = set(rows) - found[relation.related_model]
            if new:
                found[relation.related_model] |= new
                queue.append((relation.related_model, new))
    return {model: keys for model, keys in found.items() if keys}


def _pointing_at(model: type[models.Model]) -> Iterator[Any]:
    for field in model._meta.get_fields(include_hidden=True):
        if field.auto_created and not field.concrete and (field.one_to_many or field.one_to_one):
            yield field


def _filtered(relation: Any, keys: set[Any]) -> Any:
    return relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": keys})


def counted(rows: Rows) -> dict[str, int]:
    """How many rows of each kind, by the kind's plural, without the tables between two kinds."""
    kinds = [model for model in rows if not model._meta.auto_created]
    return {
        str(model._meta.verbose_name_plural): len(rows[model])
        for model in sorted(kinds, key=lambda model: model._meta.label)
    }


def words_of(candidate: Candidate) -> list[str]:
    """What tells who it is: the address, the name, each part of the name."""
    parts = [part for part in candidate.name.split() if len(part) >= SHORTEST_WORD]
    return [candidate.email, candidate.name, *parts]


def is_named_in(rows: Rows, words: list[str]) -> bool:
    """Whether an answer or a remark contains one of the words, so that keeping it would name them.

    Address and whole name in any case; a part of the name as it is written, for "will" names nobody.
    """
    whole = "|".join(re.escape(word) for word in words[:2])
    parts = "|".join(rf"\b{re.escape(word)}\b" for word in words[2:]) or "(?!)"
    pattern = re.compile(f"(?i:{whole})|{parts}")
    return any(pattern.search(text) for text in _texts(rows))


def _texts(rows: Rows) -> Iterator[str]:
    """Everything that was written in the rows, without what every candidate's rows say."""
    written = (models.CharField, models.TextField, models.JSONField)
    for model, keys in rows.items():
        if model in (Candidate, Accommodation):
            continue
        names = [
            field.attname
            for field in model._meta.concrete_fields
            if isinstance(field, written) and field.attname not in SHARED
        ]
        if names:
            for row in model._base_manager.filter(pk__in=keys).values_list(*names).iterator():
                yield from map(str, row)


def mode_for(candidate: Candidate, wanted: str) -> str:
    """What can be done: all is erased where work that would be kept names its author."""
    if wanted == Erasure.Mode.PSEUDONYMISE and is_named_in(rows_of(candidate), words_of(candidate)):
        return Erasure.Mode.ERASE
    return wanted


def erase(candidate: Candidate, *, mode: str, by: User | None, now: datetime) -> Erasure:
    """Let the candidate's data go and leave the tombstone; raises StillWorking.

    Follow it with compact(), once for all whose data went. The instance is changed
    too: afterwards its name says only its number.
    """
    with transaction.atomic():
        rows = rows_of(candidate)
        _refuse_while_running(rows)
        mode, counts, words = mode_for(candidate, mode), counted(rows), words_of(candidate)
        _redact_trail(rows, words)
        if mode == Erasure.Mode.ERASE:
            _delete(rows)
        else:
            _forget(candidate, now)
        stone = Erasure.objects.create(
            candidate_number=candidate.pk,
            mode=mode,
            by=by,
            counts=counts,
            known_since=candidate.created_at,
            erased_at=now,
        )
    _remove_mails(candidate.email)
    candidate.name, candidate.email = f"Candidate {candidate.pk} ({GONE})", ""
    return stone


def _refuse_while_running(rows: Rows) -> None:
    for model, keys in rows.items():
        if issubclass(model, Job):
            held = model._base_manager.filter(pk__in=keys, finished_at=None).exclude(worker="")
            if held.exists():
                raise StillWorking("A program of theirs is being run: try again in some minutes.")


def _delete(rows: Rows) -> None:
    """All at once: the database checks the references at the end of the transaction."""
    for model, keys in rows.items():
        for relation in _pointing_at(model):
            if relation.on_delete is models.SET_NULL:
                _filtered(relation, keys).update(**{relation.field.attname: None})
    for model, keys in rows.items():
        # delete() would refuse protected rows, which are in `rows` as well
        model._base_manager.filter(pk__in=keys)._raw_delete(connection.alias)


def _forget(candidate: Candidate, now: datetime) -> None:
    """Work and scores stay under the pseudonym; the name, the address and agreed time go."""
    candidate.accommodations.all().delete()
    SelfDescription.objects.filter(invitation__candidate=candidate).delete()
    # Screens and keyboards: bytes in which nobody could look for the name.
    TerminalChunk.objects.filter(session__attempt__invitation__candidate=candidate).delete()
    for link in Invitation.objects.filter(candidate=candidate):
        link.token_hash, link.revoked_at = f"{GONE}-{uuid4()}", link.revoked_at or now
        link.save(update_fields=["token_hash", "revoked_at"])
    Candidate.objects.filter(pk=candidate.pk).update(
        name=f"Candidate {candidate.pseudonym}", email=f"{GONE}-{candidate.pk}@invalid.example"
    )


def _redact_trail(rows: Rows, words: list[str]) -> None:
    """The trail keeps who did something when to which number; what it says of the candidate goes."""
    about = Q(pk__in=[])
    for model, keys in rows.items():
        kind = ContentType.objects.get_for_model(model)
        about |= Q(content_type=kind, object_id__in=[str(key) for key in keys])
    for word in words[:2]:
        about |= Q(object_repr__icontains=word) | Q(change_message__icontains=word)
    LogEntry.objects.filter(about).update(object_repr=GONE, change_message=REDACTED)


def _remove_mails(address: str) -> None:
    """Messages to the address that the file backend kept; other people's in the same file stay."""
    folder = Path(settings.EMAIL_FILE_PATH)
    for path in sorted(folder.glob("*.log")) if folder.is_dir() else []:
        mails = path.read_text(errors="replace").split(MAIL_RULE)
        to = re.compile(rf"^To:.*{re.escape(address)}", re.IGNORECASE | re.MULTILINE)
        kept = [mail for mail in mails if not to.search(mail)]
        if not any(mail.strip() for mail in kept):
            path.unlink()
        elif len(kept) < len(mails):
            path.write_text(MAIL_RULE.join(kept))


def compact() -> bool:
    """Write SQLite's file anew, so that deleted text is not left in free pages; False: not now.

    PostgreSQL's autovacuum does the same in its own time.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return connection.vendor != "sqlite"
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except DatabaseError:
        return False
    return True
