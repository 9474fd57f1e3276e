"""Which cards are out of service and why; a card comes back only when somebody says so."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from sandbox.gpu import records
from sandbox.gpu.health import Fault


@dataclass(frozen=True)
class Withdrawn:
    """A card out of service: since when (seconds since 1970) and the first fault seen."""

    gpu: str
    code: str
    reason: str
    since: float


class ServiceBook:
    """One file for each card that is out, in a folder all runners of the host share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o770, parents=True, exist_ok=True)

    def take_out(self, gpu: str, fault: Fault) -> bool:
        """False when the card was out already: the first reason stays."""
        content = {"code": fault.code, "reason": fault.reason, "since": time.time()}
        return records.write(self._out(gpu), content, only_new=True)

    def find(self, gpu: str) -> Withdrawn | None:
        """An unreadable file keeps its card out."""
        try:
            found = records.read(self._out(gpu))
            if found is None:
                return None
            return Withdrawn(gpu, str(found["code"]), str(found["reason"]), float(found["since"]))
        except (records.Unreadable, KeyError, TypeError, ValueError):
            path = self._out(gpu)
            return Withdrawn(gpu, "record", f"The file {path} is not ours: look at it.", 0.0)

    def put_back(self, gpu: str, *, ecc_accepted: int = 0) -> bool:
        """False when the card was in service. From now on this many uncorrectable memory errors,
        those counted today, are no reason to take it out."""
        records.write(self._accepted(gpu), {"ecc": ecc_accepted})
        try:
            self._out(gpu).unlink()
        except FileNotFoundError:
            return False
        return True

    def accepted_errors(self, gpu: str, counted: int | None) -> int:
        """Never more than are counted now: loading the driver anew starts the count anew."""
        try:
            accepted = int((records.read(self._accepted(gpu)) or {}).get("ecc", 0))
        except (records.Unreadable, TypeError, ValueError):
            return 0
        if counted is not None and counted < accepted:
            records.write(self._accepted(gpu), {"ecc": counted})
            return counted
        return accepted

    def _out(self, gpu: str) -> Path:
        return self._folder / f"{gpu}.out"

    def _accepted(self, gpu: str) -> Path:
        return self._folder / f"{gpu}.accepted"
