"""Lends out the host's cards: sound, empty, to one holder at a time."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from sandbox.gpu import driver, health
from sandbox.gpu.health import Fault
from sandbox.gpu.leases import Busy, Lease, Leases, Record
from sandbox.gpu.out_of_service import ServiceBook, Withdrawn
from sandbox.gpu.owner import kill
from sandbox.gpu.reading import DeviceProcess, Reading, Survey, Unit

_GONE = Fault("lost", "The driver does not show the card any more.")


@dataclass(frozen=True)
class NotNow:
    """No card, in one sentence. `hopeful` is False where waiting alone does not help."""

    reason: str
    hopeful: bool


class Grant:
    """One or more leases, given back together; a context manager."""

    def __init__(self, leases: tuple[Lease, ...]) -> None:
        self.leases = leases

    @property
    def units(self) -> tuple[Unit, ...]:
        return tuple(lease.unit for lease in self.leases)

    @property
    def is_current(self) -> bool:
        return all(lease.is_current for lease in self.leases)

    def release(self) -> None:
        with contextlib.ExitStack() as stack:
            for lease in self.leases:
                stack.callback(lease.release)

    def __enter__(self) -> Grant:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.release()


@dataclass(frozen=True)
class Standing:
    """One unit as it stands now. `state`: free, leased, occupied, orphaned or out; `reason` is a
    sentence, empty when free."""

    unit: Unit
    state: str
    reason: str


class Pool:
    """`state_dir` must be on a local file system and the same for all runners of the host.

    `hot_c` (degrees Celsius) overrides the cards' own slowdown thresholds. `graphics_may_stay`
    allows a display server to keep its place on a card that is lent out.
    """

    def __init__(
        self, state_dir: Path, *, hot_c: float | None = None, graphics_may_stay: bool = False
    ) -> None:
        self.leases = Leases(state_dir / "leases")
        self.service = ServiceBook(state_dir / "service")
        self._hot_c = hot_c
        self._graphics_may_stay = graphics_may_stay

    def lease(
        self, count: int = 1, *, unit: str | None = None, memory_mb: int = 0, purpose: str = ""
    ) -> Grant | NotNow:
        """`count` units for exclusive use, all or none; `unit` (a UUID) asks for that one.

        Each has at least `memory_mb` MiB in all. More than one are whole cards, because a process
        can use only one MIG instance. Raises ValueError for a request that makes no sense.
        """
        if count < 1 or (unit and count != 1):
            raise ValueError("Ask for one GPU or more; by UUID, for exactly one.")
        with driver.kept_open():
            return self._lease(count, unit, memory_mb, purpose)

    def _lease(self, count: int, unit: str | None, memory_mb: int, purpose: str) -> Grant | NotNow:
        seen = driver.survey()
        wanted = [
            one
            for one in seen.units
            if (unit in (None, one.uuid))
            and one.memory_mb >= memory_mb
            and (count == 1 or one.kind == "gpu")
        ]
        if len(wanted) < count:
            out = self.service.find(unit) if unit else None
            why = out.reason if out else _too_few(seen, count, unit, memory_mb)
            return NotNow(why, hopeful=False)
        try:
            with self.leases.choosing():
                return self._choose(wanted, count, purpose)
        except Busy as error:
            return NotNow(f"A GPU {error}.", hopeful=True)

    def _choose(self, wanted: list[Unit], count: int, purpose: str) -> Grant | NotNow:
        taken: list[Lease] = []
        refused: list[str] = []
        hopeful = 0
        for one in wanted:
            if len(taken) == count:
                break
            try:
                taken.append(self._take(one, purpose))
            except Busy as error:
                hopeful += self.service.find(one.gpu) is None
                refused.append(f"{one.uuid} {error}")
        if len(taken) == count:
            return Grant(tuple(taken))
        Grant(tuple(taken)).release()
        reason = f"{len(taken)} of {count} GPUs are free: {'; '.join(refused)}."
        return NotNow(reason, hopeful=len(taken) + hopeful >= count)

    def _take(self, unit: Unit, purpose: str) -> Lease:
        """Raises Busy."""
        self._check_kin(unit)
        with self.leases.held(unit.uuid) as (lock, before):
            reading = driver.read(unit)
            self.check(unit, reading)
            out = self.service.find(unit.gpu)
            if out:
                raise Busy(f"is out of service: {out.reason.rstrip('.')}")
            left = self._left_over(reading)
            if left is None:
                raise Busy("does not say which processes use it")
            if left:
                raise Busy(f"is still used by {_list(left)}")
            return self.leases.take(unit, lock, before, purpose)

    def _check_kin(self, unit: Unit) -> None:
        """A card and its instances exclude each other, also across a change of mode."""
        for other in self.leases.known():
            kin = other.gpu == unit.gpu and other.unit != unit.uuid
            if kin and unit.gpu in (unit.uuid, other.unit) and self.leases.is_held(other.unit):
                raise Busy(f"shares its card with {other.unit}, which is leased")

    def check(self, unit: Unit, reading: Reading, xids: tuple[int, ...] = ()) -> Fault | None:
        """Judge a reading; a faulty card is taken out of service."""
        accepted = self.service.accepted_errors(unit.gpu, reading.ecc_uncorrected)
        fault = health.judge(reading, xids=xids, ecc_accepted=accepted, hot_c=self._hot_c)
        if fault:
            self.service.take_out(unit.gpu, fault)
        return fault

    def put_back(self, gpu: str) -> Fault | None:
        """Return a card to service. Uncorrectable errors counted so far are accepted; the fault
        that keeps it out is returned when it is lost, hot or waits for a reset."""
        unit = Unit(gpu, gpu, "gpu", "", 0)
        reading = driver.read(unit)
        counted = reading.ecc_uncorrected or 0
        fault = health.judge(reading, ecc_accepted=counted, hot_c=self._hot_c)
        if fault is None:
            self.service.put_back(gpu, ecc_accepted=counted)
        return fault

    def sweep(self, *, wait_s: float = 5.0) -> list[str]:
        """Free what dead runners held; one line for each unit freed or not.

        A process on such a unit that began after the lease did is killed. One that is older, or
        that this host cannot see, is somebody else's: the unit stays taken and the line says so.
        """
        with driver.kept_open(), contextlib.suppress(Busy), self.leases.choosing():
            return [line for record in self.leases.known() for line in self._sweep(record, wait_s)]
        return []

    def _sweep(self, record: Record, wait_s: float) -> Iterator[str]:
        with contextlib.suppress(Busy), self.leases.held(record.unit) as (_lock, now):
            if now is None or not now.is_orphan:
                return
            unit = driver.survey().find(now.unit)
            if unit is None:
                yield f"{now.unit}: its runner is dead, and the driver does not show it"
                return
            left = self._empty(unit, now, wait_s)
            if left or left is None:
                who = _list(left) if left else "processes the driver does not name"
                yield f"{now.unit}: its runner is dead, but it is still used by {who}"
                return
            self.leases.free(now)
            yield f"{now.unit}: freed, its runner is dead"

    def _empty(self, unit: Unit, record: Record, wait_s: float) -> tuple[DeviceProcess, ...] | None:
        """The driver lists a killed process for a moment longer."""
        until, killed = time.monotonic() + wait_s, False
        while True:
            left = self._left_over(driver.read(unit))
            ours = [one for one in left or () if (one.start or 0) >= record.since_ticks]
            for one in ours:
                kill(one.pid, one.start or 0)
            killed = killed or bool(ours)
            if not left or not killed or time.monotonic() > until:
                return left
            time.sleep(0.05)

    def left_on(self, unit: Unit) -> tuple[DeviceProcess, ...] | None:
        """Processes that keep the unit from being lent; None where the driver does not say."""
        return self._left_over(driver.read(unit))

    def _left_over(self, reading: Reading) -> tuple[DeviceProcess, ...] | None:
        if reading.processes is None:
            return None
        stays = "graphics" if self._graphics_may_stay else ""
        return tuple(one for one in reading.processes if one.kind != stays)

    def standings(self) -> list[Standing]:
        """Every unit of the host, and every unit leased once that is not there any more.

        Looks only: a faulty card is taken out by `inspect`. Raises nothing.
        """
        seen = driver.survey()
        gone = {one.unit: one for one in self.leases.known() if not seen.find(one.unit)}
        try:
            with driver.kept_open(), self.leases.choosing():
                found = [self._standing(unit) for unit in seen.units]
        except Busy as error:
            return [Standing(unit, "leased", f"It {error}.") for unit in seen.units]
        for one in gone.values():
            unit = Unit(one.unit, one.gpu, "gpu" if one.unit == one.gpu else "mig", "", 0)
            found.append(Standing(unit, "out", _GONE.reason))
        return found

    def obstacle(self) -> str:
        """Why this host can lend no card however long one waits, in one sentence; empty when at
        least one is in service, leased or not."""
        seen = driver.survey()
        if not seen.units:
            return seen.reason or "No card of this host answers the driver."
        outs = [self.service.find(unit.gpu) for unit in seen.units]
        first = outs[0]
        if first and all(outs):
            return f"Every GPU of this host is out of service: {first.reason}"
        return ""

    def _standing(self, unit: Unit) -> Standing:
        out = self.service.find(unit.gpu)
        if out:
            return Standing(unit, "out", out.reason)
        try:
            self._check_kin(unit)
            with self.leases.held(unit.uuid) as (_lock, record):
                left = self._left_over(driver.read(unit))
                if record and record.is_orphan:
                    return Standing(unit, "orphaned", "Its runner is dead: it needs a sweep.")
                if left or left is None:
                    who = _list(left) if left else "processes the driver does not name"
                    return Standing(unit, "occupied", f"It is used by {who}.")
                return Standing(unit, "free", "")
        except Busy as error:
            return Standing(unit, "leased", f"It {error}.")

    def inspect(self) -> list[Withdrawn]:
        """Read every card, take the faulty ones out of service, and list all that are out."""
        seen = driver.survey()
        for unit in seen.units:
            self.check(unit, driver.read(unit))
        there = {gpu.uuid for gpu in seen.gpus}
        known = {one.gpu for one in self.leases.known()}
        for gpu in known - there if seen.driver else ():
            self.service.take_out(gpu, _GONE)
        return [out for out in map(self.service.find, sorted(known | there)) if out]


def _list(processes: tuple[DeviceProcess, ...]) -> str:
    return "process " + ", ".join(str(one.pid) for one in processes)


def _too_few(seen: Survey, count: int, unit: str | None, memory_mb: int) -> str:
    if seen.reason:
        return seen.reason
    if unit:
        return f"This host has no GPU {unit}" + (f" with {memory_mb} MiB." if memory_mb else ".")
    size = f" with {memory_mb} MiB or more" if memory_mb else ""
    return f"This host cannot lend {count} GPUs{size}: {len(seen.units)} in all."
