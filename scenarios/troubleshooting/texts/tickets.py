"""The change tickets since the run to compare with, in the site's local time."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

NOISE = 8
"""Changes without any bearing that a variant shows."""


def changes(incident: Incident) -> Document:
    """All tickets in order of time; numbers grow with it."""
    own = [trace for trace in incident.traces() if trace.kind == "ticket.change"]
    noise = [trace for trace in _noise(incident) if trace.at_ms not in {t.at_ms for t in own}]
    lines: list[Line] = []
    for number, trace in _numbered(incident, own, noise):
        clock = incident.calendar.local(trace.at_ms)
        fields, tag = trace.fields, trace.tag or None
        head = f"CHG-{number} | {clock:%Y-%m-%d %H:%M %Z} | {fields['who']} | {fields['status']}"
        lines.append(Line(trace.at_ms, head, tag))
        lines.append(Line(trace.at_ms, f"  {fields['title']}", tag))
        lines += [Line(trace.at_ms, f"  {text}", tag) for text in _wrapped(str(fields["text"]))]
        lines.append(Line(trace.at_ms, ""))
    return Document("people/changes.txt", tuple(lines))


def _wrapped(text: str, width: int = 96) -> list[str]:
    rows, row = [], ""
    for word in text.split():
        if row and len(row) + 1 + len(word) > width:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}".strip()
    return [*rows, row]


def _numbered(incident: Incident, own: list[Trace], noise: list[Trace]) -> list[tuple[int, Trace]]:
    """The incident's tickets keep their numbers; the others take free numbers between them, or are left out."""
    fixed = [(int(str(t.fields["id"]).removeprefix("CHG-")), t) for t in own]
    first = Stream(incident.seed, "ticket numbers").between(3_000, 6_000)
    found: list[tuple[int, Trace]] = []
    below = fixed[0][0] - 40 if fixed else int(first)
    upper = [*fixed, (below + 400, None)]
    for number, trace in upper:
        until = trace.at_ms if trace else incident.calendar.window_end
        waiting = [t for t in noise if t.at_ms < until]
        noise = [t for t in noise if t.at_ms >= until]
        room = number - below - 1
        kept = waiting[: max(room, 0)]
        step = max(min(room // (len(kept) + 1), 5), 1)
        found += [(below + step * place, t) for place, t in enumerate(kept, start=1)]
        if trace:
            found.append((number, trace))
        below = number
    return found


def _noise(incident: Incident) -> list[Trace]:
    """Changes by chance on working hours between the two runs, and the planned maintenance itself."""
    calendar, draw = incident.calendar, Stream(incident.seed, "other changes")
    left = list(_texts())
    found = [_maintenance(incident)]
    days = (calendar.job_start - calendar.baseline_start) // DAY
    for _ in range(NOISE):
        entry = draw.pick([(entry, 1.0) for entry in left])
        left.remove(entry)
        offset = calendar.zone.offset * MINUTE
        day = (calendar.baseline_start + offset) // DAY + 1 + int(draw.between(0, max(days, 1)))
        at = day * DAY - offset + 8 * HOUR + int(draw.between(0, 9 * 60)) * MINUTE
        at -= max(calendar.local(at).weekday() - 4, 0) * DAY
        fields = {**entry, "status": "closed"}
        if calendar.baseline_start < at < calendar.window_end:
            found.append(Trace("ticket.change", at, "tickets", "", fields))
    found += [
        Trace("ticket.change", at, "tickets", "", {**row, "status": "closed"})
        for at, row in fleet.between_runs(incident, "tickets")
    ]
    return sorted(found, key=lambda trace: trace.at_ms)


def _maintenance(incident: Incident) -> Trace:
    fields = {
        "who": "r.lindqvist",
        "status": "closed",
        "title": f"Planned maintenance of {incident.plant.cluster}",
        "text": "Partitions drained from 06:00, work as listed in the single changes, partitions up again in "
        "the afternoon. Health check green on all nodes.",
    }
    return Trace("ticket.change", incident.calendar.maintenance - 5 * MINUTE, "tickets", "", fields)


@cache
def _texts() -> tuple[dict[str, str], ...]:
    path = Path(__file__).with_name("tickets_noise.toml")
    return tuple(tomllib.loads(path.read_text(encoding="utf-8"))["change"])
