"""Who holds which unit: one locked file for each, and a record that outlives its writer."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sandbox.gpu import records
from sandbox.gpu.owner import Owner
from sandbox.gpu.reading import Unit

_PATIENCE_S = 20.0


class Busy(Exception):
    """Why the unit cannot be had; half a sentence after its name."""


@dataclass(frozen=True)
class Record:
    """What is written about a unit. `owner` is None after an orderly return.

    `fence` counts the leases ever given; `since_ticks` is the lease's begin on the clock that
    dates processes (ticks since boot), `since` the same in seconds since 1970.
    """

    unit: str
    gpu: str
    fence: int
    owner: Owner | None
    since: float
    since_ticks: int
    purpose: str = ""

    @property
    def is_orphan(self) -> bool:
        """Never returned. To be asked only by who holds the unit's lock: then its owner is dead,
        unless it is seen alive, which means that somebody has removed the lock file."""
        return self.owner is not None


class Lease:
    """A unit held for exclusive use until `release`, or until this process and all that were
    forked from it are dead. Not tied to the thread that took it."""

    def __init__(self, unit: Unit, record: Record, lock: int, folder: Path) -> None:
        self.unit = unit
        self.fence = record.fence
        self._record = record
        self._lock: int | None = lock
        self._folder = folder
        self._taken_by = os.getpid()

    @property
    def is_current(self) -> bool:
        """Whether the unit is still ours. Ask before a result that came from it is believed."""
        if self._lock is None or os.getpid() != self._taken_by:
            return False
        try:
            on_disk = os.stat(lock_path(self._folder, self.unit.uuid))
            record = read_record(self._folder, self.unit.uuid)
        except (OSError, records.Unreadable):
            return False
        ours = os.fstat(self._lock)
        same = (on_disk.st_dev, on_disk.st_ino) == (ours.st_dev, ours.st_ino)
        return same and record is not None and record.fence == self.fence

    @property
    def since_ticks(self) -> int:
        return self._record.since_ticks

    def release(self) -> None:
        """Give the unit back; a second time does nothing. In a forked child it only lets go of
        the child's copy, because the lock is its parent's."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        try:
            if os.getpid() == self._taken_by:
                _write(self._folder, self._record, owner=None)
        finally:
            os.close(lock)


class Leases:
    """The folder with the files. All hands that choose a unit hold `choosing` while they do."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Its group's too: who tells of the cards is not who lends them.
        folder.mkdir(mode=0o770, parents=True, exist_ok=True)

    @contextlib.contextmanager
    def choosing(self) -> Iterator[None]:
        """One chooser at a time on this host. Raises Busy after 20 s."""
        mutex = _open(self._folder / "choosing.lock")
        try:
            until = time.monotonic() + _PATIENCE_S
            while not _try_lock(mutex):
                if time.monotonic() > until:
                    raise Busy("cannot be chosen: another runner holds choosing.lock")
                time.sleep(0.01)
            yield
        finally:
            os.close(mutex)

    @contextlib.contextmanager
    def held(self, unit: str) -> Iterator[tuple[int, Record | None]]:
        """The unit's lock and record, to look and decide; let go at the end unless duplicated.

        Raises Busy when a living lease has it. Only while `choosing`.
        """
        lock = _open(lock_path(self._folder, unit))
        try:
            if not _try_lock(lock):
                raise Busy(f"is leased to {self.holder(unit)}")
            record = self._trusted_record(unit)
            yield lock, record
        finally:
            os.close(lock)

    def take(self, unit: Unit, lock: int, before: Record | None, purpose: str) -> Lease:
        """Make the held unit ours: the next fencing number, our name on it."""
        ticks = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
        fence = (before.fence if before else 0) + 1
        owner = Owner.current()
        record = Record(unit.uuid, unit.gpu, fence, owner, time.time(), ticks, purpose)
        _write(self._folder, record, owner=owner)
        return Lease(unit, record, os.dup(lock), self._folder)

    def free(self, record: Record) -> None:
        """Write off a dead owner's lease; only while its unit is `held`."""
        _write(self._folder, record, owner=None)

    def known(self) -> list[Record]:
        """Every unit that was ever leased here; unreadable ones are left out."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            with contextlib.suppress(records.Unreadable):
                record = read_record(self._folder, path.stem)
                found += [record] if record else []
        return found

    def holder(self, unit: str) -> str:
        """For a person."""
        with contextlib.suppress(records.Unreadable):
            record = read_record(self._folder, unit)
            if record and record.owner:
                return f"process {record.owner.pid} (lease {record.fence})"
        return "another process"

    def is_held(self, unit: str) -> bool:
        """Only while `choosing`."""
        try:
            with self.held(unit):
                return False
        except Busy:
            return True

    def _trusted_record(self, unit: str) -> Record | None:
        try:
            record = read_record(self._folder, unit)
        except records.Unreadable as error:
            raise Busy(f"has no readable record. {error}") from None
        if record and record.owner and record.owner.is_alive:
            raise Busy(
                f"is leased to {self.holder(unit)}, which lives though its lock file was removed"
            )
        return record


def lock_path(folder: Path, unit: str) -> Path:
    return folder / f"{unit}.lock"


def read_record(folder: Path, unit: str) -> Record | None:
    """None when the unit was never leased. Raises Unreadable."""
    path = folder / f"{unit}.json"
    found = records.read(path)
    if found is None:
        return None
    try:
        owner: dict[str, Any] | None = found.pop("owner")
        return Record(owner=Owner(**owner) if owner else None, **found)
    except (KeyError, TypeError):
        raise records.Unreadable(f"The file {path} is not ours: look at it, remove it.") from None


def _write(folder: Path, record: Record, *, owner: Owner | None) -> None:
    content = asdict(record) | {"owner": asdict(owner) if owner else None}
    records.write(folder / f"{record.unit}.json", content)


def _open(path: Path) -> int:
    """Lock files are never removed: who holds a removed one would not exclude who makes a new."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
