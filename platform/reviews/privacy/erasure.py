"""Make a candidate's data go: every row that hangs on them, the trail's words, mails, free pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Q
from django.dispatch import Signal

from accounts.hanging_rows import Rows, delete, hanging_on
from accounts.models import User
from assessments.jobs import Job
from assessments.models import TerminalChunk
from hiring.models import Accommodation, Candidate, Erasure, Invitation, MailedLink, Message
from reviews.models import PdfFile, ReportLink, SelfDescription

GONE = "erased"
REDACTED = "Erased with the candidate's data."
MAIL_RULE = "-" * 79 + "\n"  # what Django's file backend writes between messages
SHORTEST_WORD = 3
erased = Signal()
"""Somebody's data went, in the transaction of it. sender: Erasure; stone."""
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
    return hanging_on(candidate)


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
        if model in (Candidate, Accommodation, Message, PdfFile, ReportLink):  # they go in any case
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
            delete(rows)
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
        erased.send(Erasure, stone=stone)
    _remove_mails(candidate.email)
    candidate.name, candidate.email = f"Candidate {candidate.pk} ({GONE})", ""
    return stone


def _refuse_while_running(rows: Rows) -> None:
    for model, keys in rows.items():
        if issubclass(model, Job):
            held = model._base_manager.filter(pk__in=keys, finished_at=None).exclude(worker="")
            if held.exists():
                raise StillWorking("A program of theirs is being run: try again in some minutes.")


def _forget(candidate: Candidate, now: datetime) -> None:
    """Work and scores stay under the pseudonym; the name, the address and agreed time go."""
    candidate.accommodations.all().delete()
    MailedLink.objects.filter(invitation__candidate=candidate).delete()
    candidate.messages.all().delete()
    candidate.pdf_files.all().delete()
    ReportLink.objects.filter(attempt__invitation__candidate=candidate).delete()
    SelfDescription.objects.filter(invitation__candidate=candidate).delete()
    # Screens and keyboards: bytes in which nobody could look for the name.
    TerminalChunk.objects.filter(session__attempt__invitation__candidate=candidate).delete()
    for model, keys in rows_of(candidate).items():
        if getattr(model, "goes_with_the_name", False):  # numbers in other systems
            model._base_manager.filter(pk__in=keys).delete()
    for link in Invitation.objects.filter(candidate=candidate):
        link.token_hash, link.revoked_at = f"{GONE}-{uuid4()}", link.revoked_at or now
        link.save(update_fields=["token_hash", "revoked_at"])
    Candidate.objects.filter(pk=candidate.pk).update(
        time_zone="",
        name=f"Candidate {candidate.pseudonym}",
        email=f"{GONE}-{candidate.pk}@invalid.example",
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
