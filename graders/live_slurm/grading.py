"""Grades a script of shell lines by the state in which it leaves a cluster."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, TypeVar

from graders import VERSION
from graders.kinds import Asked, Grader
from graders.live_slurm.assess import assess
from graders.live_slurm.course import Played, play
from graders.live_slurm.handed import CLUSTER, checked, handed_from, judged
from graders.live_slurm.orders import Course, Driver
from graders.live_slurm.prose import WRITTEN, parse
from graders.live_slurm.told import STATE, with_texts
from graders.report import GradeReport, RunReport, Versions, unrun
from graders.written import BadAnswer
from sandbox import Backend, Limits, Outcome, Spec
from scenarios.live_slurm.files import inside
from scenarios.live_slurm.scene import Scene, draw

R = TypeVar("R")
ROOT = "slurm"
ENTRY = "run/cluster.py"
LIMITS = Limits(
    wall_s=1800.0,
    cpu_s=600.0,
    memory_mb=1024,
    pids=512,
    cpus=2.0,
    work_mb=96,
    inodes=8192,
    open_files=1024,
    frame_kb=2048,
    unread_kb=4096,
)
"""What a cluster's profile allows: 512 processes and 1 GiB, beside the room and the time of a terminal."""
MOST_SCRIPT = 100_000


class LiveSlurmGrader(Grader):
    """The answer is a script; it is played on a fresh cluster, and the cluster's state is measured."""

    needs_sandbox = True

    def run_public(self, asked: Asked, workload: str) -> RunReport:
        """How many of the waiting jobs would start, tried on a copy of the cluster; not which."""
        if CLUSTER not in asked.files:
            return unrun("There is no cluster to be tried yet: start the terminal first.")
        course = checked(draw(asked.level, asked.seed), handed_from(asked.files[CLUSTER]))
        driver = Driver(course)
        outcome = _drive(asked.sandbox, driver, asked.cancel)
        if driver.result is None:
            status = "cancelled" if outcome.status == "cancelled" else "sandbox_error"
            detail = driver.trouble or outcome.detail
            return unrun(detail, outcome.backend, status, wall_s=outcome.wall_s)
        return unrun(driver.result.told, outcome.backend, "ok", wall_s=outcome.wall_s)

    def grade(self, asked: Asked) -> GradeReport:
        """A cluster that was kept is judged as it was left; a script is played on a fresh one first.

        Texts are read beside both. Whatever the candidate did is measured; a cluster that does not come up
        is our trouble.
        """
        scene = draw(asked.level, asked.seed)
        try:
            sections = parse(asked.files.get(WRITTEN, ""))
        except BadAnswer as error:
            return _report(asked, "candidate_error", f"Not measured: {error}")
        if CLUSTER in asked.files:
            driver = Driver(judged(scene, handed_from(asked.files[CLUSTER])))
            detail = "Judged on a copy, which was started anew twice."
            return _graded(asked, scene, driver, detail, sections)
        script = asked.files.get(asked.pack.entry, "")
        if len(script) > MOST_SCRIPT or "\0" in script:
            detail = f"A script is text of at most {MOST_SCRIPT} characters: give a shorter one."
            return _report(asked, "candidate_error", detail)
        detail = "Played on a fresh cluster, which was started anew from its files at the end."
        told = sections if WRITTEN in asked.files else None
        return _graded(asked, scene, Driver(play(scene, script)), detail, told)


def _graded(
    asked: Asked,
    scene: Scene,
    driver: Driver[Played],
    detail: str,
    sections: Mapping[str, str] | None = None,
) -> GradeReport:
    """Where a script comes without texts the measures of the texts are left out."""
    outcome = _drive(asked.sandbox, driver, asked.cancel)
    played = driver.result
    if played is None:
        return _report(asked, "infrastructure_error", driver.trouble or outcome.detail, outcome)
    state = [one for one in asked.pack.measures(asked.level) if one.key in STATE]
    measures, evidence = assess(scene, played, state)
    if sections is not None:
        measures, told = with_texts(sections, asked, measures)
        evidence += told
    report = _report(asked, "done", detail, outcome)
    report.measures.extend(measures)
    report.evidence.extend(evidence)
    report.marks.extend(outcome.reduced)
    return report


def run(scene: Scene, script: str, asked: Asked) -> tuple[Outcome, Driver[Played]]:
    """Play the script on a fresh cluster of the scene, in a sandbox of its own."""
    driver = Driver(play(scene, script))
    return _drive(asked.sandbox, driver, asked.cancel), driver


def sandboxed(backend: Backend, course: Course[R]) -> tuple[Outcome, R | None]:
    """Play any course in a sandbox for a cluster; None where it did not come to its end."""
    driver = Driver(course)
    return _drive(backend, driver, None), driver.result


def _drive(backend: Backend, driver: Driver[Any], cancel: threading.Event | None) -> Outcome:
    files = {ENTRY: inside("cluster.py").encode()}
    spec = Spec(files, entry=ENTRY, root=ROOT, limits=LIMITS)
    return backend.run(spec, driver, cancel)


def _report(asked: Asked, status: str, detail: str, outcome: Outcome | None = None) -> GradeReport:
    pack = asked.pack
    return GradeReport(
        pack=pack.name,
        level=asked.level,
        seed=asked.seed,
        status=status,
        detail=detail,
        versions=Versions(
            pack=f"{pack.version}+{pack.digest[:12]}",
            grader=VERSION,
            simulator="",
            sdk="",
            image=outcome.image if outcome else "",
            backend=outcome.backend if outcome else "",
        ),
    )


KIND = LiveSlurmGrader()
