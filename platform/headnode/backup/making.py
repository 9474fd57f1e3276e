"""Write the site into one file, as it is at one moment, while it goes on working."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from assessments.presences import own_version
from headnode.backup import files, rows

FORMAT = 1
MANIFEST = "manifest.json"
TO_DISK = 8 << 20
"""Bytes of one table that are held in memory before a temporary file takes them."""


def make(to: Path, *, now: datetime) -> dict[str, Any]:
    """Write the backup; what it holds, as its manifest says it. The file appears when it is whole.

    Raises OSError, DatabaseError.
    """
    part = to.with_name(f".{to.name}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "wb") as raw:
            with tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as archive:
                manifest = _fill(archive, now)
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)
    return manifest


def _fill(archive: tarfile.TarFile, now: datetime) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    held: dict[str, Any] = {}
    with snapshot():
        applied = sorted(MigrationRecorder(connection).applied_migrations())
        for model in rows.tables(apps):
            label = model._meta.label_lower
            with tempfile.SpooledTemporaryFile(TO_DISK) as file:
                count, digest = rows.write(model, file)
                columns = [field.attname for field in rows.fields(model)]
                tables[label] = {"rows": count, "sha256": digest, "columns": columns}
                _add(archive, f"rows/{label}.jsonl", file, now)
    for name, path in files.kept(settings.DATA):
        content = path.read_bytes()
        held[name] = {"sha256": hashlib.sha256(content).hexdigest()}
        _add(archive, f"files/{name}", io.BytesIO(content), now)
    manifest = {
        "format": FORMAT,
        "headnode": own_version(),
        "made_at": now.isoformat(),
        "database": connection.vendor,
        "migrations": [list(one) for one in applied],
        "tables": tables,
        "files": held,
        "secret_key": "file" if "secret_key" in held else "environment",
    }
    text = json.dumps(manifest, indent=1).encode()
    _add(archive, MANIFEST, io.BytesIO(text), now)
    return manifest


def _add(archive: tarfile.TarFile, name: str, file: IO[bytes] | Any, now: datetime) -> None:
    info = tarfile.TarInfo(name)
    info.size = file.seek(0, os.SEEK_END) or file.tell()
    info.mode, info.mtime = 0o600, int(now.timestamp())
    file.seek(0)
    archive.addfile(info, file)


@contextmanager
def snapshot() -> Iterator[None]:
    """All that is read inside is of one moment, and nobody who writes waits for it."""
    if connection.in_atomic_block:  # somebody else's moment, as in tests
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with _reading_of_sqlite():
            yield


@contextmanager
def _reading_of_sqlite() -> Iterator[None]:
    """Django's own transactions take the write lock at their beginning; a reader's must not."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
