"""Writes what a candidate gets to read of one broken cluster, and tells its key."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from scenarios.company.profile import Profile
from scenarios.live_slurm import scene
from scenarios.live_slurm.faults import Fault
from scenarios.live_slurm.files import edited, healthy
from scenarios.live_slurm.scene import Scene, draw
from scenarios.packs.generated import Written

LEVELS = tuple(scene.LEVELS)
WORDS: tuple[str, ...] = ()
FACTS = "cluster"
OWN_CLUSTER = "osprey"
"""Six nodes for every company: as many real daemons as one sandbox holds."""
_ROUTINE = (
    "image of the login node rebuilt",
    "certificates of the wiki renewed",
    "quota of vision raised by 2 TB",
    "dashboard of the queue moved to the new host",
    "gus added to the students' group",
)


def write(folder: Path, profile: Profile, level: str, seed: int) -> list[Written]:
    """Tickets, changes and the settings as they lie on the cluster."""
    drawn = draw(level, seed)
    texts = {"tickets.md": ("markdown", "Tickets", tickets(drawn))}
    texts["changes.md"] = ("markdown", "Changes", changes(drawn))
    for name, text in edited(healthy(), drawn.edits(unread=False)).items():
        texts[f"slurm/{name}"] = ("config", name, text)
    found = []
    for path, (kind, title, text) in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="\n")
        found.append(Written(path, kind, title))
    return found


def key(profile: Profile, level: str, seed: int) -> dict[str, object]:
    """Each fault with its signs and cures, and why the oddities are harmless."""
    drawn = draw(level, seed)
    return {
        "faults": [_fault(fault) for fault in drawn.faults],
        "oddities": [
            {"key": one.name, "title": one.title, "clears": one.clears} for one in drawn.oddities
        ],
    }


def words(profile: Profile, level: str, seed: int) -> dict[str, str]:
    """The pack's texts have no places to fill: its cluster is always the same six nodes."""
    return {}


def facts(profile: Profile, level: str, seed: int) -> Mapping[str, object]:
    """How many jobs wait."""
    return {"waiting": len(draw(level, seed).waiting)}


def _fault(fault: Fault) -> dict[str, object]:
    return {
        "key": fault.name,
        "family": fault.family,
        "title": fault.title,
        "what": fault.what,
        "signs": list(fault.signs),
        "cure": list(fault.cure),
        "until_restart": list(fault.running),
        "restart_is_enough": fault.restart_cures,
        "prevent": fault.prevent,
    }


def tickets(drawn: Scene) -> str:
    """What people have written, in an order that tells nothing."""
    said = [fault.ticket for fault in drawn.faults]
    said += [one.said for fault in drawn.faults for one in fault.holders]
    said += [
        "emil: fold-prod serves the hospital until Friday. Please do not touch it, nor gpu-n006",
        "ana: vit-pretrain has to go on, the deadline is on Thursday",
    ]
    rng = random.Random(f"tickets {drawn.level} {drawn.seed}")  # noqa: S311 - an order, and no secret
    rng.shuffle(said)
    rows = [
        f"**HPC-{1201 + 3 * number}**, {one.partition(': ')[0]}\n\n> {one.partition(': ')[2]}\n"
        for number, one in enumerate(said)
    ]
    return "# Tickets\n\n" + "\n".join(rows)


def changes(drawn: Scene) -> str:
    """What was done this week, among it what broke something."""
    rng = random.Random(f"changes {drawn.level} {drawn.seed}")  # noqa: S311 - an order, and no secret
    done = [fault.change for fault in drawn.faults if fault.change] + rng.sample(_ROUTINE, 3)
    rng.shuffle(done)
    times = sorted((rng.randrange(3), 8 + rng.randrange(10), rng.randrange(60)) for _ in done)
    rows = [
        f"| {('Mon', 'Tue', 'Wed')[day]} {hour:02}:{minute:02} | {what} |"
        for (day, hour, minute), what in zip(times, done, strict=True)
    ]
    return "\n".join(["# Changes of this week", "", "| when | what |", "|---|---|", *rows, ""])
