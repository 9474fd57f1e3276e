"""What a run and a grade tell: plain data, with every figure's origin; computes nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from graders.measures import Measured, total
from sandbox import Outcome

Json = dict[str, Any]

EMPTY_TIMELINE: Json = {"t": [], "series": [], "marks": [], "gantt": {"rows": [], "bars": []}}
"""The replay of nothing (see `scenarios.worlds.timeline`)."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """One public workload: the sandbox's status, what was printed, measured and drawn.

    `marks` names every limit that was weaker than it should be; times in s, of which `waited_s` were
    spent waiting for a processor or for us and did not count.
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
    waited_s: float = 0.0

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


def run_report(
    outcome: Outcome,
    detail: str,
    marks: list[str],
    measures: list[Measured],
    timeline: Json,
) -> RunReport:
    """The report of what the sandbox ran."""
    return RunReport(
        status=outcome.status,
        detail=detail,
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        stdout_truncated=outcome.stdout_truncated,
        wall_s=round(outcome.wall_s, 3),
        cpu_s=round(outcome.cpu_s, 3),
        calls=outcome.calls,
        backend=outcome.backend,
        marks=marks,
        measures=measures,
        timeline=timeline,
        waited_s=round(outcome.waited_s, 3),
    )


def unrun(
    detail: str,
    backend: str = "none",
    status: str = "candidate_error",
    timeline: Json = EMPTY_TIMELINE,
    wall_s: float = 0.0,
    cpu_s: float = 0.0,
) -> RunReport:
    """The report where no program was run: nothing was printed and nothing measured."""
    return RunReport(
        status,
        detail,
        "",
        "",
        False,
        round(wall_s, 3),
        round(cpu_s, 3),
        0,
        backend,
        [],
        [],
        timeline,
    )


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

    `score` averages the measures, each cut to 0..1 first, and is None when nothing could
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
