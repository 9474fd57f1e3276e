"""What staff see of a cluster that was repaired: what was changed, what came of it, and how the queue moved.

Before the own scorecard is in, the record alone: commands with what moved after them, and the settings'
differences. Which fault was mended is what the measures count, and comes after.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from assessments.models import Attempt, ClusterLook, GradingRun
from reviews.evidence.answer_text import visible
from reviews.evidence.cluster_texts import TextsReader, picked_out, read_texts, unmatched
from reviews.evidence.corrections import Corrected
from reviews.evidence.kinds import KeptFile, StaffWithKey
from reviews.evidence.ordinary_minutes import ordinary_time_of
from reviews.evidence.terminal_record import Ran, commands, starts_of, told
from scenarios.company.profile import DEFAULT
from scenarios.live_slurm.variant import key

WIDTH, HEIGHT, LEFT, FOOT = 720, 150, 30, 18
MOST_STEPS = 400
SETTLES = timedelta(seconds=20)
"""What moves within this after a command is shown as what came of it."""
SERIES = (("running", "jobs that run"), ("waiting", "jobs that wait"), ("gpus", "GPUs in use"))
KINDS = ("fault", "settings", "jobs", "battery", "waits", "effects", "events")
Report = Mapping[str, Any]


class Step(NamedTuple):
    """A command, and what waited and ran before it and some seconds after; None where nothing was seen.

    `x` is where it stands in the chart.
    """

    ran: Ran
    before: ClusterLook | None
    after: ClusterLook | None
    x: float = 0.0

    @property
    def moved(self) -> str:
        """What came after it, in words; "" where nothing did."""
        if self.before is None or self.after is None:
            return ""
        pairs = [
            ("waiting", self.before.waiting, self.after.waiting),
            ("running", self.before.running, self.after.running),
            ("nodes that take jobs", self.before.up, self.after.up),
        ]
        return ", ".join(f"{name} {old} → {new}" for name, old, new in pairs if old != new)


class Moment(NamedTuple):
    """A look at which something had changed, its minute, and where it stands in the chart."""

    minute: int
    look: ClusterLook
    x: float


class Scale(NamedTuple):
    """From an instant to its place in the chart."""

    start: datetime
    lasts_s: float

    def x(self, at: datetime) -> float:
        share = min(1.0, max(0.0, (at - self.start).total_seconds() / self.lasts_s))
        return round(LEFT + share * (WIDTH - LEFT - 8), 1)


class Line(NamedTuple):
    """One line of the chart: its path in an SVG of WIDTH by HEIGHT."""

    key: str
    title: str
    path: str


class Course(NamedTuple):
    """How the work went: steps with what they moved, the chart's lines, and the most that it counts."""

    steps: list[Step]
    total: int
    lines: list[Line]
    most: int
    minutes: int
    looks: list[Moment]
    """Wherever something had changed."""


def course(attempt: Attempt, number: int) -> Course:
    """Of one round."""
    everything = list(commands(attempt))
    steps = [one for one in everything if one.session.round == number]
    starts = starts_of(attempt)
    start = starts.get(number, attempt.started_at)
    found = ClusterLook.objects.filter(cluster__attempt=attempt, at__gte=start)
    if number + 1 in starts:
        found = found.filter(at__lt=starts[number + 1])
    looks = list(found.order_by("at", "pk"))
    ordinary = ordinary_time_of(attempt, number)
    at = [look.at for look in looks]
    rows = told(attempt, steps[:MOST_STEPS])
    ends = looks[-1].at if looks else start
    scale = Scale(start, max((ends - start).total_seconds(), 60.0))
    lines, most = _lines(looks, scale)
    return Course(
        [Step(row, *_around(row.at, at, looks), scale.x(row.at)) for row in rows],
        len(steps),
        lines,
        most,
        ordinary.at(looks[-1].at, start) if looks else 0,
        [
            Moment(ordinary.at(look.at, start), look, scale.x(look.at))
            for look in _changes(looks)[:MOST_STEPS]
        ],
    )


