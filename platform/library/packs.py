"""Scenario packs from their folders, and their versions and rubrics as rows."""

from __future__ import annotations

import hashlib
from datetime import datetime
from functools import cache

import msgspec
from django.db import transaction
from django.utils import timezone

from library.models import Criterion, CriterionLevel, PackVersion, Rubric
from scenarios.packs import Pack, all_packs, load_pack
from scenarios.packs import Rubric as SourceRubric


@cache
def pack_of(name: str) -> Pack:
    """The pack of that name; raises PackNotFound. Read once per process."""
    return load_pack(name)


def current_version(name: str) -> PackVersion:
    """The row for the pack as it is on disk now, made on first use."""
    pack = pack_of(name)
    row, _ = PackVersion.objects.get_or_create(
        name=pack.name,
        digest=pack.digest,
        defaults={
            "version": pack.version,
            "kind": pack.kind,
            "title": pack.title,
            "levels": list(pack.levels),
            "loaded_at": timezone.now(),
        },
    )
    return row


def load_packs(*, now: datetime) -> list[PackVersion]:
    """Bring every pack on disk into the library; what is there already stays as it is."""
    versions = []
    for pack in all_packs():
        versions.append(current_version(pack.name))
        for level in pack.levels:
            load_rubric(pack, level, now=now)
    return versions


@transaction.atomic
def load_rubric(pack: Pack, level: str, *, now: datetime) -> Rubric:
    """The pack's rubric as a row; a changed text becomes a new version."""
    source = pack.rubric(level)
    digest = rubric_digest(source)
    rows = Rubric.objects.filter(pack_name=pack.name, level=level)
    if found := rows.filter(source_digest=digest).first():
        return found
    latest = rows.order_by("-version").first()
    rubric = Rubric.objects.create(
        pack_name=pack.name,
        level=level,
        version=latest.version + 1 if latest else 1,
        title=source.title,
        source_digest=digest,
        based_on=latest,
        created_at=now,
    )
    for position, item in enumerate(source.criteria):
        criterion = Criterion.objects.create(
            rubric=rubric,
            key=item.key,
            title=item.title,
            dimension=item.dimension,
            round=item.round,
            weight=str(item.weight),
            weight_reason=item.weight_reason,
            position=position,
        )
        CriterionLevel.objects.bulk_create(
            CriterionLevel(criterion=criterion, value=value, text=text)
            for value, text in item.levels.items()
        )
    return rubric


def rubric_digest(source: SourceRubric) -> str:
    """SHA-256 of a rubric's text as the pack has it."""
    return hashlib.sha256(msgspec.json.encode(source)).hexdigest()


def latest_rubric(pack_name: str, level: str) -> Rubric | None:
    """The version that new evaluations use."""
    rows = Rubric.objects.filter(pack_name=pack_name, level=level)
    return rows.order_by("-version").first()
