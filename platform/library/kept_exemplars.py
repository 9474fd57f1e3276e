"""Exemplars that staff kept from their own trials, beside those that are shipped as files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from library.exemplars import Agreed, Exemplar, exemplars_of
from library.models import HIGHEST, LOWEST, KeptExemplar
from library.packs import pack_of
from scenarios.packs import Pack, PackNotFound, all_packs
from scenarios.packs.rubric import Criterion

PREFIX = "kept-"
LONGEST_REASON = 2000


def every_exemplar(pack_name: str, level: str) -> tuple[Exemplar, ...]:
    """Those of the files first, then what staff kept, oldest first."""
    rows = KeptExemplar.objects.filter(pack_name=pack_name, level=level)
    return (*exemplars_of(pack_name, level), *map(_exemplar, rows))


def digests_of(kinds: Iterable[tuple[str, str]]) -> dict[tuple[str, str], set[str]]:
    """(pack, level) -> the digests of its exemplars, in one query."""
    found = {kind: {item.digest for item in exemplars_of(*kind)} for kind in kinds}
    for name, level, digest in KeptExemplar.objects.values_list("pack_name", "level", "digest"):
        if (name, level) in found:
            found[name, level].add(digest)
    return found


def everywhere() -> list[tuple[Pack, str, tuple[Exemplar, ...]]]:
    """(pack, level, its exemplars) of every level that has some."""
    return [
        (pack, level, found)
        for pack in all_packs()
        for level in pack.levels
        if (found := every_exemplar(pack.name, level))
    ]


def _exemplar(row: KeptExemplar) -> Exemplar:
    agreed = {key: Agreed(item["level"], item["reason"]) for key, item in row.agreed.items()}
    title = f"Exemplar {row.pk}, kept by staff"
    return Exemplar(f"{PREFIX}{row.pk}", title, row.body, agreed, row.digest)


def criteria_of(pack_name: str, level: str) -> list[Criterion]:
    """What an exemplar is rated on: the first round's criteria; none for a pack that is gone."""
    try:
        return [item for item in pack_of(pack_name).rubric(level).criteria if item.round == 1]
    except PackNotFound:
        return []


def kept_as(pack_name: str, level: str, body: dict[str, Any]) -> KeptExemplar | None:
    """The exemplar that this very answer was kept as."""
    rows = KeptExemplar.objects.filter(pack_name=pack_name, level=level, body_sha256=_mark(body))
    return rows.first()


@transaction.atomic
def keep_exemplar(
    *,
    pack_name: str,
    level: str,
    body: dict[str, Any],
    agreed: dict[str, dict[str, Any]],
    by: User,
    now: datetime,
) -> KeptExemplar:
    """Keep an answer with a level and a reason for every criterion; the same answer is kept once."""
    if before := kept_as(pack_name, level, body):
        return before
    for item in criteria_of(pack_name, level):
        given = agreed.get(item.key, {})
        if not LOWEST <= (given.get("level") or 0) <= HIGHEST or not given.get("reason"):
            raise NotPossible(
                f"“{item.title}” needs a level and the reason for it: who calibrates reads both."
            )
        if len(given["reason"]) > LONGEST_REASON:
            raise NotPossible(f"The reason for “{item.title}” is too long: shorten it.")
    text = json.dumps([body, agreed], sort_keys=True)
    return KeptExemplar.objects.create(
        pack_name=pack_name,
        level=level,
        body=body,
        body_sha256=_mark(body),
        agreed=agreed,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        kept_by=by,
        kept_at=now,
    )


def _mark(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
