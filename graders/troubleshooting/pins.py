"""What a pin or a citation shows: whose sign it is, or why it is nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graders.troubleshooting.answer import Pin
from graders.troubleshooting.catalogue import subjects
from graders.troubleshooting.matches import Read
from graders.troubleshooting.patterns import flat, hits
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.truth import File, Truth, even
from graders.troubleshooting.values import readings
from scenarios.troubleshooting.key import Chart

NEAR = 2
"""Lines beside a telling one that still count as it: tools print what belongs together over several."""
_HOST_LABELS = ("node", "Hostname", "instance", "host")
_SAMPLE = re.compile(r"^\s*([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?\s")
_LABEL = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Judged:
    """`shows` causes and herrings; `about` those at whose place it stands, or whose time it divides.

    `finding` says in one sentence why it shows nothing; `wrongable` is False for a mere mention, `named`
    is a source that is named in words, without a line.
    """

    says: str
    shows: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    finding: str = ""
    wrongable: bool = True
    path: str = ""
    line: int = 0
    named: bool = False


def judge(pin: Pin, truth: Truth) -> Judged:
    """What the pin shows in this variant."""
    if pin.kind == "chart":
        return _chart(pin.metric, pin.labels, (pin.from_ms, pin.to_ms), pin.says(), truth)
    if pin.kind == "command":
        return _command(pin, truth)
    sample = _SAMPLE.match(pin.text) if pin.path.startswith("metrics/") else None
    if sample:
        labels = dict(_LABEL.findall(sample.group(2) or ""))
        return _chart(sample.group(1), labels, None, pin.says(), truth)
    return _line(pin, truth)


def _line(pin: Pin, truth: Truth) -> Judged:
    says, path, line = pin.says(), pin.path, pin.line
    file = truth.files.get(path)
    if file is None:
        return Judged(
            says, finding="There is no such file among the materials.", path=path, line=line
        )
    if not 1 <= line <= len(file.lines):
        said = f"The file has {len(file.lines)} lines."
        return Judged(says, finding=said, path=path, line=line)
    if not _reads(file, pin):
        said = f"The line reads otherwise: {file.lines[line - 1].strip()[:160]}"
        return Judged(says, finding=said, path=path, line=line)
    count = min(len(pin.text.strip().splitlines()) or 1, 60)
    shows = file.around(line, count, NEAR)
    about = _about(truth, f"{path} {file.lines[line - 1]} {pin.text}")
    if file.splits:
        about = tuple(truth.causes)
    if path.startswith("config/last-known-good/"):
        now = truth.files.get(path.replace("last-known-good", "now", 1))
        about = (*about, *(now.shows if now else ()))
    finding = "" if shows else "No cause or herring of this variant shows in this line."
    return Judged(says, tuple(shows), about, finding, path=path, line=line)


def _reads(file: File, pin: Pin) -> bool:
    """Whether what was pinned is what stands there; a pin may hold a part of the line, or several lines."""
    said = [even(line) for line in pin.text.strip().splitlines() if line.strip()]
    if not said:
        return True
    stands = even(file.lines[pin.line - 1])
    return said[0] == stands or (
        len(said[0]) >= 8 and (said[0] in stands or stands.startswith(said[0]))
    )


def _about(truth: Truth, text: str) -> tuple[str, ...]:
    return tuple(key for key, spot in truth.spots.items() if tokens_in(spot, text))


def _chart(
    metric: str,
    labels: Mapping[str, str],
    span: tuple[float, float] | None,
    says: str,
    truth: Truth,
) -> Judged:
    shows, finding = [], "No cause or herring of this variant shows in this metric."
    own = _even_labels(labels)
    for key, charts in _charts(truth):
        same = [chart for chart in charts if chart.metric == metric]
        fits = [chart for chart in same if _series(chart.labels, own)]
        if any(span is None or _overlaps(chart, span) for chart in fits):
            shows.append(key)
        elif fits:
            finding = "Nothing shows in this metric at that time."
        elif same:
            finding = "It is the right metric, and none of the series in which something shows."
    about = _about(truth, " ".join(own.values()))
    return Judged(says, tuple(shows), about, "" if shows else finding)


def _charts(truth: Truth) -> Iterator[tuple[str, tuple[Chart, ...]]]:
    for cause in truth.key.causes:
        yield cause.key, cause.charts
    for herring in truth.key.herrings:
        yield herring.key, herring.charts


def _even_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels with the host's under one name, without its port."""
    found = {key: value for key, value in labels.items() if key not in _HOST_LABELS}
    host = next((labels[key] for key in _HOST_LABELS if labels.get(key)), "")
    return {**found, "node": host.partition(":")[0]} if host else found


