"""`nvidia-smi -q`: rows of one GPU by the form beside this file; knows no device and no process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

FORM = Path(__file__).with_name("smi_query.form")
COLUMN, IDLE_MHZ = 42, 345
SECTIONS = (
    "MEMORY UTILIZATION ECC TEMPERATURE POWER CLOCK COMPUTE PIDS PERFORMANCE SUPPORTED_CLOCKS "
    "PAGE_RETIREMENT ACCOUNTING ENCODER_STATS SUPPORTED_GPU_TARGET_TEMP VOLTAGE FBC_STATS "
    "ROW_REMAPPER RESET_STATUS GSP_FIRMWARE_VERSION"
).split()
"""What `-d` takes."""
H100 = {
    "architecture": "Hopper",
    "vbios": "96.00.99.00.01",
    "board_part": "692-2G520-0200-000",
    "gpu_part": "2330-885-A1",
    "image": "G520.0200.00.05",
    "device": "0x233010DE",
    "subsystem": "0x16C110DE",
    "generation": "5",
    "reserved": "551",
    "banks": "2560",
    "memory_clock": "2619",
}
A100 = {
    "architecture": "Ampere",
    "vbios": "92.00.9E.00.01",
    "board_part": "692-2G506-0210-003",
    "gpu_part": "20B2-890-A1",
    "image": "G506.0210.00.05",
    "device": "0x20B210DE",
    "subsystem": "0x146310DE",
    "generation": "4",
    "reserved": "694",
    "banks": "640",
    "memory_clock": "1593",
}
"""What is fixed in a product."""


@dataclass(frozen=True)
class Readings:
    """A GPU at one instant: `face` as in the table, W when idle, highest clock in MHz, 0 for no process."""

    face: Any
    uuid: str
    driver: str
    idle_w: float
    top: int
    pid: int

    def given(self) -> dict[str, str]:
        """What the form's places are filled with."""
        facts = A100 if "A100" in self.face.name else H100
        return {**facts, **self._board(), **self._load(facts), **self._power(facts)}

    @property
    def _number(self) -> int:
        return int(sha256(self.uuid.encode()).hexdigest()[:8], 16)

    def _board(self) -> dict[str, str]:
        face = self.face
        bus = face.bus_id[9:11]
        return {
            "name": face.name,
            "driver": self.driver,
            "serial": str(1650000000000 + self._number),
            "uuid": self.uuid,
            "index": str(face.index),
            "module": str(face.index + 1),
            "bus": bus,
            "bus_id": face.bus_id,
            "board": f"0x{int(bus, 16) << 8:x}",
            "pid": str(self.pid),
        }

    def _load(self, facts: Mapping[str, str]) -> dict[str, str]:
        face, flow = self.face, 2_900_000 if self.pid else 600
        return {
            "sent": str(flow + self._number % 311),
            "received": str(flow * 9 // 10 + self._number % 277),
            "idle": "Not Active" if self.pid else "Active",
            "capped": "Active" if self.pid else "Not Active",
            "total": str(face.total_mib),
            "used": str(face.used_mib),
            "free": str(face.total_mib - face.used_mib - int(facts["reserved"])),
            "by_process": str(face.used_mib - 12),
            "util": str(face.util),
            "memory_util": str(face.util * 6 // 10),
        }

    def _power(self, facts: Mapping[str, str]) -> dict[str, str]:
        face, ampere = self.face, facts is A100
        clock = self.top - 60 - 15 * (self._number % 4) if self.pid else IDLE_MHZ
        share = (clock - IDLE_MHZ) / (self.top - IDLE_MHZ)
        return {
            "core": str(face.core_c),
            "memory_c": str(face.core_c + (9 if self.pid else 4)),
            "margin": "N/A" if ampere else f"{87 - face.core_c} C",
            "watts": f"{face.watts:.2f}",
            "limit": f"{face.limit_w:.2f}",
            "least": "100.00" if ampere else "200.00",
            "memory_watts": f"{41.0 + 0.09 * (face.watts - self.idle_w):.2f}",
            "clock": str(clock),
            "top": str(self.top),
            "video": str(765 + int(780 * share)),
            "volts": f"{(685 + 235 * share) // 5 * 5:.3f}",
        }


def rows(given: Mapping[str, str], sections: Iterable[str], *, busy: bool) -> list[str]:
    """Rows of a GPU below its name; of some sections only where any are named."""
    wanted = {*sections}
    now = {given["architecture"].lower(), "busy" if busy else "idle", ""}
    found = []
    for line in FORM.read_text(encoding="utf-8").splitlines()[1:]:
        mark, name, *value = line.split("|")
        section, _, when = mark.partition(" ")
        if when not in now or (wanted and section not in wanted):
            continue
        said = value[0].format_map(given) if value else ""
        found.append(f"{name:<{COLUMN}}: {said}" if value else name)
    return found
