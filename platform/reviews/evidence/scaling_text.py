"""The structured plan of a scaling exercise as staff read it: orders by month, phases, money, risks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reviews.evidence.structured import Row, Table, further, lines, load, rows_in, said
from scenarios.scaling.reading import CELLS

TITLE = "Structured plan"
ORDERS = (
    ("purchases", "Bought", ("item", "count", "site", "note")),
    ("cloud", "Rented", ("kind", "gpus", "region", "classes")),
    ("retire", "Retired", ("item", "count", "site")),
    ("policies", "Policy", ("policy", "value")),
)
"""List -> what its rows are, and the cells that say it, in this order."""
LISTS: Mapping[str, Sequence[str]] = {
    "purchases": ("id", "month", "item", "count", "site", "note"),
    "cloud": ("id", "from", "to", "kind", "gpus", "region", "classes"),
    "retire": ("id", "month", "item", "count", "site"),
    "policies": ("id", "month", "policy", "value"),
    "phases": ("id", "name", "from", "to", "owner", "depends"),
    "risks": ("id", "risk", "likelihood", "impact", "mitigation", "owner", "trigger"),
}
"""List -> the keys of its rows."""
HEADS = {
    "orders": ("Month", "What", "Of what", "How many, or value", "Where", "Remark", "Id"),
    "phases": ("Id", "Phase", "From", "To", "Owner", "After"),
    "risks": ("Id", "Risk", "Likelihood", "Impact", "Mitigation", "Owner", "Trigger"),
}
CLAIMS = {
    "capex_usd": "Capital in the year",
    "opex_usd": "Running cost in the year",
    "payback_months": "Pays itself back in, months",
    "wait_p95_h": "p95 wait at the end, hours",
    "gpu_hours": "GPU-hours delivered",
}
_NAMES = {
    "purchases": "Order",
    "cloud": "Rented",
    "retire": "Retired",
    "policies": "Policy",
    "phases": "Phase",
    "risks": "Risk",
}


def plan_in(text: str) -> dict[str, Any] | None:
    """The plan's object; None where it is none, or one of its lists is no list of rows."""
    data = load(text)
    if data is None or any(rows_in(data, key) is None for key in (*LISTS, "sheet")):
        return None
    return data if isinstance(data.get("claims") or {}, dict) else None


def readable(text: str) -> str | None:
    """The plan as lines, "" where nothing stands in it; None where the text is no plan."""
    data = plan_in(text)
    if data is None:
        return None
    blocks: list[list[str]] = [
        list(_row(key, at, row)) for key in LISTS for at, row in enumerate(_rows(data, key), 1)
    ]
    blocks += [list(_sheet_row(row)) for row in _rows(data, "sheet")]
    blocks.append([f"Claim, {CLAIMS.get(key, key)}: {said(value)}" for key, value in _claims(data)])
    blocks.append(list(further(data, (*LISTS, "sheet", "claims"))))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def tables(text: str) -> list[Table]:
    """Orders by month, phases, the money sheet, claims and risks; only those with rows."""
    data = plan_in(text)
    if data is None:
        return []
    found = [
        Table(
            "Orders, rented capacity and policies by month", HEADS["orders"], _orders(data), (3,)
        ),
        Table("Phases", HEADS["phases"], _plain(data, "phases")),
        _sheet(data),
        Table(
            "Figures that the plan claims",
            ("Figure", "Value"),
            [[CLAIMS.get(key, key), said(value)] for key, value in _claims(data)],
            (1,),
        ),
        Table("Risks", HEADS["risks"], _plain(data, "risks")),
    ]
    return [table for table in found if table.rows]


def _rows(data: Row, key: str) -> list[Row]:
    return rows_in(data, key) or []


def _claims(data: Row) -> list[tuple[str, Any]]:
    found = data.get("claims") or {}
    return [(str(key), found[key]) for key in sorted(found) if found[key] is not None]


def _row(key: str, at: int, row: Row) -> Iterator[str]:
    yield f"{_NAMES[key]} {at}"
    for name in LISTS[key]:
        if (value := said(row.get(name))) != "":
            yield from lines(name.capitalize(), value)
    yield from further(row, LISTS[key])


def _sheet_row(row: Row) -> Iterator[str]:
    yield f"Money, {said(row.get('label')) or 'without a name'}"
    yield from lines("Cells", " | ".join(map(said, _list(row.get("cells")))))
    yield from lines("Values", " | ".join(map(said, _list(row.get("values")))))
    yield from further(row, ("label", "cells", "values"))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _orders(data: Row) -> list[list[str]]:
    """Every order, rent, retirement and policy in the order of its month."""
    found = []
    for key, what, names in ORDERS:
        for row in _rows(data, key):
            cells = [said(row.get(name)) for name in names]
            month = said(row.get("month"))
            if key == "cloud":
                month = said(row.get("from"))
                cells = [cells[0], cells[1], cells[2], _until(row, cells[3])]
            elif key == "policies":
                cells = [cells[0], cells[1], "", ""]
            cells += [""] * (4 - len(cells))
            extra = "; ".join(further(row, LISTS[key]))
            cells[3] = "; ".join(part for part in (cells[3], extra) if part)
            found.append([month, what, *cells, said(row.get("id"))])
    return sorted(found, key=lambda cells: (cells[0] == "", cells[0]))


def _until(row: Row, classes: str) -> str:
    until = said(row.get("to"))
    parts = [f"until {until}" if until else "", f"for {classes}" if classes else ""]
    return ", ".join(part for part in parts if part)


def _plain(data: Row, key: str) -> list[list[str]]:
    rows = []
    for row in _rows(data, key):
        cells = [said(row.get(name)) for name in LISTS[key]]
        extra = "; ".join(further(row, LISTS[key]))
        cells[-1] = "; ".join(part for part in (cells[-1], extra) if part)
        rows.append(cells)
    return rows


def _sheet(data: Row) -> Table:
    """The candidate's own money rows: what was computed, with the formula where it is one."""
    rows = _rows(data, "sheet")
    cells = [
        (said(row.get("label")), _list(row.get("cells")), _list(row.get("values"))) for row in rows
    ]
    widest = max((max(len(texts), len(values)) for _, texts, values in cells), default=0)
    head = ["Row", *(str(at) for at in range(1, widest)), "Total"][: widest + 1]
    found = []
    for label, texts, values in cells:
        # One row of a hundred thousand cells must not make as many of every other.
        width = max(min(widest, CELLS), len(texts), len(values))
        padded = [*values, *[None] * (width - len(values))]
        typed = [*texts, *[None] * (width - len(texts))]
        found.append([label, *(_cell(a, b) for a, b in zip(padded, typed, strict=True))])
    note = "Columns are the plan's months, then the total. A formula stands below its value."
    return Table("Money", head, found, range(1, widest + 1), note)


def _cell(value: Any, typed: Any) -> str:
    shown, text = said(value), said(typed)
    if text.startswith("="):
        return f"{shown or 'no value'} {text}"
    return shown or text
