"""`nvidia-smi dmon` and `pmon`: one row for each GPU and second."""

from __future__ import annotations

from collections.abc import Container, Mapping

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_state import POWER_CAP, GpuNow, herring_on, node_now, whose
from scenarios.troubleshooting.texts.smi_table import INVALID, command
from scenarios.troubleshooting.truth import Incident

_GROUPS = {
    "p": (("pwr", "W"), ("gtemp", "C"), ("mtemp", "C")),
    "u": tuple((name, "%") for name in ("sm", "mem", "enc", "dec", "jpg", "ofa")),
    "c": (("mclk", "MHz"), ("pclk", "MHz")),
    "v": (("pviol", "%"), ("tviol", "bool")),
    "m": (("fb", "MB"), ("bar1", "MB"), ("ccpm", "MB")),
    "e": (("sbecc", "errs"), ("dbecc", "errs"), ("pci", "errs")),
    "t": (("rxpci", "MB/s"), ("txpci", "MB/s")),
}
"""Groups of `-s` and their columns with units."""
_REPEAT = 25
"""Rows of data after which the two rows of heads come again, GPUs of one second kept together."""


class UnknownGroup(ValueError):
    """A letter that `-s` does not know; the message is the tool's general one."""

    def __init__(self, letter: str) -> None:
        super().__init__(INVALID)
        self.letter = letter


def dmon(
    incident: Incident,
    node: Node,
    at_ms: int,
    count: int,
    groups: str = "puc",
    indices: Container[int] | None = None,
) -> tuple[Line, ...]:
    """`count` seconds from `at_ms` on, of all GPUs or some. Raises UnknownGroup."""
    for letter in groups:
        if letter not in _GROUPS:
            raise UnknownGroup(letter)
    columns = [column for letter in groups for column in _GROUPS[letter]]
    heads = ["# gpu " + " ".join(f"{name:>6}" for name, _ in columns)]
    heads.append("# Idx " + " ".join(f"{unit:>6}" for _, unit in columns))
    lines: list[Line] = []
    since = _REPEAT
    for second in range(count):
        at = at_ms + second * SECOND
        if since >= _REPEAT:
            lines += [Line(at, head + " ") for head in heads]
            since = 0
        for now in _some(node_now(incident, node, at), indices):
            told = _readings(now)
            values = " ".join(f"{told.get(name, 0):>6}" for name, _ in columns)
            lines.append(Line(at, f"{now.gpu.index:>5} {values} ", _tag(incident, now, groups)))
            since += 1
    return tuple(lines)


def _some(now: tuple[GpuNow, ...], indices: Container[int] | None) -> tuple[GpuNow, ...]:
    return tuple(one for one in now if indices is None or one.gpu.index in indices)


def pmon(
    incident: Incident,
    node: Node,
    at_ms: int,
    count: int = 1,
    indices: Container[int] | None = None,
) -> tuple[Line, ...]:
    """Processes on each GPU for `count` seconds; a GPU without one prints dashes."""
    lines = [
        Line(
            at_ms, "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command "
        ),
        Line(at_ms, "# Idx           #    C/G      %      %      %      %      %      %    name "),
    ]
    for second in range(count):
        at = at_ms + second * SECOND
        for now in _some(node_now(incident, node, at), indices):
            head = (
                f"{now.gpu.index:>5} {now.pid if now.job else '-':>11} {'C' if now.job else '-':>6}"
            )
            rest = (now.util, now.memory_util, "-", "-", "-", "-") if now.job else ("-",) * 6
            name = command(now).rpartition("/")[2][:15] if now.job else "-"
            lines.append(
                Line(at, f"{head} " + " ".join(f"{v:>6}" for v in rest) + f"    {name:<15}")
            )
    return tuple(lines)


def _readings(now: GpuNow) -> Mapping[str, int]:
    flow = {"compute": 2_900, "busy": 1_100, "wait": 3_400}.get(now.phase, 0)
    return {
        "pwr": round(now.watts),
        "gtemp": now.core_c,
        "mtemp": now.memory_c,
        "sm": now.util,
        "mem": now.memory_util,
        "mclk": now.memory_mhz,
        "pclk": now.sm_mhz,
        "pviol": 100 if now.reasons & 0x84 else 0,
        "tviol": int(bool(now.reasons & 0x60)),
        "fb": now.used_mib,
        "bar1": 5,
        "pci": now.replays,
        "rxpci": flow and flow + now.used_mib % 97,
        "txpci": flow and flow * 9 // 10 + now.used_mib % 83,
    }


def _tag(incident: Incident, now: GpuNow, groups: str) -> str | None:
    """A row tells of heat, a limit or a clock while the GPU works."""
    if now.phase not in ("compute", "wait"):
        return None
    if "v" in groups and now.reasons == POWER_CAP and now.limit_w == incident.plant.top_w:
        return herring_on(incident, now.gpu, "limit")
    fields: tuple[str, ...] = ()
    if "c" in groups:
        fields += ("clock",)
    if "p" in groups:
        fields += ("heat_c", "power_limit_w")
    if whose(incident, now.at_ms, now.gpu.name, "braked") and not now.reasons:
        return None
    return whose(incident, now.at_ms, now.gpu.name, *fields)
