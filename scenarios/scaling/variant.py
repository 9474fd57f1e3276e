"""Writes the materials of one year to a folder, and tells its key, its words and what a page may know of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenarios.company.profile import Profile
from scenarios.company.profile.money import DOLLAR, in_currency, names_in_currency
from scenarios.packs.generated import Written
from scenarios.scaling import forecast, history
from scenarios.scaling.charts import charts
from scenarios.scaling.diagrams import racks, topology
from scenarios.scaling.documents import documents
from scenarios.scaling.draw import MOST_GPUS as MOST_GPUS
from scenarios.scaling.draw import scene_of
from scenarios.scaling.facts import WORDS as WORDS
from scenarios.scaling.facts import facts_of, words_of
from scenarios.scaling.key import key_of
from scenarios.scaling.levels import LEVELS as SETTINGS
from scenarios.scaling.scene import Scene
from scenarios.scaling.tables import Table

LEVELS = tuple(SETTINGS)
FACTS = "growth"


def write(folder: Path, profile: Profile, level: str, seed: int) -> list[Written]:
    """Write drawings, documents and tables."""
    scene = scene_of(profile, level, seed)
    found = []

    def said(text: str) -> str:
        return names_in_currency(text, profile.currency)

    for path, title, text in _texts(scene):
        kind = "svg" if path.endswith(".svg") else "markdown"
        found.append(_put(folder, path, kind, title, said(text)))
    for table in tables(scene):
        found.append(_put(folder, table.path, "csv", table.title, said(table.text())))
    return found


def tables(scene: Scene) -> list[Table]:
    """Every table of the materials, in the order in which they are shown."""
    return [*forecast.tables(scene), *history.tables(scene)]


def _texts(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """Documents, with the drawings behind the first of them."""
    for number, document in enumerate(documents(scene)):
        yield document
        if number == 0:
            yield "diagrams/network.svg", "Network", topology.drawn(scene)
            yield "diagrams/racks.svg", "Racks and power", racks.drawn(scene)


def _put(folder: Path, path: str, kind: str, title: str, text: str) -> Written:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="\n")
    return Written(path, kind, title)


def key(profile: Profile, level: str, seed: int) -> dict[str, object]:
    """Staff only: what holds work up, what is to come, and two plans with what they come to."""
    return key_of(scene_of(profile, level, seed))


def words(profile: Profile, level: str, seed: int) -> dict[str, str]:
    """What the brief may say of this year."""
    found = words_of(scene_of(profile, level, seed))
    return {name: in_currency(text, profile.currency) for name, text in found.items()}


def facts(profile: Profile, level: str, seed: int) -> dict[str, object]:
    """What the candidate's page may know: months, sites, what can be ordered and changed, budget, charts."""
    scene = scene_of(profile, level, seed)
    return facts_of(scene) | {"charts": charts(scene), **_money(profile)}


def _money(profile: Profile) -> dict[str, str]:
    return {} if profile.currency == DOLLAR else {"currency": profile.currency}
