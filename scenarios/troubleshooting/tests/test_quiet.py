"""Answers that are kept were written for variants without other people's work: those stay what they were."""

from __future__ import annotations

from hashlib import sha256

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.herrings import Changed
from scenarios.troubleshooting.levels import LEVELS, QUIET
from scenarios.troubleshooting.materials import materials
from scenarios.troubleshooting.truth import Incident, make_incident

KEPT = {
    ("mid", 61): ("aa1fafc038ac7658", "8a7b6a934d56eb9b"),
    ("senior", 62): ("898fdc870fb67123", "efa7e7fec439ed28"),
    ("mid", 73): ("6944baf1f1167eba", "c459a90d118d4ceb"),
    ("senior", 74): ("10176159b1315353", "b3858ea632986e6e"),
    ("mid", 622): ("565f45ed8c3cf693", "491dec166f5dcc45"),
    ("senior", 611): ("82772bc2125efe90", "8a9c6c802181d287"),
}
"""Variant -> digests of what was drawn, and of which lines of which files are evidence of what."""


def digests(incident: Incident) -> tuple[str, ...]:
    drawn: list[object] = [
        (one.key, one.fault.places(), round(one.hours, 2)) for one in incident.causes
    ]
    drawn += [(one.key, one.host) for one in incident.herrings]
    shown = sorted(
        (material.path, tag, numbers)
        for material in materials(incident)
        for tag, numbers in material.document.evidence().items()
    )
    return tuple(sha256(repr(one).encode()).hexdigest()[:16] for one in (drawn, shown))


@pytest.mark.parametrize("variant", KEPT, ids=lambda one: f"{one[0]}-{one[1]}")
@pytest.mark.by_day(ids=["mid-61"])
def test_what_kept_answers_were_written_for_is_still_the_same(variant: tuple[str, int]) -> None:
    level, seed = variant
    incident = make_incident(DEFAULT, QUIET[level], seed)
    assert digests(incident) == KEPT[variant]


@pytest.mark.parametrize("level", ["mid", "senior"])
@pytest.mark.nightly
def test_harmless_changes_are_among_what_others_did(level: str) -> None:
    """Each stands in a file that differs and in a change ticket, as causes that somebody set do."""
    met = 0
    for seed in range(4):
        incident = make_incident(DEFAULT, LEVELS[level], seed)
        own = {one.key for one in incident.herrings if isinstance(one, Changed)}
        told: dict[str, set[str]] = {key: set() for key in own}
        for material in materials(incident):
            for key in own & set(material.document.evidence()):
                told[key].add(material.path)
        assert all({"people/changes.txt"} < paths for paths in told.values()), told
        met += len(own)
    assert met >= 4


@pytest.mark.nightly
@pytest.mark.parametrize("level", ["mid", "senior"])
def test_no_herring_stands_in_more_than_a_third_of_variants(level: str) -> None:
    count = 240
    seen: dict[str, int] = {}
    for seed in range(count):
        for herring in make_incident(DEFAULT, LEVELS[level], seed).herrings:
            seen[herring.key] = seen.get(herring.key, 0) + 1
    assert max(seen.values()) <= count / 3, seen
    assert len(seen) >= 34
