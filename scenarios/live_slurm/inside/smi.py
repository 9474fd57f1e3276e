#!/usr/bin/python3 -ISB
"""`nvidia-smi` on a node of the cluster: what device files are there, and which processes were given them.

A GPU is shown while its device file is there; it works while a process that Slurm began with GPUs runs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, "/box/lib")
from smi_form import Face, Process, form_of, gpu_rows, head, process_rows  # type: ignore
from smi_long import SECTIONS, Readings, rows  # type: ignore

DRIVER, CUDA = "550.127.08", "12.4"
DEVICES, PROCESSES = Path("/box/dev"), Path("/proc")
KINDS = {
    "h100": ("NVIDIA H100 80GB HBM3", 81559, 700.0, 70.0, 1980),
    "a100": ("NVIDIA A100-SXM4-80GB", 81920, 400.0, 56.0, 1410),
}
"""Product, memory in MiB, power limit and idle power in W, highest clock in MHz."""
A100 = ("gpu-n005", "gpu-n006")
BUSES = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
INVALID = "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help."
NO_DEVICES = "No devices were found"
NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
    "the latest NVIDIA driver is installed and running.\n"
)
HELP = f"""\
NVIDIA System Management Interface -- v{DRIVER}

nvidia-smi [OPTION1 [ARG1]] [OPTION2 [ARG2]] ...

    -h,   --help                Print usage information and exit.
          --version             Print version information and exit.
    -L,   --list-gpus           Display a list of GPUs connected to the system.
    -i,   --id=                 Target a specific GPU.
    -q,   --query               Display GPU info.
    -d,   --display=            Display only selected information: MEMORY, UTILIZATION, ECC, POWER, ...
    -l,   --loop=               Probe until Ctrl+C at specified second interval.
          --query-gpu=          Information about GPU.
          --query-compute-apps= List of currently active compute processes.
          --format=             Comma separated list of format options: csv,
                                    noheader, nounits
"""


class Refused(Exception):
    """What is printed, and the exit code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.text, self.code = text, code


@dataclass(frozen=True)
class Gpu:
    """One GPU of this node; `pid` is that of the process that it works for, 0 for none."""

    node: str
    index: int
    pid: int

    @property
    def kind(self) -> tuple[str, int, float, float, int]:
        return KINDS["a100" if self.node in A100 else "h100"]

    @property
    def bus_id(self) -> str:
        return f"00000000:{BUSES[self.index % 8]}:00.0"

    @property
    def uuid(self) -> str:
        text = sha256(f"{self.node}/{self.index}".encode()).hexdigest()
        return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}"

    def face(self) -> Face:
        """Readings, steady for ten seconds."""
        name, memory, limit, idle, _ = self.kind
        seed = f"{self.uuid} {self.pid} {int(time.time() / 10)}"
        noise = sha256(seed.encode()).digest()[0] / 255
        warm = sha256(self.uuid.encode()).digest()[1] % 5
        watts, core, used, util = idle + 3 * noise, 29 + warm, 4, 0
        if self.pid:
            watts, core = limit * (0.88 + 0.08 * noise), 57 + warm + round(4 * noise)
            used, util = int(memory * 0.905), 96 + round(3 * noise)
        return Face(self.index, name, self.bus_id, watts, limit, core, used, memory, util)


def here() -> str:
    """The node that a job's step or an ssh is on; "" on the controller. A slurmd's name is its own."""
    return os.environ.get("SLURMD_NODENAME", "")


def gpus(node: str) -> list[Gpu]:
    """Those whose device file is there."""
    held = _held(node)
    found = []
    for path in (DEVICES / node).glob("nvidia*"):
        number = path.name.removeprefix("nvidia")
        if number.isdigit():
            found.append(Gpu(node, int(number), held.get(int(number), 0)))
    return sorted(found, key=lambda one: one.index)


def _held(node: str) -> dict[int, int]:
    """Number of a GPU -> the process that has it. The controller knows the numbers; while it does not answer
    a job is shown on the first GPUs that are free, which is how they were given away."""
    found: dict[int, int] = {}
    numbers = _given(node)
    for job, (pid, count) in sorted(_working(node).items()):
        free = [number for number in range(64) if number not in found]
        for number in numbers.get(job, free[:count]):
            found[number] = pid
    return found


def _working(node: str) -> dict[int, tuple[int, int]]:
    """Number of a job -> its process on this node, and with how many GPUs Slurm began it."""
    found: dict[int, tuple[int, int]] = {}
    for folder in PROCESSES.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
            program = (folder / "cmdline").read_bytes().split(b"\0")[0]
        except OSError:
            continue
        told = dict(word.partition("=")[::2] for word in words)
        job, count = told.get("SLURM_JOB_ID", ""), told.get("SLURM_GPUS_ON_NODE", "")
        works = told.get("SLURMD_NODENAME") == node and program.endswith(b"sleep")
        if works and job.isdigit() and count.isdigit():
            found[int(job)] = (int(folder.name), int(count))
    return found


