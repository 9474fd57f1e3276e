"""The one module that speaks to the NVIDIA driver, through pynvml; judges nothing it hears."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pynvml

from sandbox.gpu.owner import start_ticks
from sandbox.gpu.reading import DeviceProcess, Gpu, Reading, Survey, Unit, clock_reasons

_ABSENT = {
    pynvml.NVML_ERROR_LIBRARY_NOT_FOUND: (
        "No NVIDIA driver is installed on this host: libnvidia-ml.so.1 was not found."
    ),
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED: (
        "The NVIDIA driver is installed but its kernel module is not loaded: run 'nvidia-smi' as root."
    ),
    pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: (
        "The NVIDIA library and kernel module are of different versions: restart this host."
    ),
    pynvml.NVML_ERROR_NO_PERMISSION: "This user may not speak to the NVIDIA driver.",
}
_LOST = {
    pynvml.NVML_ERROR_GPU_IS_LOST: "the driver has lost it",
    pynvml.NVML_ERROR_RESET_REQUIRED: "it needs a reset",
    pynvml.NVML_ERROR_GPU_NOT_FOUND: "the driver does not find it any more",
}
_LISTS = {
    "compute": "nvmlDeviceGetComputeRunningProcesses",
    "graphics": "nvmlDeviceGetGraphicsRunningProcesses",
    "mps": "nvmlDeviceGetMPSComputeRunningProcesses",
}


class DriverAbsent(Exception):
    """Why there is no driver to speak to, in one sentence; `survey` turns it into a state."""


class DeviceLost(Exception):
    """A card that is there no more; half a sentence that goes on from 'the card is out:'."""


class Driver:
    """A connection; only `connect` makes one. Handles are valid as long as it is open."""

    def __init__(self, version: str) -> None:
        self.version = version

    def gpus(self) -> tuple[list[Gpu], int]:
        """All cards in the driver's order, and how many would not tell who they are."""
        found, broken = [], 0
        for index in range(_ask(pynvml.nvmlDeviceGetCount) or 0):
            gpu = None
            with contextlib.suppress(DeviceLost):
                gpu = _gpu(index, _ask(pynvml.nvmlDeviceGetHandleByIndex, index))
            found += [gpu] if gpu else []
            broken += gpu is None
        return found, broken

    def read(self, unit: Unit) -> Reading:
        """One snapshot. A lost card is a reading that says so."""
        at = time.monotonic()
        try:
            own, card = handle(unit.uuid), handle(unit.gpu)
            whole = _whole(card) if unit.kind == "gpu" else {}
            return Reading(unit.uuid, at, **_memory(own), **whole, **_card(card), **_listed(own))
        except DeviceLost as error:
            return Reading(unit.uuid, at, lost=str(error))

    def listen(self, gpu: str) -> Listener:
        """Hears the card's critical errors from now on."""
        return Listener(gpu)


class Listener:
    """Collects Xid numbers, the driver's codes of critical errors, while the driver is open.

    Without support by card or driver it stays silent; `works` says which.
    """

    def __init__(self, gpu: str) -> None:
        self._set: Any = None
        try:
            heard = _ask(pynvml.nvmlEventSetCreate)
            if heard is not None:
                kinds = pynvml.nvmlEventTypeXidCriticalError
                pynvml.nvmlDeviceRegisterEvents(handle(gpu), kinds, heard)
                self._set = heard
        except (DeviceLost, pynvml.NVMLError):
            self._set = None

    @property
    def works(self) -> bool:
        return self._set is not None

    def poll(self) -> tuple[int, ...]:
        """The Xid numbers since the last call; never waits."""
        heard: list[int] = []
        while self._set is not None and len(heard) < 100:
            try:
                event = pynvml.nvmlEventSetWait_v2(self._set, 0)
            except pynvml.NVMLError:
                break
            heard.append(int(event.eventData))
        return tuple(heard)

    def close(self) -> None:
        if self._set is not None:
            with contextlib.suppress(pynvml.NVMLError):
                pynvml.nvmlEventSetFree(self._set)
            self._set = None


@contextlib.contextmanager
def connect() -> Iterator[Driver]:
    """Open the driver. Raises DriverAbsent. Nests; opened anew in every process, because a forked
    child cannot use its parent's connection."""
    owner = os.getpid()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        known = _ABSENT.get(error.value)
        raise DriverAbsent(known or f"The NVIDIA driver does not answer: {error}.") from None
    try:
        yield Driver(str(_ask(pynvml.nvmlSystemGetDriverVersion) or "unknown"))
    finally:
        if owner == os.getpid():
            with contextlib.suppress(pynvml.NVMLError):
                pynvml.nvmlShutdown()


@contextlib.contextmanager
def kept_open() -> Iterator[None]:
    """Spares what runs inside the slow opening and closing of the driver; nothing where there is
    none."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(DriverAbsent):
            stack.enter_context(connect())
        yield


def survey() -> Survey:
    """The cards of this host. Never raises for a missing driver: that is a Survey with a reason."""
    try:
        with connect() as driver:
            gpus, broken = driver.gpus()
            reason = "" if gpus or broken else "The NVIDIA driver works but shows no card."
            return Survey(driver.version, reason, tuple(gpus), broken)
    except DriverAbsent as error:
        return Survey("", str(error))


def read(unit: Unit) -> Reading:
    """One snapshot through a connection of its own; without a driver the unit reads as lost."""
    try:
        with connect() as driver:
            return driver.read(unit)
    except DriverAbsent as error:
        return Reading(unit.uuid, time.monotonic(), lost=str(error).rstrip("."))


def handle(uuid: str) -> Any:
    """The driver's handle of a card or instance. Raises DeviceLost for one that is not there."""
    found = _ask(pynvml.nvmlDeviceGetHandleByUUID, uuid)
    if found is None:
        raise DeviceLost(_LOST[pynvml.NVML_ERROR_GPU_NOT_FOUND])
    return found


