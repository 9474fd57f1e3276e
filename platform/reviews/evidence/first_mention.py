"""When something that the answer says was first written down: the earliest draft in which it stands."""

from __future__ import annotations

from collections.abc import Collection

from assessments.models import Attempt, Draft
from reviews.evidence.ordinary_minutes import OrdinaryTime


def minutes(
    attempt: Attempt, sentences: Collection[str], ordinary_time: OrdinaryTime
) -> dict[str, int]:
    """Sentence -> minute of the first round in which a saved draft held it; those that none held are absent.

    Spaces and line breaks do not count; a sentence that was reworded counts from its last wording on.
    Drafts that came too late are no part of the answer. One query.
    """
    wanted = {sentence: _plain(sentence) for sentence in sentences}
    found: dict[str, int] = {}
    if not wanted:
        return found
    drafts = Draft.objects.filter(attempt=attempt, round=1, late=False, diverged=False)
    for draft in drafts.order_by("number").only("body", "received_at").iterator(50):
        if len(found) == len(wanted):
            break
        text = _plain(" ".join(map(str, draft.body.get("sections", {}).values())))
        minute = ordinary_time.at(draft.received_at, attempt.started_at)
        for sentence, plain in wanted.items():
            if plain and plain in text:
                found.setdefault(sentence, minute)
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())
