"""Reads workloads.json: the public workloads of one exercise, and the cluster they happen on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scenarios.company.profile import Profile
from scenarios.worlds import Episode, World, load_world

FILE = "workloads.json"
FORMAT = 1


class KitError(ValueError):
    """The kit cannot be used as it is; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class PublicWorkload:
    """One workload that anybody with the kit may play, as often as they like."""

    name: str
    title: str
    family: str
    seed: str


@dataclass(frozen=True)
class Kit:
    """What workloads.json says. `settings` is the depth of the exercise's level."""

    title: str
    level: str
    entry: str
    world: World[Any]
    settings: Any
    profile: Profile
    workloads: Sequence[PublicWorkload]

    def workload(self, name: str) -> PublicWorkload:
        """The workload of that name. Raises KitError with the names there are."""
        for one in self.workloads:
            if one.name == name:
                return one
        names = ", ".join(one.name for one in self.workloads)
        raise KitError(f"There is no workload {name[:40]!r}; there is {names}.")

    def open(self, name: str, *, faults: bool = True) -> Episode:
        """A fresh episode of the workload; without faults no call to the API fails."""
        one = self.workload(name)
        return self.world.open(self.profile, self.settings, one.family, one.seed, faults=faults)


def find_kit(*places: Path) -> Kit:
    """The kit in one of the folders or in one above it, the first that there is.

    Raises KitError if there is none or if it cannot be read.
    """
    for place in places:
        for folder in (place.resolve(), *place.resolve().parents):
            if (folder / FILE).is_file():
                return _read(folder / FILE)
    raise KitError(f"There is no {FILE} here or in a folder above: work inside the unpacked kit.")


def _read(path: Path) -> Kit:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise KitError(f"{path} is of another version: take simulator and file from one kit.")
        return _kit(data)
    except KitError:
        raise
    except OSError as error:
        raise KitError(f"Cannot read {path}: {error.strerror}.") from None
    except (ValueError, LookupError, TypeError, ImportError):
        raise KitError(f"{path} is not as it was made: download the kit again.") from None


def _kit(data: Mapping[str, Any]) -> Kit:
    world = load_world(data["world"])
    return Kit(
        title=data["title"],
        level=data["level"],
        entry=data["entry"],
        world=world,
        settings=world.settings(data["settings"]),
        profile=Profile(**data["profile"]),
        workloads=[PublicWorkload(**row) for row in data["workloads"]],
    )
