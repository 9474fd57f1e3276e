"""Grades a script of shell lines by the state in which it leaves a cluster."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

from graders import VERSION
from graders.kinds import Asked, Grader
from graders.live_slurm.assess import assess
from graders.live_slurm.course import Played, play
from graders.live_slurm.orders import Course, Driver
from graders.report import GradeReport, RunReport, Versions, unrun
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
        """A sentence that says that there is nothing to run."""
        return unrun("There is nothing to run in this exercise: you work on the cluster itself.")

    def grade(self, asked: Asked) -> GradeReport:
        """Whatever the script does is measured; a cluster that does not come up is our trouble."""
        script = asked.files.get(asked.pack.entry, "")
        if len(script) > MOST_SCRIPT or "\0" in script:
            detail = f"A script is text of at most {MOST_SCRIPT} characters: give a shorter one."
            return _report(asked, "candidate_error", detail)
        scene = draw(asked.level, asked.seed)
        outcome, driver = run(scene, script, asked)
        played = driver.result
        if played is None:
            return _report(asked, "infrastructure_error", driver.trouble or outcome.detail, outcome)
        measures, evidence = assess(scene, played, asked.pack.measures(asked.level))
        detail = "Played on a fresh cluster, which was started anew from its files at the end."
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
