"""Which columns of the history's files a page draws as charts; `texts/charts.toml` has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarios.scaling.content import rows
from scenarios.scaling.history import waiting
from scenarios.scaling.scene import Scene
from scenarios.scaling.tables import slugs

_Names = Mapping[str, str]
"""Part of a column's name -> what people call it."""
_ONE: _Names = {"": ""}


def charts(scene: Scene) -> list[dict[str, object]]:
    """Each: path of a CSV, column of its x axis, title, and series of column, title and unit."""
    sites = slugs([place.site.name for place in scene.places])
    teams = slugs([team.name for team in scene.profile.teams])
    groups: Mapping[str, _Names] = {
        "classes": {work.job_class: work.title for work in scene.work},
        "waiting": {work.job_class: work.title for work in waiting(scene)},
        "sites": {key: name for name, key in sites.items()},
        "teams": {key: name for name, key in teams.items()},
    }
    return [
        {
            "path": row["path"],
            "x": row["x"],
            "title": row["title"].format(key=key, name=name),
            "series": [
                one for given in row["series"] for one in _series(given, {key: name}, groups)
            ],
        }
        for row in rows("charts")
        for key, name in groups.get(row.get("each", ""), _ONE).items()
    ]


def _series(
    given: Sequence[str], whose: _Names, groups: Mapping[str, _Names]
) -> list[dict[str, str]]:
    column, title, unit, *group = given
    names = groups[group[0]] if group else whose
    return [
        {"column": column.format(key=key), "title": title.format(name=name), "unit": unit}
        for key, name in names.items()
    ]
