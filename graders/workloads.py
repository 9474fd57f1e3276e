"""Which workloads an answer is run on: named, and derived from the variant's seed by a keyed hash."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from scenarios.company.profile import Profile
from scenarios.packs import Pack
from scenarios.worlds import Episode, Figures, load_world

HIDDEN_KEY = b"headnode hidden workloads v1"
PUBLIC_KEY = b"headnode public workloads v1"
"""Separate keys: knowing a public day's seed says nothing about any hidden one's."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One span of a world (a day, say): seed, family, settings and the profile decide it."""

    name: str
    title: str
    family: str
    seed: str
    world: str
    settings: Any

    def open(self, profile: Profile, *, faults: bool = True) -> Episode:
        """A fresh episode of it."""
        opened = load_world(self.world).open
        return opened(profile, self.settings, self.family, self.seed, faults=faults)

    def bound(self, profile: Profile) -> Figures:
        """Figures with knowledge of the future. Raises LookupError where the world has no bound."""
        bound = load_world(self.world).bound
        if bound is None:
            raise LookupError(f"The world {self.world} computes no bound.")
        return bound(profile, self.settings, self.family, self.seed)


def _derive(key: bytes, *parts: object) -> str:
    text = "\n".join(str(part) for part in parts)
    return blake2b(text.encode(), key=key, digest_size=16).hexdigest()


def hidden_key(key: bytes, round: int) -> bytes:
    """The key for a round's hidden draws. The revision meets others of the same families, so that
    nothing learnt of the first answer's helps it."""
    return key if round == 1 else key + f" round {round}".encode()


def hidden_name(round: int, number: int) -> str:
    """A hidden workload's name, which says its round as well."""
    return f"hidden-{number}" if round == 1 else f"hidden-{round}-{number}"


def hidden_title(span: str, round: int, number: int) -> str:
    """As pages show it; `span` is what a workload lasts, or is."""
    return f"Hidden {span} {number}" + (" of the revision" if round != 1 else "")


def hidden_workloads(
    pack: Pack, level: str, seed: int, count: int | None = None, round: int = 1
) -> list[Workload]:
    """The hidden workloads of a variant: the pack's families in turn, at least the pack's number.

    Raises ValueError when fewer than one is asked for.
    """
    table, span = pack.level(level), pack.world.span
    wanted = int(table["hidden"]) if count is None else count
    if not 1 <= wanted <= 100:
        raise ValueError("The number of hidden workloads must be from 1 to 100.")
    families = table["families"]
    return [
        Workload(
            hidden_name(round, number),
            hidden_title(span, round, number),
            families[(number - 1) % len(families)],
            _derive(hidden_key(HIDDEN_KEY, round), pack.name, level, seed, number),
            pack.world.name,
            pack.settings(level),
        )
        for number in range(1, wanted + 1)
    ]


def public_workload(pack: Pack, level: str, seed: int, name: str) -> Workload:
    """A workload the candidate may run on. Raises ValueError for a name the pack does not have."""
    for row in pack.level(level)["public"]:
        if row["name"] == name:
            day = _derive(PUBLIC_KEY, pack.name, level, seed, name)
            settings = pack.settings(level)
            return Workload(name, row["title"], row["family"], day, pack.world.name, settings)
    names = ", ".join(known for known, _ in pack.public_workloads(level))
    raise ValueError(f"There is no workload {name[:40]!r}; there is {names}.")
