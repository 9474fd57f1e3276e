"""Metrics as Prometheus writes them: one scrape of an exporter as text, a stretch of history as OpenMetrics."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from scenarios.troubleshooting.columns import Columns, Labels, Metric, Owner, Real, Series, Whole

MOST_SAMPLES = 5_000_000
"""Samples that one export of history may hold: about half a gigabyte of text."""
OWNER = "hpc_job"
"""The label that follows the job of a GPU; absent while it has none."""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_BUILT_IN = "prometheus"
"""Metrics that Prometheus makes itself (`up`): no exporter shows them."""


class TooMuch(ValueError):
    """The stretch of history is too long for one export; the message says what to do."""


def scrapes(columns: Columns, at_ms: int) -> Iterator[tuple[str, str]]:
    """(path, text) of the last scrape of every exporter on every host up to an instant (ms UTC).

    The path is `exporter/host.prom`. A host whose exporters did not answer then has no text.
    """
    exporters: dict[str, list[Metric]] = {}
    for metric in columns.metrics.values():
        if metric.exporter != _BUILT_IN:
            exporters.setdefault(metric.exporter, []).append(metric)
    for exporter, metrics in exporters.items():
        texts: dict[str, list[str]] = {}
        for metric in metrics:
            for host, lines in _scraped(columns, metric, at_ms):
                texts.setdefault(host, []).extend(lines)
        for host, lines in texts.items():
            yield f"{exporter}/{host}.prom", "".join(f"{line}\n" for line in lines)


def _scraped(columns: Columns, metric: Metric, at_ms: int) -> Iterator[tuple[str, list[str]]]:
    """(host, lines) of one metric at one scrape."""
    for host, group in groupby(columns.series[metric.name], key=lambda one: one.host):
        series = tuple(group)
        times, values = columns.window(series, at_ms - metric.every_s * 1_000 + 1, at_ms)
        if not len(times):
            continue
        lines = [f"# HELP {metric.name} {metric.about}", f"# TYPE {metric.name} {metric.kind}"]
        last = int(times[-1])
        for one, value in zip(series, values[:, -1].tolist(), strict=True):
            if value == value:
                labels = _labels(one.labels, _owner(one.owners, last))
                lines.append(f"{metric.name}{labels} {number(value)}")
        if len(lines) > 2:
            yield host, lines


def openmetrics(
    columns: Columns,
    names: Sequence[str],
    from_ms: int,
    to_ms: int,
    labels: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """The history of some metrics between two instants (ms UTC, both included), in OpenMetrics lines.

    Raises KeyError for an unknown metric and TooMuch beyond `MOST_SAMPLES`; both before the first line.
    """
    chosen = [(columns.metrics[name], columns.find(name, labels)) for name in dict.fromkeys(names)]
    count = sum(len(series) * len(columns.times(m, from_ms, to_ms)) for m, series in chosen)
    if count > MOST_SAMPLES:
        raise TooMuch(
            f"That is {count:,} samples; one export holds {MOST_SAMPLES:,}. Choose fewer metrics, "
            "fewer hosts or a shorter time."
        )
    return _lines(columns, chosen, from_ms, to_ms)


def _lines(
    columns: Columns, chosen: list[tuple[Metric, tuple[Series, ...]]], from_ms: int, to_ms: int
) -> Iterator[str]:
    for metric, series in chosen:
        family, kind = family_of(metric)
        yield f"# HELP {family} {metric.about.translate(_ESCAPES)}\n"
        yield f"# TYPE {family} {kind}\n"
        for _, group in groupby(series, key=lambda one: one.block):
            block = tuple(group)
            times, values = columns.window(block, from_ms, to_ms)
            for one, row in zip(block, values, strict=True):
                yield from _samples(one, times, row)
    yield "# EOF\n"


def family_of(metric: Metric) -> tuple[str, str]:
    """Name and type of the metric's family in OpenMetrics.

    There a counter's samples end in `_total`. dcgm-exporter's do not, and a query must find the
    same name in a scrape and in the history: they are told as of unknown type.
    """
    if metric.kind == "counter" and metric.name.endswith("_total"):
        return metric.name.removesuffix("_total"), "counter"
    return metric.name, "gauge" if metric.kind == "gauge" else "unknown"


def _samples(series: Series, times: Whole, values: Real) -> Iterator[str]:
    """One series is several to Prometheus when its job changes; a gap has no samples."""
    name, stamps = series.metric.name, _seconds(times)
    for first, last, owner in _spells(series.owners, times):
        head = f"{name}{_labels(series.labels, owner)} "
        for value, stamp in zip(values[first:last].tolist(), stamps[first:last], strict=True):
            if value == value:
                yield f"{head}{number(value)} {stamp}\n"


def _spells(owners: tuple[Owner, ...], times: Whole) -> list[tuple[int, int, str | None]]:
    """(first, last + 1, owner) of the stretches of samples; in the order of their labels, not of time.

    All samples of one label set stand together, as the format asks; without an owner comes first.
    """
    spells: list[tuple[int, int, str | None]] = []
    at, instants = 0, times.tolist()
    for owner in owners:
        first, last = bisect_left(instants, owner.from_ms), bisect_left(instants, owner.to_ms)
        if last > first:
            spells.append((at, first, None))
            spells.append((first, last, owner.value))
            at = last
    spells.append((at, len(times), None))
    found = [spell for spell in spells if spell[1] > spell[0]]
    return sorted(found, key=lambda spell: (spell[2] is not None, spell[0]))


def _owner(owners: tuple[Owner, ...], at_ms: int) -> str | None:
    return next((o.value for o in owners if o.from_ms <= at_ms < o.to_ms), None)


@lru_cache(maxsize=4096)
def _labels(own: Labels, owner: str | None) -> str:
    pairs = [*own, *([(OWNER, owner)] if owner is not None else [])]
    inside = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in pairs)
    return f"{{{inside}}}" if inside else ""


def _seconds(times: Whole) -> list[str]:
    """Instants in seconds since 1970, with milliseconds only where there are any."""
    return [f"{t // 1000}" if t % 1000 == 0 else f"{t / 1000:.3f}" for t in times.tolist()]


def number(value: float) -> str:
    """A sample's value, exact to six decimals; whole numbers have no point."""
    if value == int(value):
        return str(int(value))
    return f"{value:.6f}".rstrip("0")


def write_openmetrics(
    columns: Columns, names: Sequence[str], from_ms: int, to_ms: int, path: Path
) -> None:
    """The same, written to a file (`.om`)."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(openmetrics(columns, names, from_ms, to_ms))
