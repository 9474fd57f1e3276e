"""Databases for tests, migrated once for each state of the sources and copied from then on."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core import management
from django.db.backends.base.base import BaseDatabaseWrapper

from assessments.tests.kept import kept_folder, mark_of_sources, one_at_a_time

PREFIX = "headnode_tests_"
Migrate = Callable[[], Any]


def lend_migrated(connection: BaseDatabaseWrapper) -> None:
    """Have the database of this process's tests copied where one was migrated of the same sources."""
    lend = {"sqlite": _copied, "postgresql": _from_template}[connection.vendor]
    create, name = connection.creation.create_test_db, PREFIX + mark_of_sources()

    def created(*args: Any, **options: Any) -> str:
        with one_at_a_time("migrated"), lend(connection, name):
            return create(*args, **options)

    connection.creation.create_test_db = created  # type: ignore[method-assign]


def lend_to_a_process(data: Path) -> None:
    """Put a migrated SQLite, if one is kept, where a process with that folder of data is about to migrate."""
    with one_at_a_time("migrated"):
        if _kept(PREFIX + mark_of_sources()).exists():
            shutil.copyfile(_kept(PREFIX + mark_of_sources()), data / "headnode.sqlite3")


def _kept(name: str) -> Path:
    return kept_folder() / f"{name}.sqlite3"


@contextmanager
def _copied(connection: BaseDatabaseWrapper, name: str) -> Iterator[None]:
    """SQLite: a file is kept, and read into the memory of each process."""
    kept = _kept(name)

    def keep(migrate: Migrate) -> None:
        migrate()
        making = kept.with_suffix(".making")
        making.unlink(missing_ok=True)
        with closing(sqlite3.connect(making)) as file:
            connection.connection.backup(file)
        for old in kept_folder().glob(f"{PREFIX}*.sqlite3"):
            old.unlink()
        making.rename(kept)

    def copy(migrate: Migrate) -> None:
        connection.ensure_connection()
        with closing(sqlite3.connect(kept)) as file:
            file.backup(connection.connection)

    with _migrating_by(copy if kept.exists() else keep):
        yield


@contextmanager
def _from_template(connection: BaseDatabaseWrapper, name: str) -> Iterator[None]:
    """PostgreSQL: a database is kept, from which the server copies."""
    with connection._nodb_cursor() as server:
        server.execute("select datname from pg_database where starts_with(datname, %s)", [PREFIX])
        known = [row[0] for row in server.fetchall()]
    if name in known:
        connection.settings_dict["TEST"]["TEMPLATE"] = name
        with _migrating_by(lambda migrate: None):
            yield
        return
    yield
    connection.close()
    with connection._nodb_cursor() as server:
        for old in known:
            server.execute(f'drop database if exists "{old}" with (force)')
        made = connection.settings_dict["NAME"]
        server.execute(f'create database "{name}" template "{made}"')


@contextmanager
def _migrating_by(way: Callable[[Migrate], None]) -> Iterator[None]:
    """Django's own making of a test database, but for its migrating."""
    called = management.call_command

    def call(command: str, *args: Any, **options: Any) -> Any:
        if command != "migrate":
            return called(command, *args, **options)
        return way(lambda: called(command, *args, **options))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(management, "call_command", call)
        yield
