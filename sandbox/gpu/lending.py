"""Lends cards to a sandbox's runs: leased before, watched during, found empty after."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from sandbox.contract import Outcome, Session, Spec
from sandbox.gpu import devices, driver, places, telemetry
from sandbox.gpu.places import PlaceMissing, Places
from sandbox.gpu.pool import Grant, NotNow, Pool
from sandbox.gpu.reading import Unit
from sandbox.gpu.watch import Verdict, Watch
from sandbox.hardware import Hardware

Play = Callable[[Spec, Session, threading.Event | None, Hardware], Outcome]

FOLDER = "gpu"
_LIBRARIES, _PACKAGES, _PACKAGES_IN_CONTAINER = "/run/nvidia", "/run/packages", "/opt/packages"
_LOOK_S = 0.2


@runtime_checkable
class Lender(Protocol):
    """A backend that can give a run a card."""

    @property
    def cards(self) -> Cards: ...


class Stop(threading.Event):
    """Set by a watch, or by whoever may cancel the run."""

    def __init__(self, outer: threading.Event | None) -> None:
        super().__init__()
        self._outer = outer

    def is_set(self) -> bool:
        return super().is_set() or (self._outer is not None and self._outer.is_set())


class Cards:
    """The cards below `state_dir`'s leases.

    A run waits up to `patience_s` seconds for a card that somebody else has, and up to `empty_s`
    for the driver to forget its processes afterwards. `held` leases for several runs in a row.
    The `device` of its outcome has `gpus`, a list with each unit's identity and telemetry (see
    `sandbox.gpu.telemetry.Summary`; `series` as `telemetry.rows`), and over all of them
    `utilisation_mean` (per cent), `memory_peak_mb` (MiB, the largest) and `energy_j` (J, the
    sum). Without a card it is {"waiting": true} where waiting
    longer would help.
    """

    def __init__(
        self,
        state_dir: Path,
        where: Places | None = None,
        *,
        patience_s: float = 0.0,
        empty_s: float = 10.0,
        period_s: float = 0.1,
    ) -> None:
        self._at = state_dir / FOLDER
        self._where = where or places.from_environment()
        self._patience_s, self._empty_s, self._period_s = patience_s, empty_s, period_s
        self._kept: list[Grant] = []
        self._lock = threading.Lock()
        self._own = threading.local()

    @property
    def pool(self) -> Pool:
        """Made when first needed: a host without a card gets no folder for leases."""
        return Pool(self._at)

    @property
    def has_packages(self) -> bool:
        """Whether programs on a card find Python packages that are built for CUDA."""
        return self._where.packages is not None and self._where.packages.is_dir()

    def obstacle(self) -> str:
        """Why no run can ever get a card here, in one sentence; empty when one can."""
        seen = driver.survey()
        return self.pool.obstacle() if seen.units else seen.reason or "No card answers the driver."

    def why_not_now(self, count: int = 1) -> str:
        """Why a lease would fail at this moment, in one sentence; empty when it would not."""
        self._settle()
        answer = self.pool.lease(count, purpose="looking")
        if isinstance(answer, NotNow):
            return answer.reason
        answer.release()
        return ""

    def sweep(self) -> list[str]:
        """Free what dead runners held, and what a run of ours had left a process on."""
        if not self._at.is_dir():
            return []
        self._settle()
        return self.pool.sweep()

    @contextmanager
    def held(self, count: int = 1, purpose: str = "") -> Iterator[NotNow | None]:
        """Lease once for every run that this thread makes meanwhile; NotNow where that failed."""
        self._settle()
        answer = self.pool.lease(count, purpose=purpose)
        if isinstance(answer, NotNow):
            yield answer
            return
        self._own.grant = answer
        try:
            yield None
        finally:
            self._own.grant = None
            self._give_back(answer)

    def run(
        self, backend: str, spec: Spec, session: Session, cancel: threading.Event | None, play: Play
    ) -> Outcome:
        """Have `play` run the program on leased cards. Never raises for trouble with a card."""
        began = time.monotonic()
        own: Grant | None = getattr(self._own, "grant", None)
        answer = own if own and len(own.units) == spec.gpus else self._lease(spec, cancel)
        if isinstance(answer, NotNow):
            device = {"waiting": True} if answer.hopeful else {}
            return _ours(backend, f"No GPU can be lent now. {answer.reason}", began, device)
        try:
            if not self._is_emptied(answer):
                raise PlaceMissing("An earlier run has left a process on it.")
            hardware = self.hardware(backend, answer.units)
            return self._watched(answer, spec, session, cancel, play, hardware)
        except (PlaceMissing, OSError) as error:
            return _ours(backend, f"The GPU cannot be used: {error}", began, {})
        finally:
            if answer is not own:
                self._give_back(answer)

    def _lease(self, spec: Spec, cancel: threading.Event | None) -> Grant | NotNow:
        until = time.monotonic() + self._patience_s
        while True:
            self._settle()
            try:
                answer = self.pool.lease(
                    spec.gpus, memory_mb=spec.gpu_memory_mb, purpose=f"a run of {spec.entry}"
                )
            except OSError as error:
                return NotNow(f"The leases in {self._at} cannot be used: {error}.", hopeful=False)
            stopped = cancel is not None and cancel.is_set()
            hopeless = isinstance(answer, Grant) or not answer.hopeful
            if hopeless or stopped or time.monotonic() > until:
                return answer
            time.sleep(_LOOK_S)

    def hardware(self, backend: str, units: Sequence[Unit]) -> Hardware:
        """What the backend has to give a run for exactly these units. Raises PlaceMissing."""
        if backend == "docker":
            return self._for_container(units)
        files = places.device_files(self._where, driver.survey(), units)
        shown = {path: f"{_LIBRARIES}/{name}" for path, name in places.driver_libraries().items()}
        variables = devices.environment(units) | {"LD_LIBRARY_PATH": _LIBRARIES}
        if self.has_packages:
            shown[str(self._where.packages)] = _PACKAGES
            variables["PYTHONPATH"] = _PACKAGES
        return Hardware({str(path): f"/dev/{_below(path)}" for path in files}, shown, variables)

    def _for_container(self, units: Sequence[Unit]) -> Hardware:
        request = devices.docker_request(units)
        if self._where.cdi:
            missing = devices.missing_in_cdi(devices.cdi_names(units), self._where.cdi_folders)
            if missing:
                raise PlaceMissing(
                    f"No CDI specification names {missing[0]}: run 'nvidia-ctk cdi generate'."
                )
            request = devices.cdi_request(units)
        if not self.has_packages:
            return Hardware(requests=(request,))
        shown = {str(self._where.packages): _PACKAGES_IN_CONTAINER}
        return Hardware({}, shown, {"PYTHONPATH": _PACKAGES_IN_CONTAINER}, (request,))

    def _watched(
        self,
        grant: Grant,
        spec: Spec,
        session: Session,
        cancel: threading.Event | None,
        play: Play,
        hardware: Hardware,
    ) -> Outcome:
        stop, pool = Stop(cancel), self.pool
        watches = [
            Watch(
                unit,
                stop.set,
                limit_mb=spec.gpu_memory_mb or None,
                period_s=self._period_s,
                judge=pool.check,
            )
            for unit in grant.units
        ]
        with ExitStack() as stack:
            for watch in watches:
                stack.enter_context(watch)
            outcome = play(spec, session, stop, hardware)
        verdicts = [watch.verdict for watch in watches if watch.verdict is not None]
        told = replace(outcome, device=_device(grant.units, watches))
        return _judged(told, verdicts, grant.is_current)

    def _give_back(self, grant: Grant) -> None:
        """At once when nothing is left on it; otherwise it is kept until that is so."""
        if self._is_emptied(grant):
            grant.release()
        else:
            with self._lock:
                self._kept.append(grant)

    def _is_emptied(self, grant: Grant) -> bool:
        until = time.monotonic() + self._empty_s
        while not self._is_empty(grant):
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_S)
        return True

    def _is_empty(self, grant: Grant) -> bool:
        """A lost card, or one that tells nothing, is for the next lease to refuse."""
        with driver.kept_open():
            return not any(self.pool.left_on(unit) for unit in grant.units)

    def _settle(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for grant in kept:
            if self._is_empty(grant):
                grant.release()
            else:
                with self._lock:
                    self._kept.append(grant)


def _below(path: Path) -> str:
    """A device file's path below /dev, whatever folder a test keeps it in."""
    return f"nvidia-caps/{path.name}" if path.parent.name == "nvidia-caps" else path.name


