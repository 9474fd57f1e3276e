"""Threads of one process write to SQLite in the order in which they came, and none is refused."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from headnode.environment import sqlite
from headnode.sqlite.base import Turns, turns

THREADS = 12


def wait_until_waiting(number: int, of: Turns) -> None:
    """Until somebody has the turn and so many wait for it."""
    until = time.monotonic() + 20
    while not of._taken or len(of._waiting) < number:
        assert time.monotonic() < until
        time.sleep(0.001)


def test_turn_is_given_in_order_and_not_to_who_gave_up() -> None:
    turn, came = Turns(), []
    assert turn.take(0)
    assert not turn.take(0.01)

    def wait(number: int) -> None:
        assert turn.take(20)
        came.append(number)
        turn.give()

    threads = [threading.Thread(target=wait, args=[number]) for number in range(THREADS)]
    for number, thread in enumerate(threads):
        thread.start()
        wait_until_waiting(number + 1, turn)
    turn.give()
    for thread in threads:
        thread.join(20)
    assert came == list(range(THREADS))
    assert turn.take(0)


@pytest.fixture
def databases(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[ConnectionHandler]:
    """The settings' SQLite in a file, as the web server's threads open it."""
    path = tmp_path / "headnode.sqlite3"
    with sqlite3.connect(path) as server:
        server.execute("pragma journal_mode=wal")
        server.execute("create table came (number integer)")
    with django_db_blocker.unblock():
        yield ConnectionHandler({"default": sqlite(path)})


def begin(databases: ConnectionHandler) -> None:
    databases["default"].set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def test_writers_behind_a_long_one_all_get_through_in_order(databases: ConnectionHandler) -> None:
    other = sqlite3.connect(databases.settings["default"]["NAME"], isolation_level=None)
    other.execute("begin immediate")
    came: list[int] = []

    def write(number: int) -> None:
        begin(databases)
        came.append(number)
        databases["default"].cursor().execute("insert into came values (%s)", [number])
        databases["default"].commit()
        databases["default"].close()

    threads = [threading.Thread(target=write, args=[number]) for number in range(THREADS)]
    for number, thread in enumerate(threads):
        thread.start()
        wait_until_waiting(number, turns)  # the first waits at SQLite's door for the other process
    time.sleep(2)
    other.execute("commit")
    for thread in threads:
        thread.join(20)
    assert came == list(range(THREADS))
    rows = other.execute("select number from came order by rowid").fetchall()
    assert [number for (number,) in rows] == came


def test_turn_comes_back_from_who_failed(databases: ConnectionHandler) -> None:
    database = databases["default"]
    database.settings_dict["OPTIONS"]["timeout"] = 0.2
    other = sqlite3.connect(database.settings_dict["NAME"], isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(OperationalError, match="locked"):
        begin(databases)
    other.execute("rollback")
    for end in (database.rollback, database.close, database.commit):
        begin(databases)
        assert turns._taken
        end()
        assert not turns._taken
        database.close()
        database.connect()


OPEN_ANOTHER = """
import sqlite3, subprocess, sys, threading, django
django.setup()
from django.conf import settings
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("CREATE TABLE kept (number INTEGER)")
other = threading.Thread(target=lambda: connection.ensure_connection())
other.start()
other.join()
path = settings.DATA / "headnode.sqlite3"
ends = "import sqlite3, sys; a = sqlite3.connect(sys.argv[1]); a.execute('SELECT * FROM kept'); a.close()"
subprocess.run([sys.executable, "-c", ends, str(path)], check=True)
print(path.with_name(path.name + "-wal").exists())
"""


@pytest.mark.nightly
def test_a_second_connection_leaves_the_first_ones_locks(tmp_path: Path) -> None:
    """Without them another process that closes takes itself for the last, and takes the log away."""
    env = os.environ | {"HEADNODE_DATA": str(tmp_path), "DATABASE_URL": ""}
    env |= {"PYTHONPATH": os.pathsep.join(sys.path), "DJANGO_SETTINGS_MODULE": "headnode.settings"}
    done = subprocess.run(
        [sys.executable, "-c", OPEN_ANOTHER], env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "True", done.stderr
