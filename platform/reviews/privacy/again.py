"""Erasures as a list outside of the database, so that those after a backup are carried out again.

A backup still holds whoever was erased after it was made. The list has numbers and moments and no word of
anybody, so it may be kept for as long as backups are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from hiring.models import Candidate, Erasure
from reviews.privacy.erasure import compact, erase, erased

NAME = "erasures.jsonl"


class BadList(Exception):
    """A line that is no erasure; one sentence that names it."""


def line_of(stone: Erasure) -> str:
    """One erasure as a line of the list."""
    told = {
        "candidate": stone.candidate_number,
        "known_since": stone.known_since.isoformat(),
        "mode": stone.mode,
        "erased_at": stone.erased_at.isoformat(),
    }
    return json.dumps(told) + "\n"


def listen() -> None:
    """Note every erasure from now on, once it is written for good."""
    erased.connect(lambda stone, **_: transaction.on_commit(lambda: note(stone)), weak=False)


def note(stone: Erasure) -> None:
    """Add the erasure to the list in the data folder."""
    path = settings.DATA / NAME
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "a") as file:
        file.write(line_of(stone))


def read(path: Path) -> list[dict[str, Any]]:
    """The erasures of a list. Raises BadList, OSError."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            row = json.loads(line)
            row["known_since"] = datetime.fromisoformat(row["known_since"])
            found.append(
                {**row, "candidate": int(row["candidate"]), "mode": Erasure.Mode(row["mode"])}
            )
        except (ValueError, KeyError, TypeError) as error:
            raise BadList(f"Line {number} of {path} is no erasure: {error}.") from error
    return found


def carry_out_again(listed: Iterable[dict[str, Any]], *, now: datetime) -> int:
    """Erase whoever is there although the list says that they went; how many. Raises StillWorking.

    Number and moment have to agree: numbers of another site mean other people.
    """
    done = 0
    for row in listed:
        stones = Erasure.objects.filter(candidate_number=row["candidate"])
        same = {"pk": row["candidate"], "created_at": row["known_since"]}
        candidate = Candidate.objects.filter(**same).first()
        if candidate is None or stones.filter(mode=row["mode"]).exists():
            continue
        erase(candidate, mode=row["mode"], by=None, now=now)
        done += 1
    if done:
        compact()
    return done
