"""The catalogue of exercises: what each pack asks, how long it takes, what it measures, and a graded sample."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from library.models import Seniority
from library.packs import pack_of
from scenarios.kinds import Kind, kind_of
from scenarios.packs import Pack, Times, all_packs

SAMPLES = Path(__file__).parent / "samples"
PICTURE = "library/packs/{}.svg"
DRAWN = Path(__file__).parent / "static"
NO_PICTURE = "headnode/icon.svg"


@dataclass(frozen=True)
class Entry:
    """One pack as somebody chooses it. Times are minutes, by level."""

    pack: Pack
    kind: Kind
    times: Mapping[str, Times]

    @property
    def name(self) -> str:
        return self.pack.name

    @property
    def slug(self) -> str:
        """The name within its kind, as addresses have it."""
        return self.name.partition("/")[2]

    @property
    def title(self) -> str:
        return self.pack.title

    @property
    def picture(self) -> str:
        """Path of the static file; the house's mark for a pack that brought no picture."""
        path = PICTURE.format(self.name)
        return path if (DRAWN / path).is_file() else NO_PICTURE

    @property
    def by_level(self) -> list[tuple[str, Times]]:
        """(level as people read it, times), juniors first."""
        return [(str(Seniority(level).label), times) for level, times in self.times.items()]

    @property
    def minutes(self) -> str:
        """Minutes of work on site over all levels, "40" or "40 to 60"."""
        found = sorted({times.on_site for times in self.times.values()})
        return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"

    def hidden(self, level: str) -> int | None:
        """How many hidden workloads the pack needs to be fair; None where nothing is run."""
        return int(self.pack.level(level).get("hidden", 0)) or None if self.kind.is_run else None


@dataclass(frozen=True)
class Sample:
    """A reference answer with the report that a machine gave of it, as it was kept."""

    level: str
    score: float | None
    measures: list[dict[str, Any]]
    answer: dict[str, str]
    versions: dict[str, Any]
    briefs: dict[str, str]
    """By level, where drawing one would keep a page waiting."""
    is_of_now: bool
    """Whether the pack is still the one that it was graded with."""


def entries() -> list[Entry]:
    """Every pack on disk, by kind and name."""
    return [entry_of(pack.name) for pack in all_packs()]


@cache
def entry_of(name: str) -> Entry:
    """The pack of that name. Raises PackNotFound."""
    pack = pack_of(name)
    return Entry(pack, kind_of(pack.kind), {level: pack.times(level) for level in pack.levels})


def brief_of(entry: Entry, level: str) -> str:
    """What the candidate reads, as Markdown: kept with the sample where the pack is still the same."""
    sample = sample_of(entry.name)
    kept = sample.briefs.get(level, "") if sample and sample.is_of_now else ""
    return kept or entry.pack.brief(level)


@cache
def sample_of(name: str) -> Sample | None:
    """The pack's sample; None where none was graded yet."""
    path = SAMPLES / f"{name}.json"
    if not path.is_file():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    return Sample(
        level=data["level"],
        score=data["score"],
        measures=data["measures"],
        answer=data["answer"],
        versions=data["versions"],
        briefs=data["briefs"],
        is_of_now=data["digest"] == pack_of(name).digest,
    )