def _ours(backend: str, detail: str, began: float, device: dict[str, Any]) -> Outcome:
    wall_s = round(time.monotonic() - began, 4)
    return Outcome("sandbox_error", detail, backend, wall_s=wall_s, device=device)


def _judged(outcome: Outcome, verdicts: list[Verdict], ours_still: bool) -> Outcome:
    """The card's failure is never the program's; its memory limit is."""
    fault = next((one for one in verdicts if one.kind == "fault"), None)
    if fault is None and not ours_still:
        fault = Verdict("fault", "Its lease was taken away.", 0.0)
    if fault is not None:
        detail = f"The GPU failed under the run, which is not your program's fault: {fault.detail}"
        return replace(outcome, status="sandbox_error", detail=detail, exit_code=None)
    if verdicts and outcome.status != "sandbox_error":
        one = verdicts[0]
        detail = (
            f"Your program used {one.seen_mb} MiB of GPU memory; the limit is {one.limit_mb} MiB."
        )
        return replace(outcome, status="oom", detail=detail, exit_code=None)
    return outcome


def _device(units: Sequence[Unit], watches: Sequence[Watch]) -> dict[str, Any]:
    told = []
    for unit, watch in zip(units, watches, strict=True):
        identity = {
            k: v for k, v in asdict(unit).items() if k in ("uuid", "name", "kind", "memory_mb")
        }
        series = telemetry.rows(watch.readings)
        told.append({**identity, **watch.stop().to_dict(), "series": series})
    busy = [one["utilisation_mean"] for one in told]
    energy = [one["energy_j"] for one in told]
    peaks = [one["memory_peak_mb"] for one in told if one["memory_peak_mb"] is not None]
    return {
        "gpus": told,
        "utilisation_mean": None if None in busy else sum(busy) / len(busy),
        "memory_peak_mb": max(peaks, default=None),
        "energy_j": None if None in energy else sum(energy),
    }
