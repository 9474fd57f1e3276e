"""The column file of the metrics' history: small on disk, written in one pass, read by series and time.

    magic | length of index (4 bytes, big-endian) | index (JSON, zlib) | chunks

A metric is one chunk of blocks, one for each host: the whole numbers of its series (value divided by the
metric's `quantum`), each series as differences to the sample before, split into planes of bytes, zlib.
A gauge may have a `fine` part: a reader adds so many steps of `quantum / fine` that the last digits are not all
zero; they come from the place of the sample alone, are below one quantum and average to none.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

Whole = NDArray[np.int64]
Real = NDArray[np.float64]
Labels = tuple[tuple[str, str], ...]
Span = tuple[int, int]

MAGIC = b"HNCOL1\n"
_HEAD = struct.Struct(">I")
_PLANES = (np.int8, np.int16, np.int32, np.int64)
SECOND = 1_000


@dataclass(frozen=True, slots=True)
class Metric:
    """What a metric is called and means. `kind` is gauge, counter or untyped; `every_s` its scrape interval.

    `exporter` is whose scrape it stands in. Values are whole multiples of `quantum`; `fine` as above.
    """

    name: str
    kind: str
    about: str
    exporter: str
    every_s: int = 60
    quantum: float = 1.0
    fine: int = 1


class Owner(NamedTuple):
    """A label of a series that changes with time: it reads `value` from `from_ms` until before `to_ms`."""

    from_ms: int
    to_ms: int
    value: str


@dataclass(frozen=True, slots=True)
class Block:
    """A metric's series on one host: values in quanta, one row each; `spans` (sample numbers, end excluded)
    are gaps, in which the values mean nothing. Rows of `owners` belong to the rows of `labels`.
    """

    metric: str
    host: str
    labels: tuple[Labels, ...]
    values: NDArray[np.integer]
    spans: tuple[Span, ...] = ()
    owners: tuple[tuple[Owner, ...], ...] = ()


class Series(NamedTuple):
    """One series in the file: its metric, its host, its labels in the exporter's order, its place."""

    metric: Metric
    host: str
    labels: Labels
    owners: tuple[Owner, ...]
    block: int
    row: int

    def carries(self, wanted: Mapping[str, str]) -> bool:
        """Whether the series has these labels; `node` is the host, `rank` may be a span like 8-15."""
        own = dict(self.labels)
        for name, value in wanted.items():
            if name == "node" and self.host == value:
                continue
            if name == "rank" and "-" in value:
                first, last = (int(part) for part in value.split("-"))
                if first <= int(own.get("rank", "-1")) <= last:
                    continue
                return False
            if own.get(name) != value:
                return False
        return True


@dataclass(frozen=True, slots=True)
class Stretch:
    """What lies between two instants (ms UTC, both included), kept from writing so that nothing is unpacked.

    `samples`: metric and host -> number of the first sample, and the samples in quanta.
    """

    from_ms: int
    to_ms: int
    samples: dict[tuple[str, str], tuple[int, Whole]] = field(default_factory=dict)

    def keep(self, block: Block, span: Span) -> None:
        """Keep these samples of a block."""
        first, last = span
        held = first, block.values[:, first:last].astype(np.int64)
        self.samples[block.metric, block.host] = held

    def find(self, metric: str, host: str, span: Span) -> Whole | None:
        """Samples of a span; None where not all of them were kept."""
        start, held = self.samples.get((metric, host), (0, None))
        if held is None or span[0] < start or span[1] > start + held.shape[1]:
            return None
        return held[:, span[0] - start : span[1] - start]


def write_columns(
    path: Path,
    start_ms: int,
    end_ms: int,
    metrics: Iterable[Metric],
    blocks: Iterable[Block],
    stretch: Stretch | None = None,
) -> int:
    """Write the file; blocks may come in any order and are held only compressed. Returns its bytes.

    The stretch is filled on the way.
    """
    known = {metric.name: metric for metric in metrics}
    packed: dict[str, list[bytes]] = {name: [] for name in known}
    entries: dict[str, list[dict[str, object]]] = {name: [] for name in known}
    shared: dict[tuple[tuple[Labels, ...], tuple[tuple[Owner, ...], ...]], int] = {}
    labels, owners, place = None, None, 0
    for block in blocks:
        data, width = _pack(block.values)
        if stretch is not None:
            within = (start_ms, end_ms)
            stretch.keep(block, _range(known[block.metric], within, stretch.from_ms, stretch.to_ms))
        if block.labels is not labels or block.owners is not owners:
            labels, owners = block.labels, block.owners  # most blocks have those of the one before
            place = shared.setdefault((labels, owners), len(shared))
        entry: dict[str, object] = {"host": block.host, "labels": place, "width": width}
        entry |= {"size": len(data), "samples": block.values.shape[1], "gaps": block.spans}
        entries[block.metric].append(entry)
        packed[block.metric].append(data)
    index = {
        "start_ms": start_ms,
        "end_ms": end_ms,
        "labels": [_told(labels, owners) for labels, owners in shared],
        "metrics": [
            _described(metric) | {"blocks": entries[name]} for name, metric in known.items()
        ],
    }
    return _write(path, index, (data for name in known for data in packed[name]))


