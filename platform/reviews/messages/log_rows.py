"""What became of a message, as every page that lists some says it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from hiring.messages.delivery import TO_A_FILE
from hiring.messages.occasions import occasions
from hiring.models import Message
from reviews.phases import Tag

TAGS = {
    "queued": Tag("Queued", "info"),
    "digest": Tag("Kept for the digest", "info"),
    "sending": Tag("Being sent", "info"),
    "sent": Tag("Sent", "good"),
    "refused": Tag("Refused", "bad"),
    "uncertain": Tag("Uncertain", "warn"),
}
ONLY_A_FILE = Tag("Only a file", "warn")


class Row(NamedTuple):
    """One line of a log."""

    message: Message
    title: str
    to: str
    tag: Tag
    why: str
    in_list: str
    """The same, without what the note above the list says already."""


def row_of(message: Message, now: datetime) -> Row:
    """Of a message that a digest carries, the digest's fate is its own."""
    kept = message.carried_by
    state = kept.state(now) if kept else message.state(now)
    to = str(message.recipient or message.candidate)
    occasion = occasions().get(message.occasion)
    why = (kept or message).answer
    tag = ONLY_A_FILE if state == "sent" and why == TO_A_FILE else TAGS[state]
    title = occasion.title if occasion else message.occasion
    return Row(message, title, to, tag, why, "" if tag is ONLY_A_FILE else why)
