"""Django's SQLite, where the threads of one process begin their transactions in turn.

SQLite has one writer at a time. Whoever finds it taken sleeps and looks again, up to a tenth of a second
later, and whoever looks at the right moment goes first: of a hundred answers that come in one second some
wait until they are refused. Here threads wait for each other in the order in which they came, and only one
of them, with other processes, at SQLite's door.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from headnode.data_folder import private_file

PATIENCE_S = 20.0


class Turns:
    """A lock that is given in the order in which it was asked for."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Nobody has it and nobody waits, as in a process that was just forked."""
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Event] = deque()

    def take(self, within: float) -> bool:
        """Wait for the turn, for at most so many seconds; False where it did not come."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = threading.Event()
            self._waiting.append(mine)
        if mine.wait(within):
            return True
        with self._guard:
            if mine.is_set():  # it came in the last moment
                return True
            self._waiting.remove(mine)
            return False

    def give(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False


turns = Turns()
os.register_at_fork(after_in_child=turns.reset)


class DatabaseWrapper(base.DatabaseWrapper):
    # Django's stubs leave out what is private, though a backend consists of it.
    _has_turn = False

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection; the file is made readable to this account alone, and what lies beside it follows."""
        if not self.is_in_memory_db():
            with suppress(OSError):  # SQLite says itself what is wrong with the file
                private_file(Path(conn_params["database"]))
        return super().get_new_connection(conn_params)

    def _start_transaction_under_autocommit(self) -> None:
        if not self.is_in_memory_db():  # those of tests: their threads share one connection's fate
            if not turns.take(float(self.settings_dict["OPTIONS"].get("timeout", PATIENCE_S))):
                raise OperationalError("database is locked")
            self._has_turn = True
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> Any:
        super()._commit()  # type: ignore[misc]
        self._end_turn()  # not where that failed: Django then rolls back

    def _rollback(self) -> Any:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _close(self) -> Any:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        if self._has_turn:
            self._has_turn = False
            turns.give()
