"""A year that a plan was played through, as tables: by month, by kind of work and month, by site and month."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graders.scaling.measuring import measures
from reviews.evidence.structured import Table

Json = Mapping[str, Any]
MONTHS = (
    ("Waits kept", lambda row: _kept(row)),
    ("Longest p95 wait, h", lambda row: _longest(row)),
    ("Asked, GPU-h", lambda row: _whole(row.get("asked_gpu_hours"))),
    ("Delivered, GPU-h", lambda row: _whole(row.get("delivered_gpu_hours"))),
    ("Own GPUs used, %", lambda row: _tenth(row.get("own", {}).get("utilisation_percent"))),
    ("Rented used, %", lambda row: _tenth(row.get("cloud", {}).get("utilisation_percent"))),
    ("Storage full, % of hours", lambda row: _tenth(row.get("storage_full_percent"))),
    ("Fabric full, % of hours", lambda row: _tenth(row.get("spine_full_percent"))),
    ("Unused, GPU-h", lambda row: _whole(row.get("unused_gpu_hours"))),
    ("Capital, USD", lambda row: _whole(row.get("money", {}).get("capex_usd"))),
    ("Running, USD", lambda row: _whole(row.get("money", {}).get("opex_usd"))),
    ("USD per GPU-h", lambda row: _cent(row.get("usd_per_gpu_hour"))),
    ("Over", lambda row: ", ".join(map(_over, row.get("over", []))) or "–"),
)
"""Heading -> what stands in the cell of a month."""
WORK = (
    ("Wait p50, h", lambda row: _tenth(row.get("wait_p50_h"))),
    ("Wait p95, h", lambda row: _tenth(row.get("wait_p95_h"))),
    ("Promised, h", lambda row: _tenth(row.get("wait_target_h"))),
    ("Kept", lambda row: {True: "yes", False: "no"}.get(row.get("met"), "–")),
    ("Asked, GPU-h", lambda row: _whole(row.get("asked_gpu_hours"))),
    ("Delivered, GPU-h", lambda row: _whole(row.get("delivered_gpu_hours"))),
    ("Of it rented", lambda row: _whole(row.get("cloud_gpu_hours"))),
    ("Slowed down, %", lambda row: _tenth(row.get("slowed_percent"))),
    ("Held up by", lambda row: _blocked(row.get("blocked_hours", {}))),
)
SITES = (
    ("Nodes", lambda row: _whole(row.get("nodes"))),
    ("GPUs", lambda row: _whole(row.get("gpus"))),
    ("Nodes unused", lambda row: _whole(row.get("unused_nodes"))),
    ("Power, kW", lambda row: _tenth(row.get("power_kw"))),
    ("Limit, kW", lambda row: _tenth(row.get("power_limit_kw"))),
    ("Storage load, %", lambda row: _tenth(row.get("storage_load_percent"))),
    ("Fabric load, %", lambda row: _tenth(row.get("spine_load_percent"))),
)


@dataclass(frozen=True)
class Reason:
    """Why a figure is what it is; `parts` are (name, value with its unit)."""

    figure: str
    month: str
    job_class: str
    text: str
    parts: list[tuple[str, str]]


@dataclass(frozen=True)
class Year:
    """One year: a table of months, one for each kind of work, one for each site; reasons by figure's label."""

    months: Table
    work: list[Table]
    sites: list[Table]
    why: list[tuple[str, list[Reason]]]


def year(row: Json) -> Year:
    """A year as `Year.to_dict` of the engine has it."""
    months = row.get("months", [])
    names = [str(one.get("month", at)) for at, one in enumerate(months, start=1)]
    titles = {key: one.get("title", key) for key, one in row.get("classes", {}).items()}
    return Year(
        months=_table("By month", "Month", names, months, MONTHS),
        work=[
            _table(
                title, "Month", names, [one.get("classes", {}).get(key, {}) for one in months], WORK
            )
            for key, title in titles.items()
        ],
        sites=[
            _table(
                site, "Month", names, [one.get("sites", {}).get(site, {}) for one in months], SITES
            )
            for site in dict.fromkeys(site for one in months for site in one.get("sites", {}))
        ],
        why=_why([_reason(one, titles) for one in row.get("why", [])]),
    )


def _why(rows: list[Reason]) -> list[tuple[str, list[Reason]]]:
    """Under the label of each figure, in the order of the measures; the year before its months."""
    labels = {key: one.label for key, one in measures().items()}
    keys = [*labels, *dict.fromkeys(one.figure for one in rows if one.figure not in labels)]
    groups = [
        (labels.get(key, key.replace("_", " ")), [one for one in rows if one.figure == key])
        for key in keys
    ]
    return [(label, sorted(found, key=lambda one: one.month)) for label, found in groups if found]


def _table(title: str, first: str, names: list[str], rows: list[Json], columns: Any) -> Table:
    cells = [
        [name, *(cell(row) for _, cell in columns)] for name, row in zip(names, rows, strict=True)
    ]
    figures = [at for at, (head, _) in enumerate(columns, 1) if head not in ("Over", "Held up by")]
    return Table(title, [first, *(head for head, _ in columns)], cells, figures)


def _reason(row: Json, titles: Json) -> Reason:
    job_class = str(row.get("job_class") or "")
    return Reason(
        figure=str(row.get("figure", "")),
        month=str(row.get("month") or ""),
        job_class=str(titles.get(job_class, job_class)),
        text=str(row.get("text", "")),
        parts=[
            (str(name), f"{_any(value)} {unit}".strip())
            for name, value, unit in row.get("parts", [])
        ],
    )


def _kept(row: Json) -> str:
    classes = row.get("classes", {}).values()
    return f"{sum(bool(one.get('met')) for one in classes)} of {len(classes)}"


def _longest(row: Json) -> str:
    waits = [float(one.get("wait_p95_h") or 0) for one in row.get("classes", {}).values()]
    return _tenth(max(waits, default=None))


def _over(one: Any) -> str:
    """What was not kept, in words."""
    return NOT_KEPT.get(str(one), str(one).replace("_", " "))


HELD_UP = {
    "full": "all GPUs in use",
    "scattered": "free GPUs scattered over nodes",
    "partition": "the size of its partition",
    "quota": "its quota",
    "kept": "GPUs kept for serving",
    "night": "batch waiting for the night",
}
NOT_KEPT = {
    "capex": "capital",
    "opex": "running costs",
    "power": "power",
    "ports": "ports",
    "racks": "racks",
    "room": "racks that carry it",
    "storage": "storage not connected",
}


def _blocked(hours: Json) -> str:
    rows = sorted(hours.items(), key=lambda one: -float(one[1]))
    return (
        ", ".join(
            f"{HELD_UP.get(key, key.replace('_', ' '))} {_whole(value)} h" for key, value in rows
        )
        or "–"
    )


def _whole(value: Any) -> str:
    return "–" if value is None else f"{float(value):,.0f}"


def _tenth(value: Any) -> str:
    return "–" if value is None else f"{float(value):,.1f}"


def _cent(value: Any) -> str:
    return "–" if value is None else f"{float(value):,.2f}"


def _any(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,.0f}" if float(value) == int(value) else f"{value:,.2f}"
