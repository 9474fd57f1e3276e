"""The pads of a talk: read one, and save what somebody typed without overwriting what others did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.prose import is_text
from assessments.models import PadSave, Sitting
from assessments.sitting.merging import merged

LONGEST_PAD = 20_000
THINNED = timedelta(minutes=1)
TOO_LONG = f"A pad holds {LONGEST_PAD:,} characters: shorten it, and what you typed is saved."


class Kept(NamedTuple):
    """A pad as it stands: the number of its newest text, and the text."""

    number: int
    text: str


class BadSend(ValueError):
    """What was sent is no change of a pad; the text is one sentence."""


@dataclass(frozen=True)
class Sent:
    """What a page sends: its text, and the text of ours that it began from.

    `key` is chosen for each change, so that sending it twice is saving it once; `client` names the page.
    """

    base: str
    text: str
    key: str
    client: str


def read_sent(data: Any) -> Sent:
    """A change from a request's JSON; raises BadSend."""
    names = ("base", "text", "key", "client")
    if not isinstance(data, dict) or not all(isinstance(data.get(name), str) for name in names):
        raise BadSend("Send base, text, key and client, each of them text.")
    sent = Sent(**{name: data[name].replace("\r\n", "\n") for name in names})
    if not (1 <= len(sent.key) <= 36 and 1 <= len(sent.client) <= 36):
        raise BadSend("key and client have 1 to 36 characters.")
    if max(len(sent.base), len(sent.text)) > 2 * LONGEST_PAD:
        raise BadSend(TOO_LONG)
    if not all(map(is_text, (sent.base, sent.text, sent.key, sent.client))):
        raise BadSend("A pad is text.")
    return sent


def pad_of(sitting: Sitting, pad: str) -> Kept:
    row = sitting.saves.filter(pad=pad).order_by("-number").first()
    return Kept(row.number, row.text) if row else Kept(0, "")


@transaction.atomic
def save(sitting: Sitting, pad: str, sent: Sent, *, by: User | None, now: datetime) -> Kept:
    """Merge what was typed into the pad as it stands now; raises NotPossible where it gets too long."""
    Sitting.objects.select_for_update().get(pk=sitting.pk)
    rows = PadSave.objects.filter(sitting=sitting, pad=pad)
    before = pad_of(sitting, pad)
    if rows.filter(key=sent.key).exists():
        return before
    text = merged(sent.base, sent.text, before.text)
    if len(text) > LONGEST_PAD:
        raise NotPossible(TOO_LONG)
    if text == before.text:
        return before
    row = rows.create(
        sitting=sitting,
        pad=pad,
        number=before.number + 1,
        text=text,
        author=by,
        client=sent.client,
        key=sent.key,
        at=now,
    )
    rows.filter(client=sent.client, at__gt=now - THINNED).exclude(pk=row.pk).delete()
    return Kept(row.number, row.text)
