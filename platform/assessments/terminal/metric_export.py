"""The command metric-export: the history of one metric as CSV, for awk and pandas."""

from __future__ import annotations

import getopt
import re
from datetime import datetime
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

import numpy as np

from scenarios.troubleshooting.columns import Columns, Real, Series

MOST_ROWS = 300_000
STEPS_S = (15, 30, 60, 120, 300, 600, 900, 1800, 3600)
USAGE = """usage: metric-export                     the names of all metrics
       metric-export NAME [--host HOST] [--label KEY=VALUE]... [--from T] [--to T]
                     [--every SECONDS] [--baseline]

Prints CSV: time, host, the metric's labels, value. T is 14:30, "2026-09-15 14:30" (the site's time),
-2h (before now) or seconds since 1970. Between scrapes of a gauge the mean is taken, of a counter the
last value. --baseline reads the run to compare with.
"""
_AGO = re.compile(r"-(\d{1,4})([smhd])")
_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Source(Protocol):
    """Where the metrics lie, and what the site's clock shows (ms, UTC)."""

    @property
    def metrics(self) -> Path: ...
    @property
    def baseline(self) -> Path: ...
    @property
    def zone(self) -> str: ...
    @property
    def now_ms(self) -> int: ...


def export(arguments: list[str], source: Source) -> tuple[str, str]:
    """(CSV, a note for standard error). Raises ValueError with one sentence for what cannot be done."""
    wanted = ["host=", "label=", "from=", "to=", "every=", "baseline", "help"]
    try:
        options, names = getopt.gnu_getopt(arguments, "h", wanted)
    except getopt.GetoptError as error:
        raise ValueError(f"{error.msg}\n{USAGE}".rstrip()) from None
    given = dict(options)
    if "--help" in given or "-h" in given:
        return USAGE, ""
    columns = Columns.open(source.baseline if "--baseline" in given else source.metrics)
    if not names:
        rows = [f"{name}  {metric.about}\n" for name, metric in sorted(columns.metrics.items())]
        return "".join(rows), ""
    series = _series(columns, names[0], options)
    here = ZoneInfo(source.zone)
    first = _instant(given.get("--from", ""), here, source.now_ms, columns.start_ms)
    last = _instant(given.get("--to", ""), here, source.now_ms, columns.end_ms)
    every_s, note = _every(given.get("--every", ""), series, last - first)
    return _csv(columns, series, first, last, every_s, here), note


def _series(columns: Columns, name: str, options: list[tuple[str, str]]) -> tuple[Series, ...]:
    if name not in columns.metrics:
        raise ValueError(f"no metric {name[:80]!r}; metric-export without a name lists them")
    labels = dict(_pair(value) for key, value in options if key == "--label")
    found = columns.find(name, labels)
    hosts = [value for key, value in options if key == "--host"]
    chosen = tuple(one for one in found if not hosts or one.host in hosts)
    if not chosen:
        raise ValueError(f"{name} has no series with that host and those labels")
    return chosen


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise ValueError(f"--label {text[:80]!r} is not KEY=VALUE")
    return name, value


def _instant(text: str, here: ZoneInfo, now_ms: int, default: int) -> int:
    if not text:
        return default
    if found := _AGO.fullmatch(text):
        return now_ms - int(found[1]) * _UNIT[found[2]] * 1000
    if re.fullmatch(r"\d{9,11}", text):
        return int(text) * 1000
    day = datetime.fromtimestamp(now_ms / 1000, here).date()
    try:
        whole = text if "-" in text else f"{day} {text.zfill(5)}"
        at = datetime.fromisoformat(whole)
    except ValueError:
        raise ValueError(
            f"{text[:40]!r} is not a time: write 14:30, '{day} 14:30' or -2h"
        ) from None
    return round((at if at.tzinfo else at.replace(tzinfo=here)).timestamp() * 1000)


def _every(text: str, series: tuple[Series, ...], length_ms: int) -> tuple[int, str]:
    """Seconds between rows of a series, the shortest that keeps the answer within bounds by default."""
    if length_ms <= 0:
        raise ValueError("--to has to be after --from")
    least = series[0].metric.every_s

    def rows(every_s: int) -> int:
        return len(series) * (length_ms // (every_s * 1000) + 1)

    if text:
        if not text.isdigit() or not 0 < int(text) <= 86_400:
            raise ValueError("--every takes seconds, 1 to 86400")
        every_s = max(least, int(text) // least * least)
        if rows(every_s) > MOST_ROWS:
            raise ValueError(
                f"that is {rows(every_s):,} rows and {MOST_ROWS:,} are printed at most: "
                "choose hosts, a shorter time or a larger --every"
            )
        return every_s, ""
    fitting = [step for step in STEPS_S if step >= least and rows(step) <= MOST_ROWS]
    every_s = max(least, fitting[0] // least * least) if fitting else 3600
    note = f"# a row every {every_s} s; scrapes are every {least} s\n" if every_s > least else ""
    return every_s, note


def _csv(
    columns: Columns,
    series: tuple[Series, ...],
    first: int,
    last: int,
    every_s: int,
    here: ZoneInfo,
) -> str:
    metric = series[0].metric
    times, values = columns.window(series, first, last)
    group = max(1, every_s // metric.every_s)
    shown = [_time(int(at), here) for at in times[::group]]
    names = list(dict.fromkeys(name for one in series for name, _ in one.labels))
    lines = [",".join(["time", "host", *names, "value"])]
    for one, row in zip(series, values, strict=True):
        own = dict(one.labels)
        head = ",".join(_cell(text) for text in (one.host, *(own.get(name, "") for name in names)))
        for at, value in zip(shown, _thinned(row, group, metric.kind), strict=True):
            if value == value:  # a gap is left out
                lines.append(f"{at},{head},{value:.10g}")
    return "\n".join(lines) + "\n"


def _thinned(row: Real, group: int, kind: str) -> list[float]:
    found: list[float] = []
    for at in range(0, len(row), group):
        part = row[at : at + group]
        part = part[~np.isnan(part)]
        if not len(part):
            found.append(float("nan"))
        else:
            found.append(float(part[-1] if kind == "counter" else part.mean()))
    return found


def _time(at_ms: int, here: ZoneInfo) -> str:
    return datetime.fromtimestamp(at_ms / 1000, here).isoformat(timespec="seconds")


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\n]', text) else text
