"""Many messages at once: what candidates are told within goes into the outbox in few statements at its end.

Nothing is sent here either; a press that tells two hundred people only must not ask the database a thousand
times. Who writes them rings once, when all of it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from django.db import transaction

from hiring.messages.occasions import Occasion
from hiring.messages.wording import Words, words_for
from hiring.models import Message, Opening

IN_ONE_TRANSACTION = 25
"""People of one part: saves of those who work must not wait for a press that tells hundreds."""


@dataclass
class Batch:
    """Messages to candidates that are not stored yet; words: by occasion and opening, looked up once."""

    rows: list[Message] = field(default_factory=list)
    _words: dict[tuple[str, int | None, str], Words] = field(default_factory=dict)

    def words(self, occasion: Occasion, opening: Opening | None, language: str) -> Words:
        """As `words_for`."""
        key = (occasion.key, opening.pk if opening else None, language)
        if key not in self._words:
            self._words[key] = words_for(occasion, opening, language)
        return self._words[key]

    def store(self) -> None:
        """Those that nobody was told before, in their order; of the same thing twice the first."""
        if not self.rows:
            return
        about = [row.subject_key for row in self.rows]
        told = Message.objects.filter(recipient=None, subject_key__in=about)
        known: set[tuple[str, str, int | None]] = {
            *told.values_list("occasion", "subject_key", "candidate")
        }
        fresh = []
        for row in self.rows:
            key = (row.occasion, row.subject_key, row.candidate_id)
            if key not in known:
                known.add(key)
                fresh.append(row)
        Message.objects.bulk_create(fresh, ignore_conflicts=True)


_open: ContextVar[Batch | None] = ContextVar("messages_told_together", default=None)


def current() -> Batch | None:
    """The batch that messages of this thread go into now."""
    return _open.get()


@contextmanager
def together() -> Iterator[Batch]:
    """Gather what candidates are told within; stored with whatever else is written there, or not at all."""
    batch = Batch()
    mark = _open.set(batch)
    try:
        with transaction.atomic():
            yield batch
            batch.store()
    finally:
        _open.reset(mark)