def _series(wanted: Mapping[str, str], own: Mapping[str, str]) -> bool:
    """Whether no label that the pin gives speaks against the key's series."""
    return all(key not in own or _same(value, own[key]) for key, value in wanted.items())


def _same(wanted: str, given: str) -> bool:
    first, dash, last = wanted.partition("-")
    if dash and first.isdigit() and last.isdigit() and given.isdigit():
        return int(first) <= int(given) <= int(last)
    return given == wanted or given in (f"mlx5_{wanted}", f"GPU {wanted}", f"gpu{wanted}")


def _overlaps(chart: Chart, span: tuple[float, float]) -> bool:
    """Whether a quarter of the pinned range, or all of the chart's, lies where it shows."""
    start, end = min(span), max(span)
    common = min(end, chart.to_ms) - max(start, chart.from_ms)
    return common >= 0 and (
        common >= 0.25 * (end - start) or common >= 0.5 * (chart.to_ms - chart.from_ms)
    )


def _command(pin: Pin, truth: Truth) -> Judged:
    text = flat(f"{pin.command}\n{pin.text}")
    said = {even(line) for line in pin.text.splitlines()}
    shows, about = [], []
    for key, spot in truth.spots.items():
        placed = not spot.kind or pin.host in spot.names or bool(tokens_in(spot, text))
        if not placed:
            continue
        if spot.kind:
            about.append(key)
        signs = subjects()[key].signs
        if said & truth.telling.get(key, frozenset()) or (signs and hits(signs, text)):
            shows.append(key)
    finding = "" if shows else "No cause or herring of this variant shows in this output."
    return Judged(pin.says(), tuple(shows), tuple(about), finding)


def named_sources(read: Read, truth: Truth) -> Iterator[Judged]:
    """Commands, files, charts and readings that a statement names and that show a cause of the variant."""
    text = f"{read.text} {read.more}" if read.statement.hypothesis else read.text
    low = re.sub(r"[^a-z0-9]", "", text.lower())
    about = {match.subject for match in read.matches}
    for key in truth.causes:
        if about and key not in about:
            continue
        named = [hit.words for hit in hits(subjects()[key].shows, text)]
        named += [token for token in tokens_in(truth.spots[key], text) if _TICKET.fullmatch(token)]
        if key in about:
            named += [said for said, value in readings(text) if value in truth.readings[key]]
        named += [name for name in _file_names(truth, key) if re.sub(r"[^a-z0-9]", "", name) in low]
        for name in dict.fromkeys(one.lower() for one in named[:4]):
            yield Judged(name, (key,), wrongable=False, named=True)


def _file_names(truth: Truth, key: str) -> list[str]:
    """Names of the files with lines that show a cause, without what stands in every name."""
    found = {
        path.rpartition("/")[2].partition(".")[0]
        for path, f in truth.files.items()
        if key in f.shows
    }
    return sorted(name.lower() for name in found if len(name) >= _LEAST_NAME and "-n" not in name)


_TICKET = re.compile(r"[A-Z]{2,5}-\d{2,6}")
"""The change that somebody looked up tells of a cause as much as the file does in which it stands."""
_LEAST_NAME = 5
_CITED = re.compile(r"([\w.@-]+(?:/[\w.@-]+)+)(?:(?::|,?\s+lines?\s+|\s*#L)(\d+))?")
_QUOTED = re.compile(r"`([^`\n]{12,300})`|[\"“]([^\"”\n]{20,300})[\"”]")
_METRIC = re.compile(r"\b(?:DCGM_FI_\w+|[a-z]+_[a-z_0-9]{6,})\b")


def citations(text: str, truth: Truth) -> Iterator[Judged]:
    """What a sentence refers to by itself: files and lines, metrics, and quoted lines."""
    for match in _CITED.finditer(text):
        path, line = match.group(1).rstrip("."), match.group(2)
        file = truth.files.get(path)
        if file is None:
            continue
        if line:
            yield _line(Pin("log", path=path, line=int(line)), truth)
        else:
            about = tuple(truth.causes) if file.splits else ()
            yield Judged(path, tuple(file.shows), about, wrongable=False, path=path)
    for match in _METRIC.finditer(text):
        if match.group() in truth.key.metrics:
            judged = _chart(match.group(), {}, None, match.group(), truth)
            yield Judged(judged.says, judged.shows, wrongable=False)
    for match in _QUOTED.finditer(text):
        quote = even(match.group(1) or match.group(2))
        shows = [k for k, texts in truth.telling.items() if any(quote in text for text in texts)]
        if shows:
            yield Judged(f"“{quote[:120]}”", tuple(shows), wrongable=False)
