"""The key of one bill, for staff: what can be saved, where, how one sees it, and what only looks like it."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.cost.catalogue import CATEGORIES, FINDINGS, levers, traps
from scenarios.cost.model import Model
from scenarios.cost.rows import Row


def key_of(model: Model) -> dict[str, object]:
    """Levers by saving, traps, lines with their costs and the optimum; USD a year, whole."""
    bill = model.bill
    rows = sorted(model.savings.values(), key=lambda one: (-one.alone, one.lever))
    places = lines_of(model)
    return {
        "total_usd": _usd(bill.total),
        "achievable_usd": _usd(model.most),
        "least_to_the_cloud_usd": None if model.least is None else _usd(model.least),
        "room_in_the_cloud_usd": None if model.room is None else _usd(model.room),
        "best": list(model.best),
        "levers": [_lever(model, one.lever) for one in rows if one.real],
        "not_worth_it": [_lever(model, one.lever) for one in rows if not one.real],
        "traps": [
            {
                "key": trap.key,
                "title": trap.title,
                "finding": FINDINGS[trap.finding],
                "lines": list(trap.lines),
                "why": trap.why,
                "where": trap.where,
                "suggested": trap.key in bill.scene.baits,
                "question": trap.question,
            }
            for trap in traps().values()
        ],
        "lines": {
            line: {"usd": _usd(cents), **places[line]} for line, cents in bill.cost.items() if cents
        },
    }


def _lever(model: Model, key: str) -> dict[str, object]:
    lever, saving = levers()[key], model.savings[key]
    return {
        "key": key,
        "number": lever.number,
        "title": lever.title,
        "category": CATEGORIES[lever.category],
        "saving_usd": _usd(saving.alone),
        "saving_when_all_else_is_done_usd": _usd(saving.last),
        "supported_usd": [_usd(saving.low), _usd(saving.high)],
        "effort_usd": _usd(saving.effort),
        "complexity": lever.complexity,
        "months": list(lever.months),
        "lines": {line: _usd(cents) for line, cents in saving.lines.items()},
        "how": saving.how,
        "shown_in": list(saving.shows),
        "risk": lever.risk,
        "question": lever.question,
        "excludes": [
            one.key
            for one in levers().values()
            if lever.group and one.group == lever.group and one.key != key
        ],
    }


def lines_of(model: Model) -> dict[str, dict[str, list[str]]]:
    """Line -> which services, accounts and resource types of the bill its rows are of."""
    rows: dict[str, list[Row]] = {}
    for row in model.bill.rows:
        rows.setdefault(row.line, []).append(row)
    return {line: _where(of_line) for line, of_line in rows.items()}


def _where(rows: Sequence[Row]) -> dict[str, list[str]]:
    return {
        "services": sorted({row.sku.service for row in rows}),
        "accounts": sorted({row.account.name for row in rows if row.account}),
        "resources": sorted({row.thing.kind for row in rows if row.thing}),
    }


def _usd(cents: int) -> int:
    return round(cents / 100)
