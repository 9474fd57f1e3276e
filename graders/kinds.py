"""Which grader serves which kind of pack; everybody who wants a run or a grade asks here."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from graders import grading
from graders.cost import grading as bill
from graders.gpu import grading as training
from graders.grading import Progress
from graders.report import GradeReport, RunReport
from graders.scaling import grading as growth
from graders.troubleshooting import grading as incident
from sandbox import Backend
from scenarios.company.profile import Profile
from scenarios.packs import load_pack

KINDS: Mapping[str, Any] = {
    "automation": grading,
    "gpu": training,
    "troubleshooting": incident,
    "cost": bill,
    "scaling-plan": growth,
}
"""Kind of pack -> module with `run_public` and `grade` of the signatures below."""


def is_parted(pack: str) -> bool:
    """Whether a grade of the pack is assembled from parts that several workers can play."""
    return hasattr(KINDS[load_pack(pack).kind], "assemble")


def needs_sandbox(pack: str) -> bool:
    """Whether grading the pack runs anything of the answer's; a written answer is read, a plan is played."""
    return KINDS[load_pack(pack).kind] not in (incident, bill, growth)


def run_public(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend,
    workload: str = "public-1",
    profile: Profile | None = None,
    cancel: threading.Event | None = None,
) -> RunReport:
    """One public workload with the candidate's files; see the kind's own module.

    Setting `cancel` ends it at once, with the status `cancelled`.
    """
    kind = KINDS[load_pack(pack).kind]
    report: RunReport = kind.run_public(
        pack, level, seed, files, backend, workload, profile, cancel
    )
    return report


def grade(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend | None,
    hidden: int | None = None,
    profile: Profile | None = None,
    progress: Progress | None = None,
    round: int = 1,
    cancel: threading.Event | None = None,
) -> GradeReport:
    """The answer's grade on everything that is hidden of the variant in the round, 1 or 2; see the
    kind's own module.

    `backend` may be None where the pack needs no sandbox. Setting `cancel` ends what runs in a sandbox
    at once; the status is then infrastructure_error, since nothing was graded.
    """
    kind = KINDS[load_pack(pack).kind]
    if not needs_sandbox(pack):
        read: GradeReport = kind.grade(
            pack, level, seed, files, backend, hidden, profile, progress, round
        )
        return read
    report: GradeReport = kind.grade(
        pack, level, seed, files, backend, hidden, profile, progress, round, cancel
    )
    return report
