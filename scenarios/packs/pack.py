"""One scenario pack: what its folder says, checked when it is loaded."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from scenarios.packs.documents import Document, fill, read_documents
from scenarios.packs.rubric import Rubric, read_rubric
from scenarios.profile import DEFAULT, Profile
from scenarios.worlds.elastic.workload import FAMILIES

ROOT = Path(__file__).parent
MANIFEST = "pack.toml"
LEVELS = ("junior", "mid", "senior")


class PackNotFound(LookupError):
    """There is no such pack or level; the message is one sentence that says what there is."""


class PackInvalid(ValueError):
    """A pack's folder is wrong; the message is one sentence that names the file and the key."""


@dataclass(frozen=True, slots=True)
class Section:
    """A written part of the answer, beside the code."""

    key: str
    title: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Times:
    """Usual limits in minutes: on site, as take-home, and for the revision round."""

    on_site: int
    take_home: int
    revision: int


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured: `better` is higher or lower, `floor` the least gap between anchors."""

    key: str
    label: str
    unit: str
    better: str
    floor: float
    meaning: str


@dataclass(frozen=True)
class Pack:
    """A pack on disk. `name` is its folder below the packs, `digest` covers every file in it.

    Each method takes a level and raises PackNotFound if the pack does not have it.
    """

    name: str
    folder: Path
    digest: str
    data: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return str(self.data["kind"])

    @property
    def version(self) -> str:
        return str(self.data["version"])

    @property
    def title(self) -> str:
        return str(self.data["title"])

    @property
    def summary(self) -> str:
        return str(self.data["summary"])

    @property
    def entry(self) -> str:
        """The file of an answer that is run."""
        return str(self.data["entry"])

    @property
    def levels(self) -> list[str]:
        return [level for level in LEVELS if level in self.data["levels"]]

    def level(self, level: str) -> Mapping[str, Any]:
        """The level's table of pack.toml."""
        if level not in self.levels:
            there = ", ".join(self.levels)
            raise PackNotFound(f"{self.name} has no level {level!r}; it has {there}.")
        table: Mapping[str, Any] = self.data["levels"][level]
        return table

    def times(self, level: str) -> Times:
        """How long the exercise usually takes."""
        table = self.level(level)
        return Times(table["minutes"], table["takehome_minutes"], table["revision_minutes"])

    def brief(self, level: str, profile: Profile = DEFAULT) -> str:
        """What the candidate is asked to do, as Markdown."""
        return self._text(level, "brief.md", profile)

    def guide(self, level: str, profile: Profile = DEFAULT) -> str:
        """Staff only: what interviewers need, as Markdown."""
        return self._text(level, "guide.md", profile)

    def _text(self, level: str, name: str, profile: Profile) -> str:
        self.level(level)
        path = self.folder / level / name
        return fill(path.read_text(encoding="utf-8"), profile, path)

    def template(self, level: str) -> dict[str, str]:
        """Starter files: path -> text."""
        self.level(level)
        folder = self.folder / level / "template"
        return {
            path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(folder.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }

    def read_only(self, level: str) -> set[str]:
        """Paths of the template that the candidate may read but not change."""
        return set(self.level(level).get("read_only", []))

    def documents(self, level: str, profile: Profile = DEFAULT, seed: int = 0) -> list[Document]:
        """What the candidate is shown, in the order of the tabs."""
        return read_documents(self.folder / level, self.level(level)["documents"], profile, seed)

    def sections(self, level: str) -> list[Section]:
        """The written parts of the answer."""
        return [Section(**row) for row in self.level(level)["sections"]]

    def rubric(self, level: str) -> Rubric:
        """Staff only: criteria with described levels."""
        self.level(level)
        return read_rubric(self.folder / level / "rubric.toml")

    def measures(self, level: str) -> list[Measure]:
        """What a grade consists of."""
        return [Measure(**row) for row in self.level(level)["measures"]]

    def public_workloads(self, level: str) -> list[tuple[str, str]]:
        """(name, title) of the workloads that Run may use."""
        return [(row["name"], row["title"]) for row in self.level(level)["public"]]

    def anchor(self, which: str) -> str:
        """Source of the anchor program: `naive` scores 0 on every measure, `reference` 1."""
        path = self.folder / str(self.data["anchors"][which])
        return path.read_text(encoding="utf-8")


def _digest(folder: Path) -> str:
    total = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            body = path.read_bytes()
            total.update(f"{path.relative_to(folder).as_posix()}\n{len(body)}\n".encode())
            total.update(body)
    return total.hexdigest()


_LEVEL_KEYS = {
    "minutes", "takehome_minutes", "revision_minutes", "hidden", "families", "read_only",
    "public", "documents", "sections", "measures",
}  # fmt: skip
_TOP_KEYS = {"kind", "version", "title", "summary", "entry", "world", "anchors", "levels"}


def _check_keys(where: str, found: Mapping[str, Any], allowed: set[str], needed: set[str]) -> None:
    for key in found:
        if key not in allowed:
            raise PackInvalid(f"{where}: unknown key {key}; remove it or correct its spelling.")
    for key in sorted(needed):
        if key not in found:
            raise PackInvalid(f"{where}: the key {key} is missing.")


def _check(name: str, data: Mapping[str, Any]) -> None:
    where = f"{name}/{MANIFEST}"
    _check_keys(where, data, _TOP_KEYS, _TOP_KEYS)
    for level, table in data["levels"].items():
        here = f"{where} [levels.{level}]"
        if level not in LEVELS:
            raise PackInvalid(f"{here}: a level is one of {', '.join(LEVELS)}.")
        _check_keys(here, table, _LEVEL_KEYS, _LEVEL_KEYS - {"read_only"})
        named = [*table["families"], *(row["family"] for row in table["public"])]
        for family in named:
            if family not in FAMILIES:
                raise PackInvalid(f"{here}: there is no family {family}.")


@lru_cache(maxsize=64)
def _load(folder: Path, root: Path) -> Pack:
    name = folder.relative_to(root).as_posix()
    try:
        data = tomllib.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PackInvalid(f"{name}/{MANIFEST} is not TOML: {error}.") from None
    _check(name, data)
    return Pack(name, folder, _digest(folder), data)


def all_packs(root: Path = ROOT) -> list[Pack]:
    """Every pack below the root, by name. Raises PackInvalid for a broken one."""
    return [_load(path.parent, root) for path in sorted(root.glob(f"*/*/{MANIFEST}"))]


def load_pack(name: str, root: Path = ROOT) -> Pack:
    """The pack of that name. Raises PackNotFound with the names there are."""
    folders = {path.parent.relative_to(root).as_posix() for path in root.glob(f"*/*/{MANIFEST}")}
    if name not in folders:
        there = ", ".join(sorted(folders)) or "none"
        raise PackNotFound(f"There is no pack {name[:80]!r}; there is {there}.")
    return _load(root / name, root)
