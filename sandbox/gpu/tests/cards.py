"""Cards a test can use: invented ones it can break, and the host's own where there is one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.gpu import Unit, survey

REPO = Path(__file__).resolve().parents[3]
SOURCE = Path(__file__).parent / "stub" / "nvml_stub.c"
FIRST = "GPU-11111111-2222-3333-4444-555555555555"
SECOND = "GPU-66666666-7777-8888-9999-aaaaaaaaaaaa"
SLICES = tuple(f"MIG-{n}0000000-1111-2222-3333-444444444444" for n in (1, 2))
NORMAL = {
    "name": "Test_Card_80GB",
    "total": 81559,
    "used": 520,
    "util": 0,
    "temp": 34,
    "slow": 90,
    "power": 71000,
    "energy": 5000000,
    "why": "0x1",
}


@dataclass
class Line:
    """One line of the state file, without its processes."""

    word: str
    values: dict[str, object]
    processes: list[dict[str, object]] = field(default_factory=list)

    def text(self) -> str:
        below = [f"proc {_pairs(one)}" for one in self.processes]
        return "\n".join([f"{self.word} {_pairs(self.values)}", *below])


class StubCards:
    """Two cards as the state file says; `change` them while they are read."""

    can_break = True

    def __init__(self, library: Path, state: Path) -> None:
        self._library, self._state = library, state
        self.lines = [
            Line("gpu", {"uuid": FIRST, "pci": "00000000:1B:00.0", "minor": 0} | NORMAL),
            Line("gpu", {"uuid": SECOND, "pci": "00000000:3B:00.0", "minor": 1} | NORMAL),
        ]
        self.driver: dict[str, object] = {"version": "580.95.05"}
        self.write()

    @property
    def environment(self) -> dict[str, str]:
        """For processes of their own, whose loader finds the stand-in by its name."""
        return {
            **os.environ,
            "LD_LIBRARY_PATH": str(self._library.parent),
            "HEADNODE_NVML_STUB": str(self._state),
            "PYTHONPATH": f"{REPO / 'platform'}:{REPO}",
        }

    def write(self) -> None:
        parts = [f"driver {_pairs(self.driver)}", *(line.text() for line in self.lines)]
        draft = self._state.with_suffix(".draft")
        draft.write_text("\n".join(parts) + "\n")
        draft.replace(self._state)

    def change(self, uuid: str = FIRST, /, **values: object) -> None:
        self._line(uuid).values.update(values)
        self.write()

    def slice(self) -> None:
        """Cut the first card into two instances, with a hole in the numbering."""
        self._line(FIRST).values["mig"] = 1
        hole = Line("mig", {"hole": 1, "uuid": "none"})
        cut = [
            Line("mig", {"uuid": uuid, "gi": n + 7, "ci": 0, "total": 9984, "used": 12})
            for n, uuid in enumerate(SLICES)
        ]
        self.lines[1:1] = [cut[0], hole, cut[1]]
        self.write()

    def seat(self, pid: int, memory_mb: int, uuid: str = FIRST, kind: str = "c") -> None:
        """Show a process on a device as long as it lives."""
        self._line(uuid).processes.append({"pid": pid, "mem": memory_mb, "kind": kind})
        self.write()

    @contextlib.contextmanager
    def occupied(self, memory_mb: int) -> Iterator[subprocess.Popen[str]]:
        with running(["sleep", "60"]) as process:
            self.seat(process.pid, memory_mb)
            yield process

    def _line(self, uuid: str) -> Line:
        return next(line for line in self.lines if line.values["uuid"] == uuid)


class RealCards:
    """The host's own; they are used gently and never changed."""

    can_break = False
    environment = {**os.environ, "PYTHONPATH": f"{REPO / 'platform'}:{REPO}"}

    @contextlib.contextmanager
    def occupied(self, memory_mb: int) -> Iterator[subprocess.Popen[str]]:
        program = [sys.executable, "-m", "sandbox.gpu.tests.occupy", str(memory_mb)]
        environment = self.environment | {"CUDA_VISIBLE_DEVICES": first_unit().uuid}
        with running(program, environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "there\n"
            yield process


def first_unit() -> Unit:
    return survey().units[0]


@contextlib.contextmanager
def running(
    program: list[str], environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process of a test's own, killed and collected at the end."""
    with subprocess.Popen(
        program,
        cwd=REPO,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _pairs(values: dict[str, object]) -> str:
    return " ".join(f"{key}={value}" for key, value in values.items())
