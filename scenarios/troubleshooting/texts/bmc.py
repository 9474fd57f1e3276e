"""A board controller's answers: `ipmitool sdr elist`, `sensor` and `sel list`. Its clock is UTC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE
from scenarios.troubleshooting.physics import limit_c
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.owners import universal
from scenarios.troubleshooting.texts.smi_state import node_now, value, whose
from scenarios.troubleshooting.texts.system_host import boot_ms
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

INLET_C, SUPPLY_W = 22.4, 3_000
"""Air in front of a healthy rack, and what one supply delivers at most (six of them; handbook 2.4)."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """One sensor: `number` and `entity` are the repository's; `limits` are lnr, lcr, lnc, unc, ucr, unr."""

    name: str
    number: int
    entity: str
    reading: float | None
    unit: str
    limits: tuple[float | None, ...] = (None,) * 6
    tag: str | None = None

    @property
    def status(self) -> str:
        """ok, or the worst threshold that is crossed: nc, cr, nr; `ns` without a reading."""
        if self.reading is None:
            return "ns"
        low_nr, low_cr, low_nc, up_nc, up_cr, up_nr = self.limits
        for word, low, up in (("nr", low_nr, up_nr), ("cr", low_cr, up_cr), ("nc", low_nc, up_nc)):
            if (low is not None and self.reading <= low) or (up is not None and self.reading >= up):
                return word
        return "ok"


def sensors(incident: Incident, node: Node, at_ms: int) -> tuple[Sensor, ...]:
    """All sensors of a node at a moment: air, GPUs, fans, supplies."""
    now = node_now(incident, node, at_ms)
    found = [_inlet(incident, node, at_ms)]
    draw = Stream(incident.seed, f"bmc {node.name} {at_ms // MINUTE}")
    watts = sum(state.watts for state in now)
    busy = sum(state.phase in ("compute", "wait", "busy") for state in now) / len(now)
    total = (watts + 1_150 + 700 * busy) / 0.94
    outlet = round((found[0].reading or INLET_C) + 4 + watts / 520)
    found.append(
        Sensor("Outlet Temp", 0x02, "7.2", outlet, "degrees C", (None, None, None, 65, 70, 75))
    )
    for socket in (0, 1):
        reading = round(38 + 0.0055 * total / 2 + draw.between(-2, 2))
        limits = (None, None, None, 88, 93, 98)
        found.append(
            Sensor(
                f"CPU{socket + 1} Temp",
                0x10 + socket,
                f"3.{socket + 1}",
                reading,
                "degrees C",
                limits,
            )
        )
    for state in now:
        hot = whose(incident, at_ms, state.gpu.name, "heat_c") if state.phase != "idle" else None
        number = state.gpu.index
        top = limit_c(incident.plant)
        limits = (None, None, None, top + 1, top + 3, top + 8)
        name, entity = f"GPU{number + 1} Temp", f"11.{number + 1}"
        # A throttled GPU is held at its limit; the one that exceeds it is named by a trace.
        core = min(state.core_c, limit_c(incident.plant))
        found.append(Sensor(name, 0x89 + number, entity, core, "degrees C", limits, hot))
    found += _fans(incident, node, at_ms, draw, busy)
    told = _told(incident, node, at_ms)
    found += _supplies(node, draw, total, {n for n, t in told.items() if t.fields["value"] == "0"})
    return tuple(_as_told(one, told.get(one.name)) for one in found)


def _told(incident: Incident, node: Node, at_ms: int) -> dict[str, Trace]:
    """Readings that the truth names itself, by sensor."""
    return {
        str(trace.fields["sensor"]): trace
        for trace in incident.traces()
        if trace.kind == "sensors.reading" and trace.host == node.name and trace.at_ms <= at_ms
    }


def _as_told(one: Sensor, trace: Trace | None) -> Sensor:
    if trace is None:
        return one
    return replace(one, reading=float(str(trace.fields["value"])), tag=trace.tag)


def _inlet(incident: Incident, node: Node, at_ms: int) -> Sensor:
    more = value(incident, node.name, "inlet_c", at_ms)
    own = Stream(incident.seed, f"inlet {node.name}").between(-0.5, 0.5)
    reading = round(INLET_C + own + more)
    tag = whose(incident, at_ms, node.name, "inlet_c")
    return Sensor(
        "Inlet Temp", 0x01, "7.1", reading, "degrees C", (None, None, None, 32, 38, 42), tag
    )


def _fans(
    incident: Incident, node: Node, at_ms: int, draw: Stream, busy: float
) -> Iterator[Sensor]:
    """Fans follow the load; those beside a dead one and those in hot air turn faster."""
    boost = value(incident, node.name, "fan_boost", at_ms)
    faster = whose(incident, at_ms, node.name, "fan_boost")
    for number, fan in enumerate(node.fans):
        name = f"{node.name}/{fan}"
        left = value(incident, name, "fan_rpm", at_ms)
        own = whose(incident, at_ms, name, "fan_rpm")
        speed = round((5_400 + 4_200 * busy) * boost * draw.between(0.985, 1.015) / 60) * 60 * left
        limits = (300, 500, 700, None, None, None)
        yield Sensor(
            f"{fan} Tach", 0x40 + number, f"29.{number + 1}", speed, "RPM", limits, own or faster
        )


