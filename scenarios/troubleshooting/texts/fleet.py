"""Other people's work on the same cluster: settings that they changed, and what machines say meanwhile.

None of it costs anything, and there is none where the level's cluster is quiet.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND
from scenarios.troubleshooting.herrings import Changed
from scenarios.troubleshooting.truth import Incident

FEWEST, MOST = 4, 7
"""Lines of a file that have changed, where it has so many that may."""

BETWEEN = 8
"""Of each kind of thing that people write down between the runs."""

Row = tuple[str, str, str | None]
"""Line as it last was known to be good, as it is, and the herring that it is."""


@cache
def _texts() -> Mapping[str, Any]:
    found: Mapping[str, Any] = tomllib.loads(
        Path(__file__).with_name("fleet.toml").read_text(encoding="utf-8")
    )
    return found


@lru_cache(maxsize=256)
def _moved(seed: str, file: str) -> tuple[tuple[str, str], ...]:
    """(before, now) of every line of a file that may change, in its order."""
    rows: list[list[str]] = _texts()["changes"][file]
    draw, left = Stream(seed, f"changes {file}"), list(range(len(rows)))
    moved = set()
    for _ in range(min(len(rows), int(draw.between(FEWEST, MOST + 1)))):
        one = draw.pick([(number, 1.0) for number in left])
        left.remove(one)
        moved.add(one)
    return tuple((one, two if n in moved else one) for n, (one, two) in enumerate(rows))


def changes(incident: Incident, file: str, path: str = "") -> list[Row]:
    """Everything of a file that may have changed: what others did, then the herrings of its path."""
    if not incident.settings.fleet:
        return []
    found: list[Row] = [(one, two, None) for one, two in _moved(incident.seed, file)]
    if not path:
        return found
    return found + [(one.before, one.after, one.key) for one in decoys(incident, path)]


def decoys(incident: Incident, path: str) -> list[Changed]:
    """The herrings that are a change of this file."""
    found = [one for one in incident.herrings if isinstance(one, Changed)]
    return [one for one in found if one.path == path]


def of_node(incident: Incident, kind: str, node: str, value: str) -> str:
    """What a line of a node says now, where its value has not changed otherwise."""
    if not incident.settings.fleet:
        return value
    texts: list[str] = _texts()["by_node"][kind]
    draw = Stream(incident.seed, f"{kind} {node}")
    if not draw.chance(0.5):
        return value
    text = draw.pick([(text, 1.0) for text in texts])
    return text


def said(incident: Incident, kind: str, hosts: Sequence[str]) -> Iterator[tuple[int, str, Any]]:
    """(ms UTC, host, row) of what is said now and then: each text by at most three of the hosts."""
    if incident.settings.fleet:
        calendar = incident.calendar
        window = (calendar.window_start, calendar.window_end)
        yield from _said(incident.seed, kind, tuple(hosts), window)


def failed_units(incident: Incident, node: str, at_ms: int) -> dict[str, str]:
    """Unit -> its description, of those whose failure a node's journal has told by then."""
    hosts, about = [one.name for one in incident.plant.nodes], _texts()["units"]
    told = said(incident, "journal_node", hosts)
    failed = (row[2] for at, host, row in told if host == node and at <= at_ms)
    return {unit: about[unit] for text in failed if (unit := text.partition(":")[0]) in about}


@lru_cache(maxsize=64)
def _said(
    seed: str, kind: str, hosts: tuple[str, ...], window: tuple[int, int]
) -> tuple[tuple[int, str, Any], ...]:
    draw, found = Stream(seed, f"said {kind}"), []
    for row in _texts()["said"][kind]:
        for _ in range(int(draw.between(1, 4))):
            at = window[0] + int(draw.between(0.02, 0.98) * (window[1] - window[0]))
            host = draw.pick([(host, 1.0) for host in hosts])
            found.append((at // SECOND * SECOND, host, row))
    return tuple(found)


def between_runs(incident: Incident, kind: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """(ms UTC, who, text and so on) of what people write down in working hours between the two runs.

    A row with `unless` is left out where that cause is drawn.
    """
    if not incident.settings.fleet:
        return
    calendar, draw = incident.calendar, Stream(incident.seed, f"between runs {kind}")
    drawn = {cause.key for cause in incident.causes}
    left: list[Mapping[str, str]] = [r for r in _texts()[kind] if r.get("unless") not in drawn]
    offset = calendar.zone.offset * MINUTE
    first, last = calendar.baseline_start + 8 * HOUR, calendar.job_start
    for _ in range(BETWEEN):
        row = draw.pick([(row, 1.0) for row in left])
        left.remove(row)
        day = (first + offset + int(draw.unit() * (last - first))) // DAY
        at = day * DAY - offset + int(draw.between(8.1, 17.9) * HOUR) // MINUTE * MINUTE
        at -= max(calendar.local(at).weekday() - 4, 0) * DAY
        if first < at < last:
            yield at, row


def in_run(incident: Incident, kind: str) -> list[tuple[int, str]]:
    """(ms UTC, text) of what the slow run's own programs say, in order of time."""
    if not incident.settings.fleet:
        return []
    run, draw = incident.run, Stream(incident.seed, f"in run {kind}")
    texts: list[str] = _texts()["said"][kind]
    first, end = run.first_ms + MINUTE, run.end_ms - MINUTE
    return sorted((first + int(draw.between(0, 1) * (end - first)), text) for text in texts)
