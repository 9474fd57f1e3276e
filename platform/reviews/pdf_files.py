"""PDF files as jobs: asked for by a page, set by a worker, kept by the digest of what they say."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from assessments.execution import perform, worker_name
from assessments.jobs import Result
from assessments.queue import publish
from hiring.models import Candidate
from reviews import pdf
from reviews.models import PdfFile

TASK = "reviews.tasks.make_pdf_file"
UNASKED = timedelta(days=7)
"""A file that nobody has asked for so long goes; it can be made again from its page."""
AGAIN = timedelta(minutes=1)
"""What could not be made is tried anew for who asks after so long."""
ASKED_EVERY = timedelta(hours=1)
REMINDED = 10


def digest_of(html: str, base: str) -> str:
    """Names a file by everything that it is made of."""
    whole = hashlib.sha256()
    for text in (html, base, *pdf.styles()):
        whole.update(f"{len(text)}\n{text}".encode())
    return whole.hexdigest()


def asked_for(html: str, *, base: str, about: Candidate | None, now: datetime) -> PdfFile:
    """The file's row, made or on its way. `about`: with whose data it is erased."""
    digest = digest_of(html, base)
    failed = PdfFile.objects.filter(digest=digest, finished_at__lte=now - AGAIN).exclude(
        result=Result.DONE
    )
    failed.delete()
    fresh = {"candidate": about, "html": html, "base": base, "created_at": now, "asked_at": now}
    row: PdfFile
    row, made = PdfFile.objects.defer("html").get_or_create(digest=digest, defaults=fresh)
    if made:
        transaction.on_commit(partial(publish, TASK, row.pk))
    elif row.asked_at < now - ASKED_EVERY:
        PdfFile.objects.filter(pk=row.pk).update(asked_at=now)
    return row


def make(pk: int | str) -> bool:
    """Set one page; False where somebody else has it or it has ended."""
    if not PdfFile.objects.claim(pk, worker_name(), timezone.now()):
        return False
    row = PdfFile.objects.get(pk=pk)
    perform(row, lambda: _set(row), lambda report: Result(report["result"]))
    return True


def _set(row: PdfFile) -> dict[str, Any]:
    """The file into its row; where none can be made, why not, which is no failure to try again."""
    try:
        made = pdf.pdf(row.html, base=row.base)
    except pdf.NoPdf as error:
        return {"result": Result.STOPPED, "detail": str(error)}
    PdfFile.objects.filter(pk=row.pk).update(file=made, html="")
    return {"result": Result.DONE, "bytes": len(made)}


def look_after(now: datetime) -> None:
    """Take up what was left, and let go what nobody asks for any more."""
    PdfFile.objects.filter(asked_at__lt=now - UNASKED).delete()
    PdfFile.objects.give_up(now)
    for pk in PdfFile.objects.startable(now).order_by("pk").values_list("pk", flat=True)[:REMINDED]:
        publish(TASK, pk, expires=10)
