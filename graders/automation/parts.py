"""One workload of a grading as plain data, so that workers can share a grading between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graders.anchors import anchor_figures
from graders.playing import OURS, Played
from scenarios.company.profile import Profile
from scenarios.packs import Pack

Figures = Mapping[str, Any]
ERROR_TAIL = 4000
"""Characters of a failed program's error output that the evidence keeps."""


@dataclass(frozen=True, slots=True)
class Part:
    """What became of an answer on one workload, with the anchors' figures of the same one.

    `counts` says whether the program ran and ended by itself; `stopped_at` is in s, None if it
    saw the end. `naive` and `reference` are empty where the sandbox failed. Plain JSON data
    throughout: `Part(**json.loads(json.dumps(part.to_dict())))` is the same part.
    """

    name: str
    title: str
    family: str
    status: str
    detail: str
    stopped_at: int | None
    counts: bool
    stderr: str
    image: str
    backend: str
    marks: list[str]
    figures: Figures
    naive: Figures
    reference: Figures
    replay: dict[str, Any]

    @property
    def ours(self) -> bool:
        """Whether the sandbox failed, which says nothing about the answer."""
        return self.status in OURS

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)


def part_of(pack: Pack, level: str, played: Played, profile: Profile) -> Part:
    """The part of a workload that was played."""
    workload, outcome = played.workload, played.outcome
    ours = outcome.status in OURS
    failed = outcome.status not in ("ok", *OURS)
    anchors = ({}, {}) if ours else anchor_figures(pack, level, workload, profile)
    return Part(
        name=workload.name,
        title=workload.title,
        family=workload.family,
        status=outcome.status,
        detail=played.detail,
        stopped_at=played.stopped_at,
        counts=played.counts,
        stderr=outcome.stderr[-ERROR_TAIL:] if failed else "",
        image=outcome.image,
        backend=outcome.backend,
        marks=list(outcome.reduced),
        figures=played.figures,
        naive=anchors[0],
        reference=anchors[1],
        replay=played.episode.replay(),
    )