def _supplies(node: Node, draw: Stream, total: float, dead: set[str]) -> Iterator[Sensor]:
    """Input power of each supply; the load of one that is lost goes to the others."""
    names = [f"{supply} Input Power" for supply in node.power_supplies]
    share = total / sum(name not in dead for name in names)
    for number, name in enumerate(names):
        reading = round(share * draw.between(0.97, 1.03) / 8) * 8
        limits = (None, 0, None, None, SUPPLY_W, None)
        yield Sensor(name, 0x60 + number, f"10.{number + 1}", reading, "Watts", limits)


def sdr(incident: Incident, node: Node, at_ms: int) -> Document:
    """`ipmitool sdr elist`."""
    lines = []
    for one in sensors(incident, node, at_ms):
        shows = "No Reading" if one.reading is None else f"{_number(one.reading)} {one.unit}"
        text = f"{one.name:<16} | {one.number:02X}h | {one.status:<3} | {one.entity:>5} | {shows}"
        lines.append(Line(at_ms, text, one.tag))
    return Document(f"nodes/{node.name}/ipmi-sdr.txt", tuple(lines))


def sensor_list(incident: Incident, node: Node, at_ms: int) -> Document:
    """`ipmitool sensor`: the same with thresholds."""
    lines = []
    for one in sensors(incident, node, at_ms):
        reading = "na" if one.reading is None else f"{one.reading:.3f}"
        cells = [f"{one.name:<16}", f"{reading:<10}", f"{one.unit:<10}", f"{one.status:<5}"]
        cells += [f"{'na' if limit is None else f'{limit:.3f}':<9}" for limit in one.limits]
        lines.append(Line(at_ms, " | ".join(cells), one.tag))
    return Document(f"nodes/{node.name}/ipmi-sensor.txt", tuple(lines))


def _number(reading: float) -> str:
    return f"{reading:.0f}"


_BOOT = ("System Event #0x83", "OEM System boot event", "Asserted")
_OFF = ("Power Unit #0x51", "Power off/down")
_OPEN = ("Physical Security #0x52", "General Chassis intrusion")


def sel(incident: Incident, host: str, traces: list[Trace]) -> Document:
    """`ipmitool sel list`, oldest first, numbers in hex; a clock that was not set begins in 1970."""
    rows = list(_ordinary(incident, host, traces))
    for trace in traces:
        seen = trace.at_ms < incident.calendar.window_end
        if trace.kind == "sel.event" and trace.host == host and seen:
            fields = {name: str(text) for name, text in trace.fields.items()}
            rows.append(
                (
                    trace.at_ms,
                    fields["sensor"],
                    fields["event"],
                    fields["direction"],
                    fields["clock"],
                    trace.tag,
                )
            )
    rows.sort(key=lambda row: row[0])
    unset = [row[0] for row in rows if row[4] == "unset"]
    lines = []
    for number, (at, sensor, event, direction, clock, tag) in enumerate(rows, start=1):
        when = universal(at)
        if clock == "unset":
            when = universal((at - unset[0]) + 23 * 1_000)
        text = (
            f"{number:>4x} | {when:%m/%d/%Y} | {when:%H:%M:%S} | {sensor} | {event} | {direction}"
        )
        lines.append(Line(at, text, tag))
    return Document(f"nodes/{host}/ipmi-sel.txt", tuple(lines))


Row = tuple[int, str, str, str, str, str | None]
"""When, sensor, event, direction, `utc` or `unset`, whose."""


def _ordinary(incident: Incident, host: str, traces: list[Trace]) -> Iterator[Row]:
    """A handful of events of the last year that mean nothing; the last start is the maintenance's."""
    draw = Stream(incident.seed, f"sel {host}")
    start = incident.calendar.maintenance
    at = start - int(draw.between(200, 400) * DAY)
    while at < start - DAY:
        if draw.chance(0.35):
            yield at, *_OPEN, "Asserted", "utc", None
            yield at + int(draw.between(6, 40) * MINUTE), *_OPEN, "Deasserted", "utc", None
        else:
            yield from _restart(at)
        at += int(draw.exponential(70 * DAY)) + HOUR
    if any(node.name == host for node in incident.plant.nodes):
        # The firmware's self-test takes some minutes before the kernel's first line.
        yield from _restart(boot_ms(incident, host, traces) - int(draw.between(9, 12) * MINUTE))


def _restart(at: int) -> Iterator[Row]:
    yield at, *_OFF, "Asserted", "utc", None
    yield at + 95_000, *_OFF, "Deasserted", "utc", None
    yield at + 150_000, *_BOOT, "utc", None
