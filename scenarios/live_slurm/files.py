"""The cluster's files while all is well, and what a fault's edits make of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from scenarios.live_slurm.faults import Edit, FaultInvalid
from scenarios.troubleshooting.texts import smi_form

NODES = tuple(f"gpu-n00{number}" for number in range(1, 7))
SETTINGS = (
    "slurm.conf",
    "gres.conf",
    "cgroup.conf",
    "topology.conf",
    "prolog.sh",
    "healthcheck.sh",
)
"""What lies in /box/etc/slurm."""
PROGRAMS = ("service", "as", "job.sh", "ssh")
"""What lies in /box/bin, beside nvidia-smi."""
_FOLDER = Path(__file__).parent


@cache
def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def healthy() -> dict[str, str]:
    """Name of a file of the settings -> its text, with nothing wrong in it."""
    return {name: _text(f"files/{name}") for name in SETTINGS}


def programs() -> dict[str, str]:
    """Path of a program of ours in the sandbox, or of what it needs -> its text."""
    found = {f"/box/bin/{name}": _text(f"files/{name}") for name in PROGRAMS}
    found["/box/bin/nvidia-smi"] = inside("smi.py")
    found["/box/lib/smi_long.py"] = inside("smi_long.py")
    found["/box/lib/smi_query.form"] = _text("files/smi_query.form")
    # The same form as in the incident whose tools are modelled.
    found["/box/lib/smi_form.py"] = Path(smi_form.__file__).read_text(encoding="utf-8")
    return found


def inside(name: str) -> str:
    """One of our programs in the sandbox."""
    return _text(f"inside/{name}")


def edited(files: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    """The files with the edits made. Raises FaultInvalid where one does not fit."""
    found = dict(files)
    for edit in edits:
        found[edit.file] = _edit(found[edit.file], edit)
    return found


def _edit(text: str, edit: Edit) -> str:
    if edit.line:
        lines = text.splitlines(keepends=True)
        for index, line in enumerate(lines):
            if line.startswith(edit.line):
                lines[index] = _once(line, edit)
                return "".join(lines)
        raise FaultInvalid(f"No line of {edit.file} begins with {edit.line!r}.")
    return _once(text, edit)


def _once(text: str, edit: Edit) -> str:
    times = text.count(edit.find)
    if times == 0 or (times > 1 and not edit.every):
        raise FaultInvalid(f"{edit.find!r} stands {times} times in {edit.file}, not once.")
    return text.replace(edit.find, edit.put)
