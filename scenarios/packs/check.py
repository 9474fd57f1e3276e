"""Says what is wrong with a pack's manifest, by key, before anything uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.worlds import UnknownWorld, load_world

MANIFEST = "pack.toml"
LEVELS = ("junior", "mid", "senior")


class PackInvalid(ValueError):
    """A pack's folder is wrong; the message is one sentence that names the file and the key."""


_TOP_KEYS = {"kind", "version", "title", "summary", "entry", "anchors", "levels"}
_LEVEL_KEYS = {
    "minutes", "takehome_minutes", "revision_minutes", "public", "documents", "sections",
    "measures",
}  # fmt: skip
_LEVEL_MAY = {"read_only", "settings", "hidden", "families"}
_WORLD_NEEDS = {"hidden", "families"}


def _check_keys(where: str, found: Mapping[str, Any], allowed: set[str], needed: set[str]) -> None:
    for key in found:
        if key not in allowed:
            raise PackInvalid(f"{where}: unknown key {key}; remove it or correct its spelling.")
    for key in sorted(needed):
        if key not in found:
            raise PackInvalid(f"{where}: the key {key} is missing.")


def check_manifest(name: str, data: Mapping[str, Any]) -> None:
    """Raise PackInvalid for the first thing that is wrong in the pack of that name."""
    where = f"{name}/{MANIFEST}"
    _check_keys(where, data, _TOP_KEYS | {"world"}, _TOP_KEYS)
    needs = _LEVEL_KEYS | (_WORLD_NEEDS if "world" in data else set())
    for level, table in data["levels"].items():
        here = f"{where} [levels.{level}]"
        if level not in LEVELS:
            raise PackInvalid(f"{here}: a level is one of {', '.join(LEVELS)}.")
        _check_keys(here, table, _LEVEL_KEYS | _LEVEL_MAY, needs)
        if "world" in data:
            _check_world(where, here, str(data["world"]), table)


def _check_world(where: str, here: str, name: str, table: Mapping[str, Any]) -> None:
    try:
        world = load_world(name)
        world.settings(table.get("settings", {}))
    except UnknownWorld as error:
        raise PackInvalid(f"{where}: {error}") from None
    except ValueError as error:
        raise PackInvalid(f"{here}: {error}") from None
    for family in [*table["families"], *(row["family"] for row in table["public"])]:
        if family not in world.families:
            raise PackInvalid(f"{here}: there is no family {family}.")
    for row in table["measures"]:
        if row["key"] not in world.measures:
            raise PackInvalid(f"{here}: the world {name} has no measure {row['key']}.")
