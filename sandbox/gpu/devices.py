"""How a program is given the units it may use, as plain data; asks neither driver nor engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sandbox.gpu.reading import Unit

CDI_KIND = "nvidia.com/gpu"
CDI_FOLDERS = (Path("/etc/cdi"), Path("/var/run/cdi"))
_UUID = re.compile(r"(GPU|MIG)-[0-9A-Za-z/-]{8,90}")
_CAPABILITIES = [["gpu", "compute", "utility"]]


def docker_request(units: Sequence[Unit]) -> dict[str, Any]:
    """Keyword arguments of docker.types.DeviceRequest for exactly these units, by UUID.

    Raises ValueError for none, for a name that is no UUID, and for more than one MIG instance: a
    process can use only one. There is never a count beside the names; the engine refuses both.
    """
    return {"driver": "", "device_ids": _names(units), "capabilities": _CAPABILITIES}


def cdi_names(units: Sequence[Unit]) -> list[str]:
    """Names of the Container Device Interface, as nvidia-ctk writes them when it names by UUID.
    Raises ValueError as docker_request."""
    return [f"{CDI_KIND}={name}" for name in _names(units)]


def cdi_request(units: Sequence[Unit]) -> dict[str, Any]:
    """Keyword arguments of docker.types.DeviceRequest through CDI (Docker 25 or later)."""
    return {"driver": "cdi", "device_ids": cdi_names(units)}


def missing_in_cdi(names: Sequence[str], folders: Iterable[Path] = CDI_FOLDERS) -> list[str]:
    """The names that no specification in these folders lists; empty means that all can be used.

    The files are searched as text, JSON or YAML alike. They must be written anew after a change
    of driver or MIG layout: `nvidia-ctk cdi generate`.
    """
    listed: set[str] = set()
    for folder in folders:
        for path in folder.glob("*") if folder.is_dir() else ():
            if path.suffix in (".json", ".yaml", ".yml") and path.is_file():
                text = path.read_text(errors="replace")
                if CDI_KIND in text:
                    listed.update(re.findall(r"\"?name\"?:\s*\"?([\w:/-]+)", text))
    return [name for name in names if name.partition("=")[2] not in listed]


def environment(units: Sequence[Unit]) -> dict[str, str]:
    """Variables for a program run as a process of this host, without a container.

    They tell CUDA which units to show. They guide an honest program and stop no other: only the
    permissions of /dev/nvidia* do. Raises ValueError as docker_request.
    """
    return {"CUDA_VISIBLE_DEVICES": ",".join(_names(units)), "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def hidden() -> dict[str, str]:
    """Variables for a program that gets no unit."""
    return {"CUDA_VISIBLE_DEVICES": ""}


def _names(units: Sequence[Unit]) -> list[str]:
    names = [unit.uuid for unit in units]
    if not names or len(set(names)) != len(names):
        raise ValueError("Name one GPU or more, each once.")
    for name in names:
        if not _UUID.fullmatch(name):
            raise ValueError(f"{name!r} is no GPU or MIG UUID.")
    if len(names) > 1 and any(unit.kind == "mig" for unit in units):
        raise ValueError("A program can use only one MIG instance at a time.")
    return names
