"""Ten clusters of every level, each repaired by every golden script; goes on where it stopped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from benchmarks.written_variants import Calibration, Case, Row, digest_of
from graders.backend import backend_from_environment
from graders.kinds import Asked
from graders.live_slurm.goldens import GOLDENS
from graders.live_slurm.grading import LiveSlurmGrader
from graders.troubleshooting.calibration import missed
from sandbox import Backend
from scenarios.live_slurm.scene import draw
from scenarios.packs import Pack, load_pack

SEEDS = tuple(range(101, 111))
"""Ten seeds that no test uses: a cluster takes most of a minute for each golden."""
_SOURCES = (
    "graders/live_slurm",
    "scenarios/live_slurm",
    "scenarios/packs/troubleshooting/jobs-do-not-start/goldens",
)


@cache
def _backend() -> Backend:
    return backend_from_environment()


def sources() -> str:
    """Hash of everything on which a cluster and its grades depend."""
    return digest_of(_SOURCES, (".py", ".toml", ".conf", ".sh"), ("tests", "__pycache__"))


def _row(case: Case) -> Row:
    name, level, seed = case
    pack, scene = load_pack(name), draw(level, seed)
    found: dict[str, Any] = {}
    for golden, script in GOLDENS.items():
        files = {pack.entry: script(scene)}
        report = LiveSlurmGrader().grade(Asked(pack, level, seed, files, _backend()))
        if report.status != "done":
            raise RuntimeError(f"{name} {level} {seed} {golden}: {report.detail}")
        measures = {one.measure.key: one.value for one in report.measures}
        found[golden] = {"score": report.score, "measures": measures}
    faults = [fault.name for fault in scene.faults]
    return {"goldens": found, "checks": {}, "variant": {"faults": faults}}


def _short(row: Row) -> str:
    return " ".join(f"{name} {one['score']:.2f}" for name, one in row["goldens"].items())


calibrate = Calibration(_row, _short, sources, SEEDS).calibrate
"""Some two hours for one process."""


def faults(pack: Pack, data: Mapping[str, Any]) -> list[str]:
    """One sentence for each of the pack's bars that the kept result misses."""
    said = []
    for level in pack.levels:
        rows = data["table"].get(level, {})
        if len(rows) < len(SEEDS):
            said.append(f"{level}: {len(rows)} of {len(SEEDS)} clusters played.")
        goldens = {seed: row["goldens"] for seed, row in rows.items()}
        said += [f"{level}: {one}" for one in missed(pack, goldens)]
    return said
