"""What a run and a grade tell: plain data, with every figure's origin; computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from graders.measures import Measured, total

Json = dict[str, Any]

SERIES = (
    ("queue_high", "High priority waiting", "jobs", "queue"),
    ("queue_normal", "Normal waiting", "jobs", "queue"),
    ("queue_low", "Low priority waiting", "jobs", "queue"),
    ("nodes_ondemand", "On-demand nodes up", "nodes", "nodes"),
    ("nodes_spot", "Spot nodes up", "nodes", "nodes"),
    ("nodes_starting", "Nodes starting", "nodes", "nodes"),
    ("gpus_busy", "GPUs busy", "GPUs", "gpus"),
    ("gpus_total", "GPUs up", "GPUs", "gpus"),
    ("cost", "Spent so far", "USD", "cost"),
)
"""Key, label, unit and chart of each series."""


def timeline(times: Sequence[int], columns: Mapping[str, Sequence[float]], marks: Any) -> Json:
    """One time axis in s, its series, and the marks on it."""
    return {
        "t": list(times),
        "series": [
            {"key": key, "label": label, "unit": unit, "group": group, "values": list(columns[key])}
            for key, label, unit, group in SERIES
        ],
        "marks": [{"t": mark.t, "kind": mark.kind, "text": mark.text} for mark in marks],
    }


@dataclass(frozen=True, slots=True)
class RunReport:
    """One public day: the sandbox's status, what was printed, measured and drawn.

    `marks` names every limit that was weaker than it should be; times in s.
    """

    status: str
    detail: str
    stdout: str
    stderr: str
    stdout_truncated: bool
    wall_s: float
    cpu_s: float
    calls: int
    backend: str
    marks: list[str]
    measures: list[Measured]
    timeline: Json

    def to_dict(self) -> Json:
        """Plain JSON data, as the workspace shows it."""
        plain = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("measures", "timeline")
        }
        return {
            **plain,
            "measures": [measured.to_dict() for measured in self.measures],
            "score": total(self.measures),
            "timeline": self.timeline,
        }


@dataclass(frozen=True, slots=True)
class Versions:
    """Everything a grade depends on besides the answer and the seed."""

    pack: str
    grader: str
    simulator: str
    sdk: str
    image: str
    backend: str


@dataclass(frozen=True, slots=True)
class GradeReport:
    """A whole grade. `status` is done, candidate_error or infrastructure_error.

    `score` is the mean of the measures, each clipped to 0..1, and None when nothing could
    be measured. There is no wall-clock figure in it: same inputs, same bytes.
    """

    pack: str
    level: str
    seed: int
    status: str
    detail: str
    versions: Versions
    measures: list[Measured] = field(default_factory=list)
    evidence: list[Json] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)

    @property
    def score(self) -> float | None:
        return total(self.measures)

    def to_dict(self) -> Json:
        """Exactly the object that `python -m graders grade --json` prints."""
        return {
            "pack": self.pack,
            "level": self.level,
            "seed": self.seed,
            "measures": [measured.to_dict() for measured in self.measures],
            "evidence": self.evidence,
            "score": self.score,
            "status": self.status,
            "detail": self.detail,
            "marks": self.marks,
            "versions": asdict(self.versions),
        }
