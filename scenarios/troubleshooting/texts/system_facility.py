"""The building's log: coolers and feeds as the building management system writes them, in the site's time."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Document, Line, in_order
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident


def building_log(incident: Incident, traces: list[Trace]) -> Document:
    """All coolers and distribution units during the window: hourly readings and what is out of order."""
    ill: dict[str, int] = {}
    lines = []
    for trace in traces:
        if trace.kind == "facility.line":
            ill[trace.host] = min(trace.at_ms, ill.get(trace.host, trace.at_ms))
            fields = {name: str(text) for name, text in trace.fields.items()}
            lines.append(
                _line(incident, trace.at_ms, fields["severity"], fields["text"], trace.tag)
            )
    lines += list(_readings(incident, ill))
    racks = {rack.name: rack for rack in incident.plant.racks}
    for at, name, row in fleet.said(incident, "bms", tuple(racks)):
        text = row[1].format(cooler=racks[name].cooler, pdu=racks[name].pdus[0])
        lines.append(_line(incident, at, row[0], text, None))
    return in_order("facility/bms.log", lines)


def _line(incident: Incident, at_ms: int, severity: str, text: str, tag: str | None) -> Line:
    at = incident.calendar.local(at_ms)
    return Line(at_ms, f"{at:%Y-%m-%d %H:%M:%S} bms {severity.upper():<7} {text}", tag)


def _readings(incident: Incident, ill: dict[str, int]) -> Iterator[Line]:
    """An hourly row for each cooler; one that is ill blows warm air from its failure on."""
    calendar = incident.calendar
    coolers = sorted({rack.cooler for rack in incident.plant.racks})
    for number, cooler in enumerate(coolers):
        draw = Stream(incident.seed, f"bms {cooler}")
        at = calendar.window_start + (number + 1) * MINUTE
        while at < calendar.window_end:
            failed = cooler in ill and at > ill[cooler] + 20 * MINUTE
            air = draw.between(31.2, 32.4) if failed else draw.between(21.6, 22.5)
            valve = 18 if failed else round(draw.between(52, 68))
            text = f"{cooler} supply air {air:.1f} C, set point 22.0 C, valve {valve} %"
            yield _line(incident, at, "info", text, _owner(incident, cooler) if failed else None)
            at += HOUR
    for rack in incident.plant.racks:
        for pdu in rack.pdus:
            draw = Stream(incident.seed, f"bms {pdu}")
            at = calendar.window_start + int(draw.between(5, 55)) * MINUTE
            while at < calendar.window_end:
                load = len(rack.nodes) * draw.between(2.9, 4.6)
                yield _line(
                    incident, at, "info", f"{pdu} load {load:.1f} kW, 3 phases balanced", None
                )
                at += 4 * HOUR


def _owner(incident: Incident, cooler: str) -> str | None:
    for cause in incident.causes:
        if getattr(cause.fault, "cooler", None) == cooler:
            return cause.key
    return None
