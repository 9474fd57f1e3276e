"""Which of the materials a level hands out: a junior gets fewer files, and never less evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scenarios.troubleshooting.materials import Material
from scenarios.troubleshooting.truth import Incident

_LEFT_OUT = (
    r"logs/(nfs01|registry01|ufm01)/.*",
    r"nodes/(mds01|nfs01)/.*",
    r"servers/(mds01|nfs01)/.*",
    r"slurm/(sdiag|scontrol-show-node)\.txt",
    r"storage/(brw_stats|lfs-df)\.txt",
    r"fabric/ibstat\.txt",
)
"""Paths of which a junior's causes and herrings write nothing: servers and statistics beside the story."""
_OF_OTHER_NODES = ("journal.log", "dmesg.txt")
"""What a junior does not get of nodes that were not the job's; what their BMCs say stays."""


def handed_out(incident: Incident, found: Sequence[Material]) -> tuple[Material, ...]:
    """The files of this level, in the order given. A file with evidence is always among them."""
    if incident.settings.level != "junior":
        return tuple(found)
    others = {node.name for node in incident.plant.nodes} - {
        node.name for node in incident.training.nodes
    }
    left_out = [re.compile(pattern) for pattern in _LEFT_OUT]
    kept = []
    for material in found:
        folder, _, name = material.path.rpartition("/")
        spare = name in _OF_OTHER_NODES and folder.rpartition("/")[2] in others
        spare = spare or any(pattern.fullmatch(material.path) for pattern in left_out)
        if not spare or material.document.evidence():
            kept.append(material)
    return tuple(kept)
