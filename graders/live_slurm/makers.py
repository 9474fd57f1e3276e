"""Writes a reference answer for a drawn cluster: a golden's script, and the texts of whoever mended so much."""

from __future__ import annotations

import json

from graders.live_slurm.goldens import GOLDENS
from graders.live_slurm.prose import WRITTEN
from scenarios.live_slurm.faults import Fault
from scenarios.live_slurm.scene import Scene, draw
from scenarios.packs import Pack


def write_golden(pack: Pack, level: str, name: str, seed: int) -> dict[str, str]:
    """Path -> text of a golden's answer to one cluster. Raises KeyError for an unknown golden."""
    scene = draw(level, seed)
    script = GOLDENS[name](scene)
    texts = _texts(scene, [one for one in scene.faults if _mends(script, one)])
    written = json.dumps({"sections": texts}, indent=1, ensure_ascii=False) + "\n"
    return {pack.entry: script, WRITTEN: written}


def _mends(script: str, fault: Fault) -> bool:
    """Whether the whole cure of the fault stands in the script."""
    return {*fault.cure} <= {*script.splitlines()}


def _texts(scene: Scene, mended: list[Fault]) -> dict[str, str]:
    """A block for each cause that was mended; of the others only how many jobs they still keep."""
    keys = {fault.name for fault in mended}
    waits = sum(job.fault not in keys for job in scene.waiting)
    issues = [f"{one.what} It shows in {one.signs[0]}." for one in mended]
    if waits:
        issues.append(f"{waits} jobs still wait, and I have not found out why.")
    done = "mended where it comes from, so that a restart keeps it. squeue showed the jobs begin."
    return {
        "first_look": "sinfo and squeue with the reasons, then the tickets and the changes of the week, then"
        " scontrol show for what the reasons named, and slurmctld.log.",
        "issues": "\n\n".join(issues),
        "done": "\n".join(f"- {one.title}: {done}" for one in mended),
        "people": "The owners of the jobs that waited, before each change. I left fold-prod alone.",
        "prevention": "\n\n".join(f"{one.title}: {one.prevent}" for one in mended),
    }
