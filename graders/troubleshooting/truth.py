"""What the grader knows of one variant: causes, herrings, where they stand, and every line of every file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from graders.troubleshooting.identities import Identities, identities
from graders.troubleshooting.places import (
    Spot,
    machines,
    spot_of_fault,
    spot_of_herring,
    tickets,
)
from graders.troubleshooting.values import Reading, readings
from scenarios.company.profile import Profile
from scenarios.troubleshooting.calendar import STARTUP
from scenarios.troubleshooting.handout import handed_out
from scenarios.troubleshooting.key import CauseKey, HerringKey, Key, make_key
from scenarios.troubleshooting.levels import LEVELS, Settings
from scenarios.troubleshooting.materials import Material, materials
from scenarios.troubleshooting.truth import make_incident

_HOUR = 3_600_000


@dataclass(frozen=True)
class File:
    """One material: its lines, whose lines they are, and whether it helps to divide the lost time."""

    text: str
    splits: bool
    shows: Mapping[str, frozenset[int]]

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def around(self, line: int, count: int, within: int) -> list[str]:
        """Keys of which a line stands among these `count` lines from `line` on or so near to them."""
        span = range(line - within, line + count + within)
        return [key for key, numbers in self.shows.items() if any(n in numbers for n in span)]


@dataclass(frozen=True)
class Truth:
    """One variant as the grader sees it. Hours; `totals` are durations of whole runs, which explain nothing."""

    level: str
    key: Key
    spots: Mapping[str, Spot]
    machines: Mapping[str, frozenset[str]]
    files: Mapping[str, File]
    totals: tuple[float, ...]
    identities: Identities

    @property
    def gap(self) -> float:
        return self.key.gap_hours

    @cached_property
    def names(self) -> frozenset[str]:
        """Every machine of the plant."""
        return frozenset(name for names in self.machines.values() for name in names)

    @cached_property
    def causes(self) -> dict[str, CauseKey]:
        return {cause.key: cause for cause in self.key.causes}

    @cached_property
    def herrings(self) -> dict[str, HerringKey]:
        return {herring.key: herring for herring in self.key.herrings}

    @cached_property
    def readings(self) -> Mapping[str, frozenset[Reading]]:
        """Cause -> readings in the lines and charts that show it."""
        found: dict[str, set[Reading]] = {key: set() for key in self.causes}
        for file in self.files.values():
            for key in found.keys() & file.shows.keys():
                for number in sorted(file.shows[key])[:_FEW]:
                    found[key].update(value for _, value in readings(file.lines[number - 1]))
        for key, cause in self.causes.items():
            for chart in cause.charts:
                found[key].update(value for _, value in readings(chart.shows))
        return {key: frozenset(values) for key, values in found.items()}

    @cached_property
    def telling(self) -> dict[str, frozenset[str]]:
        """Key -> what its lines say, blanks made even; short lines say too little."""
        found: dict[str, set[str]] = {}
        for file in self.files.values():
            for key, numbers in file.shows.items():
                texts = (even(file.lines[number - 1]) for number in sorted(numbers)[:400])
                found.setdefault(key, set()).update(text for text in texts if len(text) >= 15)
        return {key: frozenset(texts) for key, texts in found.items()}


_FEW = 40
"""Lines of one cause that are looked at in each file: they say the same over and over."""


def even(text: str) -> str:
    """The text with every run of blanks as one."""
    return " ".join(text.split())


@lru_cache(maxsize=4)
def truth_of(profile: Profile, level: str, seed: int, settings: Settings | None = None) -> Truth:
    """The variant's truth (2 to 3 s, about 15 MB), drawn as the level is unless settings are given.

    Raises ValueError where the profile has no room for it.
    """
    incident = make_incident(profile, settings or LEVELS[level], seed)
    found = handed_out(incident, materials(incident))
    key = make_key(incident, found)
    numbers = tickets(incident)
    spots = {c.key: spot_of_fault(c.fault, incident, numbers) for c in incident.causes}
    spots |= {h.key: spot_of_herring(h, incident, numbers) for h in incident.herrings}
    before = incident.baseline.hours
    steps = (
        incident.run.hours,
        before,
        incident.run.hours + STARTUP / _HOUR,
        before + STARTUP / _HOUR,
    )
    return Truth(
        level=level,
        key=key,
        spots=spots,
        machines=machines(incident),
        files={material.path: _file(material) for material in found},
        totals=tuple(round(hours, 3) for hours in steps),
        identities=identities(incident, key.causes),
    )


def _file(material: Material) -> File:
    document = material.document
    shows = {key: frozenset(numbers) for key, numbers in document.evidence().items()}
    return File("\n".join(line.text for line in document.lines), material.splits, shows)