def _given(node: str) -> dict[int, list[int]]:
    """Number of a job -> the numbers of its GPUs on this node; nothing where the controller is silent."""
    try:
        command = ["/usr/bin/scontrol", "show", "job", "-d", "-o"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=3, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return {}
    found = {}
    for line in done.stdout.splitlines():
        job, held = (
            re.match(r"JobId=(\d+)", line),
            re.search(rf" Nodes={node} .*?IDX:([\d,-]+)", line),
        )
        if job and held and "JobState=RUNNING" in line:
            found[int(job[1])] = _numbers(held[1])
    return found


def _numbers(text: str) -> list[int]:
    """`0-2,5` as numbers."""
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return found


def table(chosen: list[Gpu]) -> list[str]:
    form = form_of(DRIVER)
    faces = [one.face() for one in chosen]
    rows = [time.strftime("%a %b %e %H:%M:%S %Y").ljust(31), *head(DRIVER, CUDA)]
    for face in faces:
        rows += gpu_rows(face, form)
    running = [
        Process(face.index, one.pid, "python", face.used_mib - 12)
        for one, face in zip(chosen, faces, strict=True)
        if one.pid
    ]
    return [*rows, " " * (form.whole + 2), *process_rows(running, form)]


def long_form(one: Gpu, sections: list[str]) -> list[str]:
    """What `-q` prints of a GPU."""
    found = Readings(one.face(), one.uuid, DRIVER, one.kind[3], one.kind[4], one.pid)
    return [f"GPU {one.bus_id}", *rows(found.given(), sections, busy=bool(one.pid)), ""]


def query(node: str, chosen: list[Gpu], words: str | None) -> list[str]:
    """Raises Refused for a section that there is not."""
    sections = [word.strip().upper() for word in words.split(",")] if words is not None else []
    if any(word not in SECTIONS for word in sections):
        raise Refused(f"{INVALID}\n\n", 1)
    above = (
        ("Timestamp", time.strftime("%a %b %e %H:%M:%S %Y")),
        ("Driver Version", DRIVER),
        ("CUDA Version", CUDA),
    )
    found = ["", "==============NVSMI LOG==============", ""]
    found += [f"{name:<42}: {value}" for name, value in above]
    found += ["", f"{'Attached GPUs':<42}: {len(gpus(node))}"]
    return [*found, *(row for one in chosen for row in long_form(one, sections))]


FIELDS: dict[str, tuple[Callable[[Gpu, Face], str], str]] = {
    "timestamp": (lambda one, face: time.strftime("%Y/%m/%d %H:%M:%S.000"), ""),
    "driver_version": (lambda one, face: DRIVER, ""),
    "count": (lambda one, face: str(len(gpus(one.node))), ""),
    "name": (lambda one, face: face.name, ""),
    "uuid": (lambda one, face: one.uuid, ""),
    "index": (lambda one, face: str(one.index), ""),
    "pci.bus_id": (lambda one, face: one.bus_id, ""),
    "pstate": (lambda one, face: "P0", ""),
    "persistence_mode": (lambda one, face: "Enabled", ""),
    "compute_mode": (lambda one, face: "Default", ""),
    "mig.mode.current": (lambda one, face: "Disabled", ""),
    "temperature.gpu": (lambda one, face: str(face.core_c), ""),
    "utilization.gpu": (lambda one, face: str(face.util), "%"),
    "utilization.memory": (lambda one, face: str(face.util * 6 // 10), "%"),
    "memory.total": (lambda one, face: str(face.total_mib), "MiB"),
    "memory.used": (lambda one, face: str(face.used_mib), "MiB"),
    "memory.free": (lambda one, face: str(face.total_mib - face.used_mib - 551), "MiB"),
    "power.draw": (lambda one, face: f"{face.watts:.2f}", "W"),
    "power.limit": (lambda one, face: f"{face.limit_w:.2f}", "W"),
    "clocks.sm": (lambda one, face: str(one.kind[4] if one.pid else 345), "MHz"),
    "clocks.max.sm": (lambda one, face: str(one.kind[4]), "MHz"),
    "ecc.errors.uncorrected.volatile.total": (lambda one, face: "0", ""),
    "ecc.errors.corrected.volatile.total": (lambda one, face: "0", ""),
}
APPS: dict[str, tuple[Callable[[Gpu, Face], str], str]] = {
    "pid": (lambda one, face: str(one.pid), ""),
    "process_name": (lambda one, face: "python", ""),
    "name": (lambda one, face: "python", ""),
    "gpu_uuid": (lambda one, face: one.uuid, ""),
    "gpu_bus_id": (lambda one, face: one.bus_id, ""),
    "gpu_name": (lambda one, face: face.name, ""),
    "used_memory": (lambda one, face: str(face.used_mib - 12), "MiB"),
    "used_gpu_memory": (lambda one, face: str(face.used_mib - 12), "MiB"),
}


def queried(
    known: dict[str, tuple[Callable[[Gpu, Face], str], str]],
    words: str,
    form: str | None,
    chosen: list[Gpu],
) -> list[str]:
    """Rows of comma-separated values. Raises Refused."""
    if form is None:
        text = "\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n\n"
        raise Refused(text, 1)
    forms = {word.strip() for word in form.split(",")}
    if "csv" not in forms or forms - {"csv", "noheader", "nounits"}:
        raise Refused(f"{INVALID}\n\n", 1)
    names = [word.strip() for word in words.split(",")]
    for name in names:
        if name not in known:
            raise Refused(f'Field "{name}" is not a valid field to query.\n\n', 2)
    units = "nounits" not in forms
    rows = []
    if "noheader" not in forms:
        heads = [f"{n} [{known[n][1]}]" if known[n][1] and units else n for n in names]
        rows.append(", ".join(heads))
    for one in chosen:
        face = one.face()
        cells = [(known[n][0](one, face), known[n][1]) for n in names]
        rows.append(", ".join(f"{text} {unit}" if unit and units else text for text, unit in cells))
    return rows


TAKES = {
    "--id": "-i",
    "--loop": "-l",
    "--display": "-d",
    "--format": "",
    "--query-gpu": "",
    "--query-compute-apps": "",
}
FLAGS = {"-h": "-h", "--help": "-h", "-L": "-L", "--list-gpus": "-L", "--version": "--version"}
FLAGS |= {"-q": "-q", "--query": "-q"}


def options(arguments: list[str]) -> dict[str, str]:
    """Options by their short name. Raises Refused: what the tool does not know makes the call invalid."""
    found: dict[str, str] = {}
    words = iter(arguments)
    for word in words:
        name, sign, value = word.partition("=")
        if word in FLAGS:
            found[FLAGS[word]] = ""
        elif name in TAKES and sign:
            found[TAKES[name] or name] = value
        elif word in ("-i", "-l", "-d"):
            found[word] = next(words, "")
        else:
            raise Refused(f"{INVALID}\n\n", 1)
    return found


def choose(node: str, wanted: str | None) -> list[Gpu]:
    """Raises Refused where there is no such GPU."""
    everything = gpus(node)
    names = None if wanted is None else {word.strip() for word in wanted.split(",")}
    found = [
        one for one in everything if names is None or {str(one.index), one.uuid, one.bus_id} & names
    ]
    if not found:
        raise Refused(f"{NO_DEVICES}\n", 6)
    return found


def told(asked: dict[str, str]) -> list[str]:
    """What the options ask for. Raises Refused."""
    if "-h" in asked:
        return HELP.splitlines()
    if "--version" in asked:
        names = ("NVIDIA-SMI version  :", "NVML version        :", "DRIVER version      :")
        versions = (DRIVER, DRIVER.rpartition(".")[0], DRIVER)
        return [*map(" ".join, zip(names, versions, strict=True)), f"CUDA Version        : {CUDA}"]
    node = here()
    if not node:
        raise Refused(NO_DRIVER, 9)
    chosen = choose(node, asked.get("-i"))
    if "-L" in asked:
        return [f"GPU {one.index}: {one.kind[0]} (UUID: {one.uuid})" for one in chosen]
    if "--query-gpu" in asked:
        return queried(FIELDS, asked["--query-gpu"], asked.get("--format"), chosen)
    if "--query-compute-apps" in asked:
        busy = [one for one in chosen if one.pid]
        return queried(APPS, asked["--query-compute-apps"], asked.get("--format"), busy)
    if "-q" in asked:
        return query(node, chosen, asked.get("-d"))
    if "-d" in asked:
        raise Refused(f"{INVALID}\n\n", 1)
    return table(chosen)


def main() -> int:
    try:
        asked = options(sys.argv[1:])
        every = asked.get("-l")
        if every is not None and not every.isdigit():
            raise Refused(f"{INVALID}\n\n", 1)
        while True:
            sys.stdout.write("".join(f"{line}\n" for line in told(asked)))
            sys.stdout.flush()
            if not every:
                return 0
            time.sleep(max(1, int(every)))
    except Refused as refused:
        sys.stdout.write(refused.text)
        return refused.code
    except (KeyboardInterrupt, BrokenPipeError):
        return 0


if __name__ == "__main__":
    sys.exit(main())
