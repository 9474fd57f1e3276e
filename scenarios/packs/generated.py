"""Packs whose materials a generator writes: what such a generator has to offer, and how it is found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, runtime_checkable

from scenarios.company.profile import Profile

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class UnknownGenerator(LookupError):
    """There is no such generator, or it is not one; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Written:
    """One file that a generator wrote: its path in the variant, what it is, what its tab is called.

    `before` is the path of the last known good version of this file, "" where there is none.
    """

    path: str
    kind: str
    title: str
    before: str = ""


@runtime_checkable
class Generator(Protocol):
    """The module `scenarios.NAME.variant` of a pack that says `materials = "NAME"`.

    Everything is a pure function of profile, level and seed. Each function raises ValueError with one
    sentence for a profile in which its world cannot stand.
    """

    LEVELS: Sequence[str]
    """The levels that it knows."""
    WORDS: Sequence[str]
    """The placeholders that `words` fills."""
    FACTS: str
    """The name under which the manifest holds `facts`; part of the file's format."""

    def write(self, folder: Path, profile: Profile, level: str, seed: int) -> list[Written]:
        """Write the materials below the folder; tell every file, in the order in which it is shown."""
        ...

    def key(self, profile: Profile, level: str, seed: int) -> dict[str, object]:
        """Staff only: the truth of the variant, as JSON holds it."""
        ...

    def words(self, profile: Profile, level: str, seed: int) -> dict[str, str]:
        """What the placeholders of the pack's texts stand for; a candidate may read all of it."""
        ...

    def facts(self, profile: Profile, level: str, seed: int) -> Mapping[str, object]:
        """What the manifest says of the variant, under the name FACTS; a candidate may read it."""
        ...


@cache
def load_generator(name: str) -> Generator:
    """The generator of that name. Raises UnknownGenerator."""
    package = f"scenarios.{name}"
    known = _NAME.fullmatch(name) and find_spec(package) and find_spec(f"{package}.variant")
    if not known:
        raise UnknownGenerator(f"No generator {name[:40]!r}: scenarios/NAME/variant.py is one.")
    found = import_module(f"{package}.variant")
    if not isinstance(found, Generator):
        raise UnknownGenerator(
            f"scenarios/{name}/variant.py is no generator: it needs LEVELS, WORDS, FACTS, "
            "write, key, words and facts."
        )
    return found