def _around(
    moment: datetime, at: Sequence[datetime], looks: Sequence[ClusterLook]
) -> tuple[ClusterLook | None, ClusterLook | None]:
    before, after = bisect_right(at, moment), bisect_right(at, moment + SETTLES)
    return (looks[before - 1] if before else None, looks[after - 1] if after else None)


def _counts(look: ClusterLook) -> tuple[int, ...]:
    return look.running, look.waiting, look.gpus, look.up


def _changes(looks: Sequence[ClusterLook]) -> list[ClusterLook]:
    return [
        look for at, look in enumerate(looks) if at == 0 or _counts(look) != _counts(looks[at - 1])
    ]


def _lines(looks: Sequence[ClusterLook], scale: Scale) -> tuple[list[Line], int]:
    """Each value is held until the next look."""
    if not looks:
        return [], 0
    most = max(8, *(max(look.running, look.waiting, look.gpus) for look in looks))
    found = []
    for name, title in SERIES:
        path = ""
        for look in looks:
            x = scale.x(look.at)
            y = round(8 + (1 - getattr(look, name) / most) * (HEIGHT - FOOT - 8), 1)
            path += f"H{x}V{y}" if path else f"M{x} {y}"
        found.append(Line(name, title, f"{path}H{WIDTH - 8}"))
    return found, most


def rows_of(report: Report | None) -> dict[str, list[dict[str, Any]]]:
    """The report's evidence by its kind."""
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for row in (report or {}).get("evidence", []):
        found.setdefault(str(row.get("kind")), []).append(row)
    return found


def _waited(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """How long people waited, with hours and minutes in words; None in a report of before."""
    if not rows:
        return None
    [row] = rows
    return {
        "teams": [_spoken(one) for one in row["rows"] if one["jobs"]],
        "all": _spoken(row["all"]),
        "protected": _spoken(row["protected"]),
    }


def _spoken(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "waited": _hours(row["minutes"]), "longest": _hours(row["longest"])}


def _hours(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def _effects(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What touched others, and how often in all; None in a report of before."""
    if not rows:
        return None
    found = [one for row in rows for one in row["rows"]]
    return {"rows": found, "times": sum(one["times"] for one in found)}


class LiveStaff(TextsReader, StaffWithKey):
    """Clusters that were repaired, and what was written about them."""

    evidence = "reviews/_live_slurm_evidence.html"
    hidden = (
        "So is which fault was mended: counting those is the measure. The key is open to you, and the "
        "commands, what they moved and what was changed in the settings are shown."
    )
    key_page = "reviews/key_live_slurm.html"
    file = KeptFile("notes.json", "Notes", lambda text, ordinary: None)
    act, runs = "command", ("Checks", "The candidate did not press Check.")
    prints = False

    def round(
        self, attempt: Attempt, run: GradingRun | None, held: Corrected, *, sees: bool
    ) -> dict[str, Any]:
        """The record, and with the measures what became of each fault."""
        if run is None:
            return {"shown": None, "before": None}
        rows = rows_of(run.report)
        shown = {
            "course": course(attempt, run.submission.round),
            "events": [
                {"minute": max(0, int(one["at"] // 60)), "what": visible(one["what"])}
                for row in rows["events"]
                for one in row["rows"]
            ],
            "diff": [
                visible(line) for row in rows["settings"] for line in row["diff"].splitlines()
            ],
            "width": WIDTH,
            "height": HEIGHT,
            "left": LEFT,
        }
        if not sees:
            return {"shown": None, "before": shown, "picked": picked_out(run)}
        jobs = [one for row in rows["jobs"] for one in row["rows"]]
        lost = [name for row in rows["jobs"] for name in row["lost"]]
        return {
            "shown": shown
            | {"faults": rows["fault"], "jobs": jobs, "lost": lost}
            | {"battery": [one for row in rows["battery"] for one in row["rows"]]}
            | {"waits": _waited(rows["waits"]), "effects": _effects(rows["effects"])},
            "before": None,
            "texts": read_texts(run, held),
            "unmatched": unmatched(run),
        }

    def sheet(self, attempt: Attempt) -> dict[str, object]:
        """Each fault with its signs and cures, and why the oddities are harmless."""
        return key(DEFAULT, attempt.level, attempt.seed)


KIND = LiveStaff()
