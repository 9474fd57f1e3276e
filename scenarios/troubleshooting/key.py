"""The staff's key: what was wrong, where it shows, what to do, and what each file is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from scenarios.troubleshooting.calendar import STARTUP
from scenarios.troubleshooting.constraints import Constraint
from scenarios.troubleshooting.materials import Material
from scenarios.troubleshooting.traces import Mark
from scenarios.troubleshooting.truth import Cause, Incident

CAUSAL, SUPPORTING, NEUTRAL, MISLEADING = "causal", "supporting", "neutral", "misleading"


@dataclass(frozen=True, slots=True)
class Lines:
    """Evidence in a file: spans of line numbers from 1, both ends included, and the first line as it reads."""

    path: str
    spans: tuple[tuple[int, int], ...]
    count: int
    first: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Evidence in a metric: which series, from when to when (ms UTC), and what they show."""

    metric: str
    labels: Mapping[str, str]
    from_ms: int
    to_ms: int
    shows: str


@dataclass(frozen=True, slots=True)
class CauseKey:
    """One cause. `hours` of all causes add up to the gap; `alone` and `last` as in `truth.Cause`.

    `seconds` is per step over the whole run, `part` of the gap (0 to 1), `catalogue` the entry in the
    domain handbook (0: one of the further ones). The sentences are for an interviewer.
    """

    key: str
    catalogue: int
    title: str
    story: str
    component: str
    places: tuple[str, ...]
    seconds: float
    hours: float
    alone: float
    last: float
    part: float
    overlaps: tuple[str, ...]
    lines: tuple[Lines, ...]
    charts: tuple[Chart, ...]
    confused_with: str
    test: str
    mitigation: str
    fix: str
    risk: str


@dataclass(frozen=True, slots=True)
class HerringKey:
    """One true but harmless observation; `tie` is `time` or `place`, `host` where it stands."""

    key: str
    tie: str
    host: str
    title: str
    why: str
    test: str
    lines: tuple[Lines, ...]
    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """Everything that a reviewer needs. Hours are of the job, start-up included; `gap_hours` of its steps.

    `artefacts` gives every file its worth: causal, supporting, neutral or misleading; `metrics` the same
    for every metric in which a cause or herring shows. `hours_without` has the hours of the steps
    when a set of causes (keys joined by " + ") had been put right before the run.
    `constraint` is what may not be done for now.
    """

    level: str
    job: int
    baseline_job: int
    hours: float
    baseline_hours: float
    gap_hours: float
    causes: tuple[CauseKey, ...]
    herrings: tuple[HerringKey, ...]
    artefacts: Mapping[str, str]
    metrics: Mapping[str, str]
    hours_without: Mapping[str, float]
    constraint: Constraint | None = None

    def plain(self) -> dict[str, object]:
        """As JSON holds it."""
        return asdict(self)


def make_key(incident: Incident, found: Sequence[Material]) -> Key:
    """The key to these materials of this incident."""
    lines, charts = _lines(found), _charts(incident.marks())
    causes = {cause.key for cause in incident.causes}
    return Key(
        level=incident.settings.level,
        job=incident.slow.id,
        baseline_job=incident.before.id,
        hours=round(incident.run.hours + STARTUP / 3_600_000, 3),
        baseline_hours=round(incident.baseline.hours + STARTUP / 3_600_000, 3),
        gap_hours=round(incident.gap_hours, 3),
        causes=tuple(_cause(cause, lines, charts) for cause in incident.causes),
        herrings=tuple(
            HerringKey(
                key=herring.key,
                tie=herring.tie,
                host=herring.host,
                title=herring.words().title,
                why=herring.words().why,
                test=herring.words().test,
                lines=tuple(lines.get(herring.key, [])),
                charts=tuple(charts.get(herring.key, [])),
            )
            for herring in incident.herrings
        ),
        artefacts={material.path: worth(material, causes) for material in found},
        metrics=_metrics(incident.marks(), causes),
        constraint=incident.constraint,
        hours_without={
            " + ".join(keys): round(hours, 3) for keys, hours in incident.hours_without.items()
        },
    )


def worth(material: Material, causes: set[str]) -> str:
    """What a file is worth: a cause shows in it, it divides the time, nothing, or only a herring."""
    tags = set(material.document.evidence())
    if tags & causes:
        return CAUSAL
    if material.splits:
        return SUPPORTING
    return MISLEADING if tags else NEUTRAL


def _cause(
    cause: Cause, lines: Mapping[str, list[Lines]], charts: Mapping[str, list[Chart]]
) -> CauseKey:
    words = cause.fault.words()
    return CauseKey(
        key=cause.key,
        catalogue=cause.fault.number,
        title=words.title,
        story=words.story,
        component=cause.fault.component,
        places=cause.fault.places(),
        seconds=round(cause.seconds, 3),
        hours=round(cause.hours, 3),
        alone=round(cause.alone, 3),
        last=round(cause.last, 3),
        part=round(cause.part, 4),
        overlaps=cause.overlaps,
        lines=tuple(lines.get(cause.key, [])),
        charts=tuple(charts.get(cause.key, [])),
        confused_with=words.confused_with,
        test=words.test,
        mitigation=words.mitigation,
        fix=words.fix,
        risk=words.risk,
    )


def _lines(found: Sequence[Material]) -> dict[str, list[Lines]]:
    """Tag -> its lines, file by file."""
    told: dict[str, list[Lines]] = {}
    for material in found:
        document = material.document
        for tag, numbers in document.evidence().items():
            first = document.lines[numbers[0] - 1].text
            place = Lines(document.path, spans(numbers), len(numbers), first)
            told.setdefault(tag, []).append(place)
    return told


def spans(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Line numbers in ascending order as (first, last) of each stretch without a gap."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def _charts(marks: Iterable[tuple[str, Mark]]) -> dict[str, list[Chart]]:
    told: dict[str, list[Chart]] = {}
    for tag, mark in marks:
        chart = Chart(mark.metric, dict(mark.labels), mark.from_ms, mark.to_ms, mark.shows)
        told.setdefault(tag, []).append(chart)
    return told


def _metrics(marks: Iterable[tuple[str, Mark]], causes: set[str]) -> dict[str, str]:
    """Metric -> causal if a cause shows in it, misleading if only a herring does."""
    told: dict[str, str] = {}
    for tag, mark in marks:
        if tag in causes or mark.metric not in told:
            told[mark.metric] = CAUSAL if tag in causes else MISLEADING
    return dict(sorted(told.items()))
