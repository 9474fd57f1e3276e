"""`nvidia-smi --query-gpu=FIELDS` and `--query-compute-apps=FIELDS`, `--format=csv[,noheader][,nounits]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_state import GpuNow, driver, gpu_now, herring_on, whose
from scenarios.troubleshooting.texts.smi_table import command
from scenarios.troubleshooting.truth import Incident

BAD_FIELD = 2
"""Exit code after a field that the tool does not know."""
NO_DEVICES = "No devices were found"


class UnknownField(ValueError):
    """A field that the tool does not know; the message is what it prints, without its last empty line."""

    def __init__(self, name: str) -> None:
        super().__init__(f'Field "{name}" is not a valid field to query.')


@dataclass(frozen=True, slots=True)
class _Asked:
    """One GPU's readings and what else a field may need."""

    incident: Incident
    now: GpuNow
    driver: str
    count: int


@dataclass(frozen=True, slots=True)
class _Field:
    """How to read a field, its unit in the heading, and the condition's fields that can make it telling."""

    read: Callable[[_Asked], str]
    unit: str = ""
    told_by: tuple[str, ...] = ()


def _flag(bit: int) -> _Field:
    told = ("heat_c", "power_limit_w", "braked")
    return _Field(lambda a: "Active" if a.now.reasons & bit else "Not Active", "", told)


def _same(text: str) -> _Field:
    return _Field(lambda _: text)


_CLOCK = ("clock", "power_limit_w")
_REASON_BITS = {
    "gpu_idle": 0x1,
    "applications_clocks_setting": 0x2,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sync_boost": 0x10,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake_slowdown": 0x80,
}
_ALIASES = {
    "clocks.gr": "clocks.current.graphics",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.video": "clocks.current.video",
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_serial": "serial",
    "gpu_bus_id": "pci.bus_id",
    "pcie.link.gen.gpucurrent": "pcie.link.gen.current",
    "clocks.max.gr": "clocks.max.graphics",
    "clocks.max.mem": "clocks.max.memory",
}


def _stamp(a: _Asked) -> str:
    at = a.incident.calendar.local(a.now.at_ms)
    return f"{at:%Y/%m/%d %H:%M:%S}.{a.now.at_ms % 1000:03d}"


