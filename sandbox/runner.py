"""Who is running: a name held by a lock, so that others can tell the living from the dead."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import itertools
import os
import secrets
import shutil
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


class Runner:
    """One process's use of a state folder.

    Names of groups, containers and folders start with `prefix`, which holds a digest of the state
    folder: two installations on one host never sweep each other's runs.
    """

    def __init__(self, state_dir: Path) -> None:
        self.pid = os.getpid()
        self.folder = state_dir / "runs"
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.state = state_key(state_dir)
        self.id = secrets.token_hex(4)
        self._lock = self._take_lock()
        self._count = itertools.count(1)
        # A dead bubblewrap's child comes to us and not to a process 1 that may never reap it.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def next_name(self) -> str:
        return f"{self.state}-{self.id}-{next(self._count)}"

    def close(self) -> None:
        (self.folder / f"{self.id}.lock").unlink(missing_ok=True)
        os.close(self._lock)

    def abandon(self) -> None:
        """In a child process: while it held the lock too, a dead parent would seem alive."""
        os.close(self._lock)

    def _take_lock(self) -> int:
        path = self.folder / f"{self.id}.lock"
        fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX)
        if not path.exists():
            os.close(fd)
            return self._take_lock()
        return fd

    def is_dead(self, name: str) -> bool:
        """Is this the name of a run, of this installation, whose runner has gone?"""
        state, _, rest = name.partition("-")
        runner = rest.partition("-")[0]
        return state == self.state and runner != self.id and not self._is_held(runner)

    def _is_held(self, runner: str) -> bool:
        try:
            fd = os.open(self.folder / f"{runner}.lock", os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(fd)
        return False

    def sweep_folders(self) -> list[str]:
        """Remove dead runners' folders and, last, their locks."""
        removed = []
        for entry in sorted(self.folder.iterdir()):
            if entry.is_dir() and self.is_dead(entry.name):
                shutil.rmtree(entry, ignore_errors=True)
                removed.append(f"folder {entry.name}")
        for lock in self.folder.glob("*.lock"):
            if lock.stem != self.id:
                self._forget(lock)
        return removed

    def _forget(self, lock: Path) -> None:
        """Remove it if nobody holds it; held meanwhile, or its new holder would seem dead for good."""
        with contextlib.suppress(OSError), lock.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                lock.unlink()


def state_key(state_dir: Path) -> str:
    return hashlib.sha256(str(state_dir.resolve()).encode()).hexdigest()[:8]
