"""Says what is wrong with a pack's manifest, by key, before anything uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.company.profile import GPU_MODELS
from scenarios.kinds import UnknownKind, kind_of
from scenarios.packs.generated import UnknownGenerator, load_generator
from scenarios.worlds import UnknownWorld, load_world

MANIFEST = "pack.toml"
LEVELS = ("junior", "mid", "senior")


class PackInvalid(ValueError):
    """A pack's folder is wrong; the message is one sentence that names the file and the key."""


_WRITTEN_TOP_KEYS = {"kind", "version", "title", "summary", "entry", "levels"}
_TOP_KEYS = _WRITTEN_TOP_KEYS | {"anchors"}
_WRITTEN_LEVEL_KEYS = {
    "minutes",
    "takehome_minutes",
    "revision_minutes",
    "documents",
    "sections",
}
_LEVEL_KEYS = _WRITTEN_LEVEL_KEYS | {"public", "measures"}
_LEVEL_MAY = {"read_only", "settings", "hidden", "families"}
_WORLD_NEEDS = {"hidden", "families"}
_RUN_KEYS = {"public", "hidden", "families", "settings"}


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
    try:
        kind_of(str(data.get("kind")))
    except UnknownKind as error:
        raise PackInvalid(f"{where}: {error}") from None
    for model in data.get("accelerators", []):
        if model not in GPU_MODELS:
            raise PackInvalid(f"{where}: accelerators names {model}, which nobody knows.")
    if "materials" in data:
        _check_written(where, data)
        return
    _check_keys(where, data, _TOP_KEYS | {"world", "accelerators"}, _TOP_KEYS)
    needs = _LEVEL_KEYS | (_WORLD_NEEDS if "world" in data else set())
    for level, table in data["levels"].items():
        here = _level(where, level)
        _check_keys(here, table, _LEVEL_KEYS | _LEVEL_MAY, needs)
        if "world" in data:
            _check_world(where, here, str(data["world"]), table)


def _level(where: str, level: str) -> str:
    """Where the level's table stands, as messages name it."""
    here = f"{where} [levels.{level}]"
    if level not in LEVELS:
        raise PackInvalid(f"{here}: a level is one of {', '.join(LEVELS)}.")
    return here


def _check_written(where: str, data: Mapping[str, Any]) -> None:
    """A pack whose materials are generated: nothing runs, so it has neither world nor workloads."""
    for key in ("world", "anchors"):
        if key in data:
            raise PackInvalid(
                f"{where}: {key} belongs to packs in which a program runs; a pack with materials has none."
            )
    _check_keys(where, data, _WRITTEN_TOP_KEYS | {"materials", "accelerators"}, _WRITTEN_TOP_KEYS)
    try:
        generator = load_generator(str(data["materials"]))
    except UnknownGenerator as error:
        raise PackInvalid(f"{where}: {error}") from None
    for level, table in data["levels"].items():
        here = _level(where, level)
        if level not in generator.LEVELS:
            raise PackInvalid(f"{here}: the generator {data['materials']} has no such level.")
        for key in sorted(_RUN_KEYS & table.keys()):
            raise PackInvalid(f"{here}: {key} belongs to packs in which a program runs; remove it.")
        _check_keys(
            here, table, _WRITTEN_LEVEL_KEYS | {"read_only", "measures"}, _WRITTEN_LEVEL_KEYS
        )


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
