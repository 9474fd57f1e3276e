"""One scenario pack: what its folder says, checked when it is loaded."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scenarios.company.profile import DEFAULT, Profile
from scenarios.company.profile.money import DOLLAR, in_currency
from scenarios.kinds import DRAFTS
from scenarios.packs.check import LEVELS, MANIFEST, PackInvalid, check_manifest
from scenarios.packs.documents import Document, Maker, fill, read_documents
from scenarios.packs.generated import Generator, load_generator
from scenarios.packs.rubric import Rubric, read_rubric
from scenarios.worlds import World, load_world

ROOT = Path(__file__).parent
PRACTICE = "practice"
"""First part of the names of what the practice room shows: packs in no list, in a folder beside these."""


class PackNotFound(LookupError):
    """There is no such pack or level; the message is one sentence that says what there is."""


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
    """What is measured: `better` is higher or lower, `floor` the least gap between anchors.

    `ceiling`, 0 to 1, marks a measure of what the exercise is about: without it the total comes to no
    more than that, however good everything else is.
    """

    key: str
    label: str
    unit: str
    better: str
    floor: float
    meaning: str
    ceiling: float = 1.0


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
    def is_draft(self) -> bool:
        """Whether its kind is one that candidates cannot work at yet."""
        return self.kind in {kind.key for kind in DRAFTS}

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
    def world(self) -> World[Any]:
        """The simulated cluster that the pack is played on."""
        return load_world(str(self.data["world"]))

    @property
    def generator(self) -> Generator | None:
        """What writes the materials of a pack in which nothing runs; None for the others."""
        return load_generator(str(self.data["materials"])) if "materials" in self.data else None

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

    def settings(self, level: str) -> Any:
        """What the level sets of its world, in the world's own type."""
        return self.world.settings(self.level(level).get("settings", {}))

    def refusal(self, profile: Profile) -> str:
        """Why the pack cannot be played on the company's accelerators, one sentence; "" where it can."""
        able = self.data.get("accelerators")
        if able is None or profile.gpu in able:
            return ""
        return (
            f"{self.title} is played on {joined(able)}, whose tools and faults it shows: {profile.cluster}"
            f" has {profile.gpu}, so choose another exercise for this company or another company for it."
        )

    def words(self, level: str, profile: Profile = DEFAULT, seed: int = 0) -> Mapping[str, str]:
        """What the placeholders of the level's texts stand for; the seed only counts where it is generated.

        Raises ValueError for a company on whose accelerators the pack cannot be played.
        """
        if said := self.refusal(profile):
            raise ValueError(said)
        if self.generator:
            return _words(str(self.data["materials"]), profile, level, seed)
        if "world" not in self.data:
            return {"cluster": profile.cluster}
        times = self.times(level)
        return {
            **self.world.words(profile, self.settings(level)),
            "minutes_on_site": str(times.on_site),
            "minutes_take_home": str(times.take_home),
            "minutes_revision": str(times.revision),
        }

    def times(self, level: str) -> Times:
        """How long the exercise usually takes."""
        table = self.level(level)
        return Times(table["minutes"], table["takehome_minutes"], table["revision_minutes"])

    def brief(self, level: str, profile: Profile = DEFAULT, seed: int = 0) -> str:
        """What the candidate is asked to do, as Markdown; says so where it is not about the whole fleet."""
        text = self._text(level, "brief.md", profile, seed)
        if self.own_cluster and self.own_cluster != profile.cluster:
            said = OF_ITS_OWN.format(own=self.own_cluster, cluster=profile.cluster)
        elif self.shows_part(profile):
            said = IN_PART.format(cluster=profile.cluster)
        else:
            return text
        head, _, rest = text.partition("\n")
        return f"{head}\n\n{said}\n{rest}"

    @property
    def own_cluster(self) -> str:
        """The cluster that stands here for every company; "" where the company's own is shown."""
        return str(getattr(self.generator, "OWN_CLUSTER", ""))

    def shows_part(self, profile: Profile) -> bool:
        """Whether the company has more machines than a candidate gets to see."""
        if self.own_cluster:
            return False
        if most := getattr(self.generator, "MOST_GPUS", 0):
            return sum(one.count * one.gpus for one in profile.node_types) > most
        return bool(self.generator or "world" in self.data) and profile.fleet_nodes > profile.nodes

    def guide(self, level: str, profile: Profile = DEFAULT, seed: int = 0) -> str:
        """Staff only: what interviewers need, as Markdown."""
        return self._text(level, "guide.md", profile, seed)

    def _text(self, level: str, name: str, profile: Profile, seed: int) -> str:
        self.level(level)
        path = self.folder / level / name
        text = fill(path.read_text(encoding="utf-8"), self.words(level, profile, seed), path)
        return in_currency(text, profile.currency)

    def template(self, level: str) -> dict[str, str]:
        """Starter files: path -> text, those of all levels and the level's own."""
        self.level(level)
        found = {
            path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for folder in (self.folder / "common/template", self.folder / level / "template")
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        return dict(sorted(found.items()))

    def read_only(self, level: str) -> set[str]:
        """Paths of the template that the candidate may read but not change."""
        return set(self.level(level).get("read_only", []))

    def documents(self, level: str, profile: Profile = DEFAULT, seed: int = 0) -> list[Document]:
        """What the candidate is shown, in the order of the tabs."""
        rows, words = self.level(level)["documents"], self.words(level, profile, seed)
        made = self._makers(level, profile)
        found = read_documents(self.folder / level, rows, words, made, seed)
        return [replace(one, text=in_currency(one.text, profile.currency)) for one in found]

    def built_documents(self, level: str, folder: Path) -> list[Document]:
        """The same as a built variant's folder has them; nothing is drawn for it."""
        return [
            Document(
                row["key"], row["title"], row["kind"], path.read_text(encoding="utf-8"), path.name
            )
            for row in self.level(level)["documents"]
            for path in [folder / Path(row["file"]).name]
        ]

    def titles(self, level: str) -> list[str]:
        """What the documents are called, in the order of the tabs."""
        return [row["title"] for row in self.level(level)["documents"]]

    def _makers(self, level: str, profile: Profile) -> dict[str, Maker]:
        """Name -> what makes the document, for those that the world makes."""
        if "world" not in self.data:
            return {}
        settings = self.settings(level)
        return {
            name: lambda seed, make=make: make(profile, settings, seed)  # type: ignore[misc]
            for name, make in self.world.documents.items()
        }

    def sections(self, level: str) -> list[Section]:
        """The written parts of the answer."""
        return [Section(**row) for row in self.level(level)["sections"]]

    def rubric(self, level: str) -> Rubric:
        """Staff only: criteria with described levels."""
        self.level(level)
        return read_rubric(self.folder / level / "rubric.toml")

    def measures(self, level: str, profile: Profile = DEFAULT) -> list[Measure]:
        """What a grade consists of, money in the company's; nothing where its grader decides that."""
        found = [Measure(**row) for row in self.level(level).get("measures", [])]
        return [_in_money(one, profile) for one in found]

    def public_workloads(self, level: str) -> list[tuple[str, str]]:
        """(name, title) of the workloads that Run may use; none where nothing runs."""
        return [(row["name"], row["title"]) for row in self.level(level).get("public", [])]

    def golden(self, level: str, name: str) -> str:
        """Source of a reference answer: the level's own where there is one, else the pack's.

        Either is a file, or what a `changes.toml` beside such files makes of another one.
        """
        pack = self.folder / "goldens"
        for folder in (pack / level, pack):
            path = folder / f"{name}.py"
            if path.is_file():
                return path.read_text(encoding="utf-8")
            if change := _changes(folder).get(name):
                return self._changed(level, name, change)
        raise FileNotFoundError(f"{self.name} has no golden {name}.")

    def _changed(self, level: str, name: str, change: Mapping[str, Any]) -> str:
        """`of` is a file below goldens/, or "template": the shipped program. Each old text is there once."""
        if change["of"] == "template":
            source = self.template(level)[self.entry]
        else:
            source = (self.folder / "goldens" / change["of"]).read_text(encoding="utf-8")
        for old, new in change["changes"]:
            if source.count(old) != 1:
                raise PackInvalid(f"{self.name}, golden {name}: {old!r} is not once in its source.")
            source = source.replace(old, new)
        return source

    def anchor(self, level: str, which: str) -> str | None:
        """Source of the anchor program: `naive` scores 0 on every measure, `reference` 1.

        None where the reference is a bound that the world computes, or where nothing runs.
        """
        name = str(self.data.get("anchors", {}).get(which, "bound"))
        return None if name == "bound" else self.golden(level, name)


@cache
def _changes(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    path = folder / "changes.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _in_money(measure: Measure, profile: Profile) -> Measure:
    """The measure in the company's currency: its floor is an amount, or so much for an amount."""
    if DOLLAR not in measure.unit:
        return replace(measure, meaning=in_currency(measure.meaning, profile.currency))
    rate = profile.per_usd if measure.unit == DOLLAR else 1 / profile.per_usd
    return replace(
        measure,
        unit=in_currency(measure.unit, profile.currency),
        meaning=in_currency(measure.meaning, profile.currency),
        floor=measure.floor * rate,
    )


IN_PART = (
    "The company has more machines than anybody could read in the time: you see a part of **{cluster}**, and"
    " everything here, figures and money too, is of that part alone."
)
OF_ITS_OWN = (
    "**{own}** is a small cluster that was put up for this exercise. It is no part of **{cluster}**: nothing"
    " here tells of the machines there, and nothing that you do reaches them."
)


def joined(names: Sequence[str]) -> str:
    """a, b or c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _digest(folder: Path) -> str:
    total = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            body = path.read_bytes()
            total.update(f"{path.relative_to(folder).as_posix()}\n{len(body)}\n".encode())
            total.update(body)
    return total.hexdigest()


@cache
def practice_company() -> str:
    """TOML of the small company that practice is about."""
    return (ROOT.parent / PRACTICE / "company.toml").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def _words(name: str, profile: Profile, level: str, seed: int) -> Mapping[str, str]:
    """Some forty words for which a whole exercise is drawn: a page asks for those of the same attempt again."""
    return MappingProxyType(load_generator(name).words(profile, level, seed))


@lru_cache(maxsize=64)
def _load(folder: Path, root: Path) -> Pack:
    name = folder.relative_to(root).as_posix()
    try:
        data = tomllib.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PackInvalid(f"{name}/{MANIFEST} is not TOML: {error}.") from None
    check_manifest(name, data)
    return Pack(name, folder, _digest(folder), data)


def all_packs(root: Path = ROOT) -> list[Pack]:
    """Every pack below the root that people may be invited to, by name; no drafts.

    Raises PackInvalid for a broken one.
    """
    found = (_load(path.parent, root) for path in sorted(root.glob(f"*/*/{MANIFEST}")))
    return [pack for pack in found if not pack.is_draft]


def load_pack(name: str, root: Path = ROOT) -> Pack:
    """The pack of that name, a draft too. Raises PackNotFound with the names there are."""
    if root == ROOT and name.partition("/")[0] == PRACTICE:
        root = ROOT.parent
    folders = {path.parent.relative_to(root).as_posix() for path in root.glob(f"*/*/{MANIFEST}")}
    if name not in folders:
        there = ", ".join(sorted(folders)) or "none"
        raise PackNotFound(f"There is no pack {name[:80]!r}; there is {there}.")
    return _load(root / name, root)