_FIELDS: dict[str, _Field] = {
    "timestamp": _Field(_stamp),
    "driver_version": _Field(lambda a: a.driver),
    "count": _Field(lambda a: str(a.count)),
    "name": _Field(lambda a: a.incident.plant.gpu_product),
    "serial": _Field(lambda a: a.now.gpu.serial),
    "uuid": _Field(lambda a: a.now.gpu.uuid),
    "index": _Field(lambda a: str(a.now.gpu.index)),
    "pci.bus_id": _Field(lambda a: a.now.gpu.bus_id),
    "pci.domain": _same("0x0000"),
    "pci.bus": _Field(lambda a: f"0x{a.now.gpu.bus_id[9:11]}"),
    "vbios_version": _Field(lambda a: a.now.gpu.vbios),
    "persistence_mode": _same("Enabled"),
    "compute_mode": _same("Default"),
    "mig.mode.current": _same("Disabled"),
    "mig.mode.pending": _same("Disabled"),
    "pstate": _same("P0"),
    "fan.speed": _Field(lambda _: "[N/A]", "%"),
    "temperature.gpu": _Field(lambda a: str(a.now.core_c), "", ("heat_c",)),
    "temperature.memory": _Field(lambda a: str(a.now.memory_c)),
    "temperature.gpu.tlimit": _Field(
        lambda a: str(a.now.margin_c) if a.incident.plant.port_gbps >= 400 else "[N/A]",
        "",
        ("heat_c",),
    ),
    "utilization.gpu": _Field(lambda a: str(a.now.util), "%"),
    "utilization.memory": _Field(lambda a: str(a.now.memory_util), "%"),
    "memory.total": _Field(lambda a: str(a.now.total_mib), "MiB"),
    "memory.reserved": _Field(lambda a: str(a.now.reserved_mib), "MiB"),
    "memory.used": _Field(lambda a: str(a.now.used_mib), "MiB"),
    "memory.free": _Field(lambda a: str(a.now.free_mib), "MiB"),
    "power.management": _same("Enabled"),
    "power.draw": _Field(lambda a: f"{a.now.watts:.2f}", "W", ("power_limit_w", "braked")),
    "power.draw.average": _Field(lambda a: f"{a.now.watts:.2f}", "W", ("power_limit_w", "braked")),
    "power.draw.instant": _Field(lambda a: f"{a.now.watts:.2f}", "W", ("power_limit_w", "braked")),
    "power.limit": _Field(lambda a: f"{a.now.limit_w:.2f}", "W", ("power_limit_w",)),
    "enforced.power.limit": _Field(lambda a: f"{a.now.limit_w:.2f}", "W", ("power_limit_w",)),
    "power.default_limit": _Field(lambda a: f"{a.incident.plant.top_w:.2f}", "W"),
    "power.min_limit": _Field(
        lambda a: "200.00" if a.incident.plant.top_w >= 700 else "100.00", "W"
    ),
    "power.max_limit": _Field(lambda a: f"{a.incident.plant.top_w:.2f}", "W"),
    "clocks.current.graphics": _Field(lambda a: str(a.now.sm_mhz), "MHz", _CLOCK),
    "clocks.current.sm": _Field(lambda a: str(a.now.sm_mhz), "MHz", _CLOCK),
    "clocks.current.memory": _Field(lambda a: str(a.now.memory_mhz), "MHz"),
    "clocks.current.video": _Field(lambda a: str(a.now.sm_mhz * 78 // 100), "MHz"),
    "clocks.max.graphics": _Field(lambda a: str(a.incident.plant.top_mhz), "MHz"),
    "clocks.max.sm": _Field(lambda a: str(a.incident.plant.top_mhz), "MHz"),
    "clocks.max.memory": _Field(lambda a: str(a.now.memory_mhz), "MHz"),
    "clocks.applications.graphics": _Field(lambda a: str(a.incident.plant.top_mhz), "MHz"),
    "clocks.applications.memory": _Field(lambda a: str(a.now.memory_mhz), "MHz"),
    "pcie.link.gen.current": _Field(lambda a: str(a.now.pcie_gen), "", ("pcie_gen",)),
    "pcie.link.gen.max": _Field(lambda a: "5" if a.incident.plant.port_gbps >= 400 else "4"),
    "pcie.link.width.current": _Field(lambda a: str(a.now.pcie_width), "", ("pcie_width",)),
    "pcie.link.width.max": _same("16"),
    "ecc.mode.current": _same("Enabled"),
    "ecc.mode.pending": _same("Enabled"),
    "ecc.errors.corrected.volatile.total": _same("0"),
    "ecc.errors.uncorrected.volatile.total": _same("0"),
    "ecc.errors.corrected.aggregate.total": _Field(lambda a: str(a.now.corrected)),
    "ecc.errors.corrected.aggregate.dram": _Field(lambda a: str(a.now.corrected)),
    "ecc.errors.uncorrected.aggregate.total": _Field(lambda a: str(a.now.remapped)),
    "retired_pages.pending": _same("[N/A]"),
}
for _alias in ("clocks_event_reasons", "clocks_throttle_reasons"):
    _FIELDS[f"{_alias}.supported"] = _same("0x00000000000001FF")
    _FIELDS[f"{_alias}.active"] = _Field(
        lambda a: f"0x{a.now.reasons:016X}", "", ("heat_c", "power_limit_w", "braked")
    )
    _FIELDS |= {f"{_alias}.{name}": _flag(bit) for name, bit in _REASON_BITS.items()}


def known_fields() -> tuple[str, ...]:
    """Every field that `query_gpu` knows, in the order of the tool's help."""
    return tuple(_FIELDS)


def query_gpu(
    incident: Incident,
    node: Node,
    at_ms: int,
    fields: Sequence[str],
    *,
    indices: Iterable[int] | None = None,
    header: bool = True,
    units: bool = True,
) -> tuple[Line, ...]:
    """The table of these fields, GPUs in order of index. Raises UnknownField."""
    asked = []
    for name in fields:
        known = _FIELDS.get(_ALIASES.get(name, name))
        if known is None:
            raise UnknownField(name)
        asked.append((name, known))
    version, other = driver(incident, node.name, at_ms)
    rows = (
        [Line(at_ms, ", ".join(_heading(name, known, units) for name, known in asked))]
        if header
        else []
    )
    for gpu in node.gpus if indices is None else [node.gpus[i] for i in indices]:
        one = _Asked(incident, gpu_now(incident, gpu, at_ms), version, len(node.gpus))
        text = ", ".join(_cell(known, one, units) for _, known in asked)
        tag = _tag(one, asked)
        if tag is None and "driver_version" in fields:
            tag = other
        rows.append(Line(at_ms, text, tag))
    return tuple(rows)


def query_apps(
    incident: Incident,
    node: Node,
    at_ms: int,
    fields: Sequence[str],
    *,
    indices: Iterable[int] | None = None,
    header: bool = True,
    units: bool = True,
) -> tuple[Line, ...]:
    """`--query-compute-apps`: one row for each process. Raises UnknownField."""
    heads = {"used_memory": "used_gpu_memory [MiB]", "used_gpu_memory": "used_gpu_memory [MiB]"}
    rows = []
    for gpu in node.gpus if indices is None else [node.gpus[i] for i in indices]:
        now = gpu_now(incident, gpu, at_ms)
        size = f"{now.used_mib - 12} MiB" if units else str(now.used_mib - 12)
        values: Mapping[str, str] = {
            "pid": str(now.pid),
            "process_name": command(now),
            "name": command(now),
            "gpu_uuid": gpu.uuid,
            "gpu_bus_id": gpu.bus_id,
            "gpu_serial": gpu.serial,
            "gpu_name": incident.plant.gpu_product,
            "used_memory": size,
            "used_gpu_memory": size,
        }
        for name in fields:
            if name not in values:
                raise UnknownField(name)
        if now.job:
            rows.append(Line(at_ms, ", ".join(values[name] for name in fields)))
    first = ", ".join(heads.get(name, name) if units else name for name in fields)
    return (Line(at_ms, first), *rows) if header else tuple(rows)


def _heading(name: str, known: _Field, units: bool) -> str:
    return f"{name} [{known.unit}]" if known.unit and units else name


def _cell(known: _Field, asked: _Asked, units: bool) -> str:
    text = known.read(asked)
    return f"{text} {known.unit}" if known.unit and units and not text.startswith("[") else text


def _tag(one: _Asked, asked: Sequence[tuple[str, _Field]]) -> str | None:
    """Whose trace this row is: the first field that departs from health."""
    now, gpu = one.now, one.now.gpu
    loaded = now.phase in ("compute", "wait", "busy")
    for name, known in asked:
        if known.told_by and (
            loaded or name in ("power.limit", "enforced.power.limit") or "pcie" in name
        ):
            tag = whose(one.incident, now.at_ms, gpu.name, *known.told_by)
            if tag:
                return tag
        if "corrected.aggregate" in name and int(known.read(one)):
            return herring_on(
                one.incident, gpu, "corrected" if ".corrected" in name else "remapped"
            )
        if (
            name.endswith("reasons.active")
            and now.reasons == 0x4
            and now.limit_w == one.incident.plant.top_w
        ):
            return herring_on(one.incident, gpu, "limit")
    return None
