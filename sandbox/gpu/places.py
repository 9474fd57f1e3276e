"""Where this host keeps its cards' device files and the driver's libraries; opens none of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.gpu.devices import CDI_FOLDERS
from sandbox.gpu.reading import Survey, Unit

# What libcuda opens by name at run time; the CUDA libraries proper come with the program's packages.
_NEEDED = re.compile(r"lib(cuda|nvidia-(ml|ptxjitcompiler|nvvm|gpucomp))\.so\.[0-9.]+", re.ASCII)
_LISTED = re.compile(r"^\s*(?P<name>\S+) \((?P<kind>[^)]*)\) => (?P<path>/\S+)$", re.MULTILINE)
_MINOR = re.compile(r"^DeviceFileMinor:\s*(\d+)$", re.MULTILINE)


class PlaceMissing(Exception):
    """Something a program needs to use a card is not on this host; a sentence that says what to do."""


@dataclass(frozen=True)
class Places:
    """The folders to look in. `packages` holds Python packages built for CUDA, such as PyTorch,
    shown to programs that get a card; `cdi` asks Docker through the Container Device Interface."""

    dev: Path = Path("/dev")
    capabilities: Path = Path("/proc/driver/nvidia/capabilities")
    cdi_folders: Sequence[Path] = CDI_FOLDERS
    packages: Path | None = None
    cdi: bool = False


def from_environment() -> Places:
    """As SANDBOX_GPU_PACKAGES (a folder) and SANDBOX_GPU_CDI=1 say."""
    packages = os.environ.get("SANDBOX_GPU_PACKAGES")
    return Places(
        packages=Path(packages) if packages else None,
        cdi=os.environ.get("SANDBOX_GPU_CDI") == "1",
    )


def device_files(places: Places, seen: Survey, units: Sequence[Unit]) -> list[Path]:
    """The files of exactly these units, and the two that every program on a card opens.

    Raises PlaceMissing.
    """
    files = [places.dev / "nvidiactl", places.dev / "nvidia-uvm"]
    for unit in units:
        minor = next((gpu.minor for gpu in seen.gpus if gpu.uuid == unit.gpu), None)
        if minor is None:
            raise PlaceMissing(f"The driver does not say which device file {unit.gpu} has.")
        files.append(places.dev / f"nvidia{minor}")
        files += _capability_files(places, minor, unit)
    for path in files:
        if not path.exists():
            raise PlaceMissing(
                f"The device file {path} is missing: run 'nvidia-modprobe -u -c=0' on this host."
            )
    return list(dict.fromkeys(files))


def _capability_files(places: Places, minor: int, unit: Unit) -> list[Path]:
    """A MIG instance is reached through one capability for each of its two halves.

    Source: NVIDIA's MIG user guide, "Device Nodes and Capabilities".
    """
    if unit.kind != "mig":
        return []
    half = places.capabilities / f"gpu{minor}" / "mig" / f"gi{unit.gpu_instance}"
    found = []
    for access in (half / "access", half / f"ci{unit.compute_instance}" / "access"):
        text = access.read_text() if access.is_file() else ""
        number = _MINOR.search(text)
        if number is None:
            raise PlaceMissing(f"{access} does not name the capability of {unit.uuid}.")
        found.append(places.dev / "nvidia-caps" / f"nvidia-cap{number[1]}")
    return found


def driver_libraries() -> Mapping[str, str]:
    """Path -> file name of the driver's libraries, as the loader of this host lists them.

    Raises PlaceMissing where there is no libcuda.
    """
    tool = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    listing = "" if tool is None else _run([tool, "-p"])
    found = libraries_in(listing)
    if not any(name.startswith("libcuda.") for name in found.values()):
        raise PlaceMissing(
            "The driver's library libcuda.so.1 is missing: install the compute part of the driver."
        )
    return found


def _run(command: list[str]) -> str:
    done = subprocess.run(  # noqa: S603 - the loader's own tool
        command, capture_output=True, text=True, check=False, timeout=20
    )
    return done.stdout


def libraries_in(listing: str) -> dict[str, str]:
    """The same from the text that `ldconfig -p` prints; the first of a name counts."""
    found: dict[str, str] = {}
    for row in _LISTED.finditer(listing):
        name, native = row["name"], "64" in row["kind"]
        if native and _NEEDED.fullmatch(name) and name not in found.values():
            found[row["path"]] = name
    return found
