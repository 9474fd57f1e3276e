"""Variants that the tests of texts and key look at, each built once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.key import Key, make_key
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.materials import Material, host_materials, job_materials
from scenarios.troubleshooting.truth import Incident, make_incident

EVERY = tuple((level, seed) for level in LEVELS for seed in range(5))
WHOLE = tuple((level, seed) for level in LEVELS for seed in range(2))
"""Variants of which the machines' logs are written too."""


@dataclass(frozen=True)
class Built:
    """An incident with what was written about it."""

    incident: Incident
    materials: tuple[Material, ...]
    key: Key

    @cached_property
    def texts(self) -> dict[str, str]:
        return {material.path: material.document.text() for material in self.materials}

    def lines(self, path: str) -> list[str]:
        return self.texts[path].splitlines()


@cache
def build_jobs(level: str, seed: int) -> Built:
    """Without what belongs to single machines."""
    incident = make_incident(DEFAULT, LEVELS[level], seed)
    found = job_materials(incident)
    return Built(incident, found, make_key(incident, found))


@cache
def build(level: str, seed: int) -> Built:
    jobs = build_jobs(level, seed)
    found = (*jobs.materials, *host_materials(jobs.incident))
    return Built(jobs.incident, found, make_key(jobs.incident, found))
