"""From an answer and a bill to plain data, from which everything else is computed without either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graders.cost.answer import Answer, Opportunity
from graders.cost.matching import doubt, lines_of, matches, reading_of
from graders.cost.quoting import Facts, facts_of
from graders.cost.scope import Group, base_of, by_line, cents, groups_of, select, shown
from graders.cost.standing import SAYS, beside
from graders.cost.timelines import months_said
from graders.standing import GUESS, PROPOSED, standing
from scenarios.company.profile import Profile
from scenarios.cost.catalogue import levers, traps
from scenarios.cost.model import Model, cloud_lines, model_of

Json = dict[str, Any]


def read(answer: Answer, profile: Profile, level: str, seed: int) -> Json:
    """What the answer says, row by row, beside what is true of the bill. Plain JSON. Raises NoBill."""
    model, groups = model_of(profile, level, seed), groups_of(profile, level, seed)
    facts = facts_of({key: saving.how for key, saving in model.savings.items()})
    apart = beside(answer.sections, len(answer.opportunities))
    return {
        "statements": [
            _row(one, groups, facts, apart.get(at)) for at, one in enumerate(answer.opportunities)
        ],
        "notes": list(answer.notes),
        "truth": _truth(model, groups),
    }


def _row(
    one: Opportunity, groups: Sequence[Group], facts: Facts, apart: tuple[str, str] | None
) -> Json:
    selected = select(groups, one.where) if one.where else []
    claimed, base = _claimed(one, selected, groups)
    chosen, meant = set(selected), reading_of(one, selected, groups, facts)
    stands, said = apart or standing(one.what)
    counts = stands in (PROPOSED, GUESS)
    return {
        "id": one.id,
        "text": one.what,
        "where": {key: list(values) for key, values in one.where.items()},
        "selected_cents": cents(selected),
        "selected_rows": sum(group.rows for group in selected),
        "picked": [at for at, group in enumerate(groups) if group in chosen],
        "lines": by_line(selected),
        "rows": shown(selected),
        "claimed_cents": claimed,
        "claimed_of": base,
        "figure": [one.saving.kind, one.saving.value],
        "complexity": one.complexity,
        "risk": one.risk,
        "months": months_said(one.timeline),
        "dependency": one.dependency,
        "priority": one.priority,
        "standing": stands,
        "matches": matches(meant, pointed=bool(selected)) if counts else [],
        "doubt": doubt(meant) if stands == PROPOSED else f"It {SAYS[stands]}: “{said}”.",
    }


def _claimed(
    one: Opportunity, selected: Sequence[Group], groups: Sequence[Group]
) -> tuple[int | None, str]:
    """Cents a year that are claimed, and of what they are a part in words."""
    saving = one.saving
    if saving.value is None:
        return None, "no figure"
    if saving.kind == "money":
        return round(saving.value * 100), "money"
    base, words = base_of(saving.of, selected, groups)
    return round(saving.value / 100 * cents(base)), words


def _truth(model: Model, groups: Sequence[Group]) -> Json:
    bill = model.bill
    return {
        "total_cents": bill.total,
        "most_cents": model.most,
        "room_cents": model.room,
        "cloud": sorted(cloud_lines(model.bill)),
        "best": list(model.best),
        "cost": {line: value for line, value in bill.cost.items() if value},
        "line_rows": _line_rows(groups),
        "levers": {
            key: {
                "alone": saving.alone,
                "last": saving.last,
                "low": saving.low,
                "high": saving.high,
                "effort": saving.effort,
                "spread": levers()[key].spread,
                "real": saving.real,
                "parts": dict(bill.worths[key].parts),
                "how": saving.how,
                "shows": list(saving.shows),
            }
            for key, saving in model.savings.items()
        },
        "suggested": list(bill.scene.baits),
    }


def _line_rows(groups: Sequence[Group]) -> Mapping[str, list[Json]]:
    wanted = {line for key in (*levers(), *traps()) for line in lines_of(key)}
    return {
        line: shown([group for group in groups if group.line == line]) for line in sorted(wanted)
    }
