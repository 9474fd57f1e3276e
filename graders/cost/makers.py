"""Writes the reference answers of a bill: what they claim follows from its truth, the words are the pack's."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from scenarios.company.profile import DEFAULT, Profile
from scenarios.cost.catalogue import levers
from scenarios.cost.model import Model, Saving, model_of
from scenarios.packs import Pack

Json = dict[str, Any]
OVER = 2.6
"""By which the over-claimer multiplies what the expert claims."""
_STRIDES = (0.72, 1.3, 0.82, 1.2, 0.9, 1.45, 0.66)
"""How far a solid engineer is off, one after the other."""
_SOLID_ROWS = 6


@cache
def _read(path: Path) -> Mapping[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _said(pack: Pack) -> Mapping[str, Any]:
    return _read(pack.folder / "goldens" / "words.toml")


def _usd(cents: float) -> int:
    return round(cents / 100)


def _worth(model: Model) -> list[Saving]:
    """The savings of the best set, the one that pays soonest for its work first."""
    chosen = [model.savings[key] for key in model.best]

    def rank(one: Saving) -> float:
        lever = levers()[one.lever]
        effort = {"low": 0, "medium": 1, "high": 2}[lever.complexity]
        months = sum(lever.months) / 2
        return (
            -(one.alone - one.effort)
            * (1 - 0.18 * effort)
            * (1 - months / 13)
            * (1 - 0.07 * lever.severity)
        )

    return sorted(chosen, key=rank)


def _row(number: int, what: str, where: Json, usd: float, **more: Any) -> Json:
    saving = {"kind": "money", "value": usd, "of": ""}
    return {
        "id": str(number),
        "what": what,
        "where": where,
        "saving": saving,
        "priority": number,
        **more,
    }


def _overlaps(model: Model, key: str) -> str:
    mine = set(model.savings[key].lines)
    others = [
        levers()[o].title for o in model.best if o != key and mine & set(model.savings[o].lines)
    ]
    alike = [
        o.title
        for o in levers().values()
        if o.group and o.group == levers()[key].group and o.key != key
    ]
    said = (
        [f"acts on the same money as: {', '.join(others)}; the figure is what is left"]
        if others
        else []
    )
    return "; ".join([*said, *(f"instead of: {title}" for title in alike)])


def expert(pack: Pack, model: Model) -> Json:
    """What there is room for, in order: figures between first and last, or what those before leave."""
    said, figures = _said(pack), _figures(model)
    rows = [
        _row(
            number,
            said[one.lever]["expert"],
            said[one.lever]["where"],
            _usd(figures[one.lever]),
            complexity=levers()[one.lever].complexity,
            risk=said[one.lever]["risk"],
            timeline=said[one.lever]["weeks"],
            dependency=_overlaps(model, one.lever),
        )
        for number, one in enumerate(_worth(model), start=1)
    ]
    return {"sections": _sections(model, rows), "opportunities": rows}


def _figures(model: Model) -> dict[str, float]:
    keys = [one.lever for one in _worth(model)]
    if model.room is None:
        return {key: (model.savings[key].alone + model.savings[key].last) / 2 for key in keys}
    return {
        key: model.saved(keys[: at + 1]) - model.saved(keys[:at]) for at, key in enumerate(keys)
    }


def solid(pack: Pack, model: Model) -> Json:
    """The six largest savings, figures a fifth or more off, short words, ordered by size alone."""
    said = _said(pack)
    found = sorted((model.savings[key] for key in model.best), key=lambda one: -one.alone)[
        :_SOLID_ROWS
    ]
    rows = [
        _row(
            number,
            said[one.lever]["solid"],
            said[one.lever]["where"],
            _usd(one.alone * _STRIDES[number % len(_STRIDES)]),
            complexity="medium",
            risk="Users have to get used to it",
            timeline=said[one.lever]["weeks"],
            dependency="",
        )
        for number, one in enumerate(found, start=1)
    ]
    return {"sections": _sections(model, rows[:2]), "opportunities": rows}


def over_claimer(pack: Pack, model: Model) -> Json:
    """The expert's table with every figure far above what its row would save even if taken first."""
    answer = expert(pack, model)
    for row, one in zip(answer["opportunities"], _worth(model), strict=True):
        row["saving"]["value"] = _usd(one.alone * OVER)
    return answer


def _fixed(name: str) -> Callable[[Pack, Model], Json]:
    def make(pack: Pack, model: Model) -> Json:
        table = dict(_read(pack.folder / "goldens" / "fixed.toml")[name])
        rows = table.pop("rows")
        return {
            "sections": table,
            "opportunities": [{"id": str(n), **row} for n, row in enumerate(rows, 1)],
        }

    return make


def silent(pack: Pack, model: Model) -> Json:
    """Nothing but the template."""
    return {"sections": {}, "opportunities": []}


MAKERS: Mapping[str, Callable[[Pack, Model], Json]] = {
    "expert": expert,
    "solid": solid,
    "naive": _fixed("naive"),
    "eloquent": _fixed("eloquent"),
    "over_claimer": over_claimer,
    "silent": silent,
}
"""Golden -> what writes it."""


def _sections(model: Model, rows: Sequence[Json]) -> dict[str, str]:
    listed = "\n".join(
        f"{row['priority']}. {row['what']} ({row['saving']['value']:,} USD)" for row in rows
    )
    return {
        "reading": f"The year came to {_usd(model.bill.total):,} USD. Amortisation and prepaid"
        " support are paid; the room is bound.",
        "priorities": listed,
        "technical": "The table has the rows; each figure is hours or terabytes times price.",
        "business": f"Together about {_usd(model.most):,} USD a year, most of it within two quarters.",
        "risks": "Owned nodes, prepaid support and contracted power are left alone: nothing comes"
        " back for them.",
    }


def write_golden(
    pack: Pack, level: str, name: str, seed: int, profile: Profile = DEFAULT
) -> dict[str, str]:
    """The golden's answer to one variant, as path -> text. Raises KeyError for an unknown golden."""
    answer = MAKERS[name](pack, model_of(profile, level, seed))
    return {pack.entry: json.dumps(answer, indent=2, ensure_ascii=False) + "\n"}