def _write(path: Path, index: Mapping[str, Any], chunks: Iterable[bytes]) -> int:
    head = zlib.compress(json.dumps(index, separators=(",", ":")).encode(), 6)
    with path.open("wb") as out:
        out.write(MAGIC + _HEAD.pack(len(head)) + head)
        out.writelines(chunks)
        return out.tell()


def _described(metric: Metric) -> dict[str, object]:
    return {name: getattr(metric, name) for name in Metric.__slots__}


def _told(labels: tuple[Labels, ...], owners: tuple[tuple[Owner, ...], ...]) -> dict[str, object]:
    told: dict[str, object] = {"series": [dict(one) for one in labels]}
    if owners:
        told["owners"] = [[(o.from_ms, o.to_ms, o.value) for o in row] for row in owners]
    return told


def _pack(values: NDArray[np.integer]) -> tuple[bytes, int]:
    """Differences along each row in planes of bytes, compressed; and the bytes of one difference."""
    steps = np.empty_like(values)
    steps[:, 0] = values[:, 0]
    np.subtract(values[:, 1:], values[:, :-1], out=steps[:, 1:])
    # The first value stands apart: a large counter must not widen all its small differences.
    first = steps[:, 0].astype("<i8")
    steps[:, 0] = 0
    low, high = int(steps.min()), int(steps.max())
    if low == high == 0:
        return _still(first.tobytes(), *steps.shape), 1
    kind = next(k for k in _PLANES if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    width = np.dtype(kind).itemsize
    flat: NDArray[Any] = steps.astype(kind, copy=False).reshape(-1)
    planes = np.empty((width, flat.size), np.uint8)
    for place in range(width):
        planes[place] = flat >> 8 * place
    return _press(first.tobytes(), planes), width


@lru_cache(maxsize=256)
def _still(first: bytes, rows: int, samples: int) -> bytes:
    """What a block comes to that never changes: a third of all, and hosts are alike."""
    return _press(first, np.zeros((rows, samples), np.uint8))


def _press(first: bytes, planes: NDArray[np.uint8]) -> bytes:
    # Differences of noise hardly repeat: runs and frequencies are all there is to gain. Looking for runs
    # only, zlib-ng writes what zlib writes, on any processor.
    press = zlib_ng.compressobj(1, zlib_ng.DEFLATED, 15, 9, zlib_ng.Z_RLE)
    # So many values are not copied once more to stand behind the first ones.
    return press.compress(first) + press.compress(planes.data) + press.flush()


def _unpack(data: bytes, place: _Place, span: Span) -> Whole:
    """The samples of a span: what lies before it is only added up."""
    raw = zlib.decompress(data)
    first, last = span
    planes = np.frombuffer(raw, np.uint8, offset=8 * place.rows)
    planes = planes.reshape(place.width, place.rows, place.samples)[:, :, :last]
    steps = np.ascontiguousarray(planes.transpose(1, 2, 0)).view(f"<i{place.width}")[:, :, 0]
    found: Whole = steps[:, first:].astype(np.int64)
    if last > first:
        found[:, 0] = np.frombuffer(raw, "<i8", place.rows)
        found[:, 0] += steps[:, : first + 1].sum(axis=1, dtype=np.int64)
    return np.cumsum(found, axis=1, out=found)


@dataclass(slots=True)
class _Place:
    """Where a block lies in the file, and what is needed to read it."""

    metric: Metric
    host: str
    at: int
    size: int
    rows: int
    samples: int
    width: int
    gaps: tuple[Span, ...]


@dataclass
class Columns:
    """A column file, opened. Times are ms since 1970, UTC; a gap is NaN."""

    path: Path
    start_ms: int
    end_ms: int
    metrics: dict[str, Metric]
    series: dict[str, tuple[Series, ...]]
    _places: list[_Place] = field(repr=False)
    _stretch: Stretch | None = field(repr=False)

    @classmethod
    def open(cls, path: Path, stretch: Stretch | None = None) -> Columns:
        """Read the index. Raises ValueError for anything that is not a whole column file.

        A stretch that was kept from writing this very file spares reading it.
        """
        with path.open("rb") as file:
            magic, length = file.read(len(MAGIC)), file.read(_HEAD.size)
            if magic != MAGIC or len(length) < _HEAD.size:
                raise ValueError(f"{path.name} is not a column file: write it anew with `build`.")
            try:
                index = json.loads(zlib.decompress(file.read(_HEAD.unpack(length)[0])))
            except (zlib.error, ValueError):
                raise ValueError(f"{path.name} is cut short: write it anew with `build`.") from None
            at = file.tell()
        metrics: dict[str, Metric] = {}
        series: dict[str, tuple[Series, ...]] = {}
        places: list[_Place] = []
        rows_of = [_rows(told) for told in index["labels"]]
        for told in index["metrics"]:
            blocks = told.pop("blocks")
            metric = Metric(**told)
            found: list[Series] = []
            for block in blocks:
                rows, host, size = rows_of[block["labels"]], block["host"], block["size"]
                for row, (labels, owners) in enumerate(rows):
                    found.append(Series(metric, host, labels, owners, len(places), row))
                gaps = tuple((a, b) for a, b in block["gaps"])
                shape = len(rows), block["samples"], block["width"]
                places.append(_Place(metric, host, at, size, *shape, gaps))
                at += size
            metrics[metric.name], series[metric.name] = metric, tuple(found)
        if path.stat().st_size != at:
            raise ValueError(f"{path.name} is cut short: write it anew with `build`.")
        return cls(path, index["start_ms"], index["end_ms"], metrics, series, places, stretch)

    def find(self, name: str, labels: Mapping[str, str] | None = None) -> tuple[Series, ...]:
        """Series of a metric that carry these labels, in the file's order; empty for an unknown metric."""
        return tuple(s for s in self.series.get(name, ()) if s.carries(labels or {}))

    def size_of(self, name: str) -> int:
        """Bytes of a metric's chunk in the file."""
        return sum(place.size for place in self._places if place.metric.name == name)

    def times(self, metric: Metric, from_ms: int, to_ms: int) -> Whole:
        """When the metric was scraped between two instants, both included."""
        first, last = self._range(metric, from_ms, to_ms)
        return self.start_ms + np.arange(first, last, dtype=np.int64) * metric.every_s * SECOND

    def window(self, series: tuple[Series, ...], from_ms: int, to_ms: int) -> tuple[Whole, Real]:
        """(times, values) of series of one metric between two instants, both included; a row each."""
        metric = series[0].metric
        first, last = self._range(metric, from_ms, to_ms)
        found = np.empty((len(series), last - first))
        held: tuple[int, Real] | None = None
        for place, one in enumerate(series):
            if held is None or held[0] != one.block:
                held = (one.block, self._block(one.block, first, last))
            found[place] = held[1][one.row]
        return self.times(metric, from_ms, to_ms), found

    def envelope(
        self, series: tuple[Series, ...], from_ms: int, to_ms: int, points: int
    ) -> tuple[Whole, Real, Real]:
        """(times, lowest, highest) in at most `points` buckets: no spike is lost to a zoomed-out view."""
        times, values = self.window(series, from_ms, to_ms)
        each = max(-(-len(times) // points), 1)
        starts = np.arange(0, len(times), each)
        low = np.fmin.reduceat(values, starts, axis=1) if len(times) else values
        high = np.fmax.reduceat(values, starts, axis=1) if len(times) else values
        return times[starts], low, high

    def _range(self, metric: Metric, from_ms: int, to_ms: int) -> Span:
        return _range(metric, (self.start_ms, self.end_ms), from_ms, to_ms)

    def _whole(self, place: _Place, span: Span) -> Whole:
        if self._stretch is not None:
            kept = self._stretch.find(place.metric.name, place.host, span)
            if kept is not None:
                return kept
        with self.path.open("rb") as file:
            file.seek(place.at)
            return _unpack(file.read(place.size), place, span)

    def _block(self, number: int, first: int, last: int) -> Real:
        place = self._places[number]
        metric = place.metric
        whole = self._whole(place, (first, last))
        found: Real = whole * np.float64(metric.quantum)
        if metric.fine > 1:
            row = np.arange(place.rows, dtype=np.int64)[:, None] + number * 131
            found += fine_steps(row, np.arange(first, last, dtype=np.int64), metric.fine) * (
                metric.quantum / metric.fine
            )
        for start, end in place.gaps:
            found[:, max(start - first, 0) : max(end - first, 0)] = np.nan
        return found


def _range(metric: Metric, within: Span, from_ms: int, to_ms: int) -> Span:
    """Numbers of the samples between two instants, of a file that begins and ends `within` (ms)."""
    start, end = within
    every = metric.every_s * SECOND
    first = max(-(-(from_ms - start) // every), 0)
    return first, max(first, min((to_ms - start) // every + 1, (end - start) // every))


def fine_steps(row: Whole, sample: Whole, fine: int) -> Whole:
    """From 0 to `fine` - 1 by the place of a sample; the same in every reader of the format.

    In whole numbers modulo 2^32: m = sample * 2654435761 + row * 40503 + 12345; m ^= m >> 15;
    m *= 2246822519; the answer is m * fine / 2^32, rounded down. `row` is the series' place in its
    block plus 131 times the block's place in the file, both counted from 0.
    """
    mixed = (sample * 2_654_435_761 + row * 40_503 + 12_345) % 2**32
    mixed ^= mixed >> 15
    mixed = mixed * 2_246_822_519 % 2**32
    return mixed * fine >> 32


def _rows(told: dict[str, Any]) -> list[tuple[Labels, tuple[Owner, ...]]]:
    """Labels and owners of each row; many metrics have them in common."""
    owners = told.get("owners") or [()] * len(told["series"])
    return [
        (tuple(one.items()), tuple(Owner(*o) for o in own))
        for one, own in zip(told["series"], owners, strict=True)
    ]
