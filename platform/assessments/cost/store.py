"""A bill's tables in one SQLite file beside its variant: made once, read by every process."""

from __future__ import annotations

import fcntl
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from assessments.materials.variants import NotBuilt

logger = logging.getLogger(__name__)
NAME = ".bill-1.sqlite"
"""In the variant's folder, so that it goes with it; no list names it, so nobody can fetch it."""
BUILD_S = 120
_ahead = threading.Lock()
"""One file is made ahead at a time, however many candidates begin in the same minute."""


def known(folder: Path) -> Path | None:
    """The file of a built variant where it has been made."""
    target = folder / NAME
    return target if target.exists() else None


def file_of(folder: Path) -> Path:
    """The file of a built variant, made first where it is not there (some 2 s). Raises NotBuilt."""
    target = folder / NAME
    if known(folder):
        return target
    with _lock(folder):
        if not target.exists():
            _build(folder, target)
    return target


def prepare(folder: Path) -> None:
    """Begin to make the file where it is not there, and do not wait for it."""
    if known(folder) is None:
        threading.Thread(target=_prepared, args=(folder,), name="bill-tables", daemon=True).start()


def _prepared(folder: Path) -> None:
    with _ahead, suppress(NotBuilt):  # whoever asks for the tables next is told
        file_of(folder)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    with (folder.parent / f"{folder.name}.bill.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(folder: Path, target: Path) -> None:
    """In a process of its own: the rows never lie in the web server's memory."""
    command = [sys.executable, "-m", "scenarios.cost.tables", str(folder), str(target)]
    try:
        done = subprocess.run(  # noqa: S603  (our own command line)
            command, cwd=settings.ROOT, capture_output=True, text=True, timeout=BUILD_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotBuilt(f"The tables of {folder.name} took longer than {BUILD_S} s.") from None
    if done.returncode:
        logger.error("The tables of %s: %s", folder.name, done.stderr.strip()[-500:])
        raise NotBuilt(f"The tables of {folder.name} could not be made.")
