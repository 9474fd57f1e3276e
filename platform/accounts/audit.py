"""The audit trail: one LogEntry for everything a member of staff does, whichever page they did it on."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from accounts.models import User

__all__ = ["ADDITION", "CHANGE", "DELETION", "note_action", "note_actions"]
LONGEST_NAME = 200


def note_action(by: User, row: Model, text: str, *, flag: int = CHANGE) -> LogEntry:
    """Append who did what to which row; `text` is one sentence with the reason in it."""
    return LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(row),
        object_id=str(row.pk),
        object_repr=str(row)[:LONGEST_NAME],
        action_flag=flag,
        change_message=text,
    )


def note_actions(by: User, said: Sequence[tuple[Model, str]], *, flag: int = CHANGE) -> None:
    """The same for many rows of one model at once: (row, sentence) of each, in few statements."""
    if not said:
        return
    kind = ContentType.objects.get_for_model(said[0][0])
    LogEntry.objects.bulk_create(
        LogEntry(
            user=by,
            content_type=kind,
            object_id=str(row.pk),
            object_repr=str(row)[:LONGEST_NAME],
            action_flag=flag,
            change_message=text,
        )
        for row, text in said
    )