def _ask(question: Callable[..., Any], *about: Any) -> Any:
    """The answer, or None when card, driver or user has none. Raises DeviceLost."""
    try:
        return question(*about)
    except pynvml.NVMLError as error:
        if error.value in _LOST:
            raise DeviceLost(_LOST[error.value]) from None
        return None


def _gpu(index: int, card: Any) -> Gpu | None:
    uuid = card and _ask(pynvml.nvmlDeviceGetUUID, card)
    if not uuid:
        return None
    memory = _ask(pynvml.nvmlDeviceGetMemoryInfo, card)
    mode = _ask(pynvml.nvmlDeviceGetMigMode, card)
    pci = _ask(pynvml.nvmlDeviceGetPciInfo, card)
    name = _text(_ask(pynvml.nvmlDeviceGetName, card)) or "unknown"
    mig = bool(mode and mode[0])
    return Gpu(
        index=index,
        uuid=_text(uuid),
        name=name,
        pci=_text(pci.busId) if pci else "",
        minor=_ask(pynvml.nvmlDeviceGetMinorNumber, card),
        memory_mb=memory.total >> 20 if memory else 0,
        mig=mig,
        instances=tuple(_instances(card, _text(uuid), name)) if mig else (),
    )


def _instances(card: Any, gpu: str, name: str) -> Iterator[Unit]:
    """Places without an instance are holes in the numbering, not its end."""
    for place in range(_ask(pynvml.nvmlDeviceGetMaxMigDeviceCount, card) or 0):
        one = _ask(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, card, place)
        uuid = one and _ask(pynvml.nvmlDeviceGetUUID, one)
        if uuid:
            memory = _ask(pynvml.nvmlDeviceGetMemoryInfo, one)
            yield Unit(
                _text(uuid),
                gpu,
                "mig",
                _text(_ask(pynvml.nvmlDeviceGetName, one)) or name,
                memory.total >> 20 if memory else 0,
                _ask(pynvml.nvmlDeviceGetGpuInstanceId, one),
                _ask(pynvml.nvmlDeviceGetComputeInstanceId, one),
            )


def _memory(own: Any) -> dict[str, Any]:
    memory = _ask(pynvml.nvmlDeviceGetMemoryInfo, own)
    if memory is None:
        return {}
    return {"memory_used_mb": memory.used >> 20, "memory_total_mb": memory.total >> 20}


def _whole(card: Any) -> dict[str, Any]:
    """What only a card as a whole can tell."""
    rates = _ask(pynvml.nvmlDeviceGetUtilizationRates, card)
    return {
        "utilisation": float(rates.gpu) if rates else None,
        "memory_utilisation": float(rates.memory) if rates else None,
        "power_w": _thousandth(_ask(pynvml.nvmlDeviceGetPowerUsage, card)),
        "power_limit_w": _thousandth(_ask(pynvml.nvmlDeviceGetEnforcedPowerLimit, card)),
        "energy_j": _thousandth(_ask(pynvml.nvmlDeviceGetTotalEnergyConsumption, card)),
    }


def _card(card: Any) -> dict[str, Any]:
    """What instances share with their card."""
    slowdown = pynvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
    reasons = _ask(pynvml.nvmlDeviceGetCurrentClocksEventReasons, card)
    rows = _ask(pynvml.nvmlDeviceGetRemappedRows, card)
    return {
        "temperature_c": _ask(pynvml.nvmlDeviceGetTemperature, card, pynvml.NVML_TEMPERATURE_GPU),
        "slowdown_c": _ask(pynvml.nvmlDeviceGetTemperatureThreshold, card, slowdown),
        "sm_clock_mhz": _ask(pynvml.nvmlDeviceGetClockInfo, card, pynvml.NVML_CLOCK_SM),
        "sm_clock_max_mhz": _ask(pynvml.nvmlDeviceGetMaxClockInfo, card, pynvml.NVML_CLOCK_SM),
        "memory_clock_mhz": _ask(pynvml.nvmlDeviceGetClockInfo, card, pynvml.NVML_CLOCK_MEM),
        "clock_reasons": clock_reasons(reasons or 0),
        "ecc_corrected": _ecc(card, pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
        "ecc_uncorrected": _ecc(card, pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED),
        "remap_pending": bool(rows[2]) if rows else None,
        "remap_failed": bool(rows[3]) if rows else None,
    }


def _ecc(card: Any, kind: int) -> Any:
    return _ask(pynvml.nvmlDeviceGetTotalEccErrors, card, kind, pynvml.NVML_VOLATILE_ECC)


def _listed(own: Any) -> dict[str, Any]:
    """Unknown as soon as the compute list is; graphics and MPS lists are absent on many cards."""
    found: dict[int, DeviceProcess] = {}
    for kind, name in _LISTS.items():
        listed = _ask(getattr(pynvml, name), own)
        if listed is None and kind == "compute":
            return {"processes": None}
        for one in listed or ():
            used = one.usedGpuMemory
            memory = None if used is None else used >> 20
            seen = DeviceProcess(one.pid, start_ticks(one.pid), kind, memory)  # type: ignore[arg-type]
            found.setdefault(one.pid, seen)
    return {"processes": tuple(found.values())}


def _thousandth(value: int | None) -> float | None:
    return None if value is None else value / 1000


def _text(value: Any) -> str:
    """Older releases of the binding answer with bytes."""
    return value.decode() if isinstance(value, bytes) else str(value or "")
