"""Bring a backup into an empty site: all of it or nothing, then whatever has changed since.

The tables are made as they were when the backup was written, filled, and then brought to this version: a backup
of an older version is restored by a newer one.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from headnode.backup import files, rows
from headnode.backup.making import FORMAT, MANIFEST

SOMEBODYS = ("accounts.User", "hiring.Candidate", "hiring.Opening")
Key = tuple[str, str]


class CannotRestore(Exception):
    """Why nothing was restored; one sentence that says what to do."""


def manifest_of(path: Path) -> dict[str, Any]:
    """What the file holds, after every byte of it was compared with that. Raises CannotRestore."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            manifest = json.loads(_read(archive, MANIFEST))
            if manifest.get("format") != FORMAT:
                raise CannotRestore(
                    f"{path} has the format {manifest.get('format')!r}, and this version reads {FORMAT}: "
                    "install the version that wrote it."
                )
            _compare(archive, manifest)
    except (OSError, EOFError, tarfile.TarError, ValueError, KeyError, TypeError) as error:
        raise CannotRestore(f"{path} is no whole backup of Headnode: {error}.") from error
    except files.BadPath as error:
        raise CannotRestore(str(error)) from error
    return dict(manifest)


def _compare(archive: tarfile.TarFile, manifest: dict[str, Any]) -> None:
    wanted = {f"rows/{label}.jsonl": one["sha256"] for label, one in manifest["tables"].items()}
    wanted |= {f"files/{name}": one["sha256"] for name, one in manifest["files"].items()}
    for name in manifest["files"]:
        files.place(settings.DATA, name)
    for name, sha256 in wanted.items():
        with _member(archive, name) as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise ValueError(f"{name} was changed or damaged")


def restore(path: Path) -> dict[str, Any]:
    """Fill the empty site; the manifest. Raises CannotRestore, and then nothing was changed but tables made."""
    manifest = manifest_of(path)
    refuse_unless_empty()
    states = make_tables([(app, name) for app, name in manifest["migrations"]])
    models = {model._meta.label_lower: model for model in rows.tables(states)}
    if unknown := set(manifest["tables"]) - set(models):
        raise CannotRestore(
            f"The backup has tables that are not known here: {', '.join(sorted(unknown))}."
        )
    try:
        with tarfile.open(path, "r:gz") as archive, transaction.atomic():
            rows.empty(models.values())
            for label, one in manifest["tables"].items():
                with _member(archive, f"rows/{label}.jsonl") as file:
                    rows.load(models[label], one["columns"], file)
            rows.continue_numbers(list(models.values()))
    except (DatabaseError, ValidationError, ValueError, KeyError) as error:
        raise CannotRestore(f"The rows could not be brought in, and none was: {error}") from error
    call_command("migrate", interactive=False, verbosity=0)
    _lay_files(path, manifest)
    return manifest


def refuse_unless_empty() -> None:
    """A restore never mixes two sites. Raises CannotRestore."""
    known = set(connection.introspection.table_names())
    from django.apps import apps

    for label in SOMEBODYS:
        model = apps.get_model(label)
        if model._meta.db_table in known and model._base_manager.exists():
            raise CannotRestore(
                f"This site holds {model._meta.verbose_name_plural} already. Name an empty database in "
                "DATABASE_URL and a new folder in HEADNODE_DATA, and restore into those."
            )


def make_tables(applied: list[Key]) -> Any:
    """Bring the empty database to these migrations; the models as they were then. Raises CannotRestore."""
    executor = MigrationExecutor(connection)
    known = set(executor.loader.graph.nodes)
    wanted = [one for one in applied if one in known]
    replaced = {old for one in executor.loader.replacements.values() for old in one.replaces}
    if strange := [one for one in applied if one not in known and one not in replaced]:
        app, name = strange[0]
        raise CannotRestore(
            f"The backup was written by a newer version: {app}.{name} is not known here. Install that version."
        )
    if newer := set(MigrationRecorder(connection).applied_migrations()) - set(applied):
        app, name = sorted(newer)[0]
        raise CannotRestore(
            f"The database has tables of a newer version than the backup ({app}.{name}): name one without any."
        )
    leaves = [one for one in wanted if not _later(executor, one) & set(wanted)]
    executor.migrate(leaves)
    return MigrationExecutor(connection).loader.project_state(leaves).apps


def _later(executor: MigrationExecutor, of: Key) -> set[Key]:
    """Migrations of the same app that come right after."""
    nodes = executor.loader.graph.node_map[of].children
    return {node.key for node in nodes if node.key[0] == of[0]}


def _lay_files(path: Path, manifest: dict[str, Any]) -> None:
    with tarfile.open(path, "r:gz") as archive:
        for name in manifest["files"]:
            target = files.place(settings.DATA, name)
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            part = target.with_name(f".{target.name}.part")
            with os.fdopen(
                os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
            ) as file:
                file.write(_read(archive, f"files/{name}"))
            part.replace(target)


@contextmanager
def _member(archive: tarfile.TarFile, name: str) -> Iterator[Any]:
    file = archive.extractfile(name)  # a file's content alone: nothing is unpacked by its own name
    if file is None:
        raise ValueError(f"{name} is no file")
    with file:
        yield file


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    with _member(archive, name) as file:
        return bytes(file.read())
