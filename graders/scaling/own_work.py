"""Questions about a plan: what its year becomes when something of it comes later or not at all.

Everything is right by construction: the plan that was handed in is played over the year that the documents
expect, then once more with one of its rows changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graders.own_work import PLACE, WITHIN, Asker, Own, Question, choice, drawn
from graders.scaling.answer import parse
from graders.scaling.findings import quantity
from graders.written import BadAnswer
from scenarios.scaling.demand import median
from scenarios.scaling.draw import scene_of
from scenarios.scaling.orders import Order, orders, slip_of, usable
from scenarios.scaling.plan import Plan, Rented
from scenarios.scaling.scene import Scene
from scenarios.scaling.year import play

Json = Mapping[str, Any]
LATE = 2
"""Months by which a delivery slips."""
MOST_WEEKS = 16
MOST_PLAYED = 4
"""Times that a changed plan is played."""
NO_MONTH = "No month: every limit that held in your plan still holds."
LIMITS = {
    "capex": "the budget for purchases",
    "opex": "the budget for running costs",
    "power": "the power of a site",
    "ports": "switch ports of a site",
    "racks": "rack places of a site",
    "storage": "storage that is cabled",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A plan with one row changed. `what` begins the question; `year` is the changed plan's, `first` the index
    of the first month that the change can touch."""

    key: str
    what: str
    first: int
    year: Json


class PlanAsker(Asker):
    """Asks about plans; nothing of the answer's is run."""

    needs_sandbox = False

    def proposed(self, own: Own) -> Iterator[Question]:
        """When orders are there, then what breaks first under a change, and by which limit."""
        asked = own.asked
        try:
            plan = parse(asked.files.get(asked.pack.entry, "")).plan
        except BadAnswer:
            return
        scene = scene_of(asked.profile, asked.level, asked.seed)
        base = play(scene, plan, median(scene)).to_dict()
        arrivals = _arrivals(own, scene, plan)
        waits = _tightest(own, scene, base)
        quiet: list[Question] = []
        for change in _changes(scene, plan):
            found = list(_broken(own, scene, base, change))
            is_quiet = len(found) == 1 and dict(found[0].options)[str(found[0].right)] == NO_MONTH
            if is_quiet and not _is_for_now(own, change):
                quiet += found
            else:
                yield from found
            yield from (one for one in [next(arrivals, None), next(waits, None)] if one)
        yield from arrivals
        yield from waits
        yield from quiet


KIND = PlanAsker()


def _is_for_now(own: Own, change: Change) -> bool:
    """One change in four by which nothing breaks: were all of them asked about, that were the best guess."""
    return drawn(f"{own.digest}/{change.key}", ["now", "last", "later", "after"])[0] == "now"


def _changes(scene: Scene, plan: Plan) -> Iterator[Change]:
    """Deliveries of what adds most first; then rents that begin later, then rows left out."""
    made = orders(scene, plan)
    found: list[Iterator[Change]] = [
        (_late(scene, plan, one) for one in _largest(made)),
        (_later_rent(scene, plan, one) for one in plan.cloud),
    ]
    played = 0
    for rows in found:
        for change in rows:
            if played == MOST_PLAYED:
                return
            played += 1
            yield change


def _largest(made: Sequence[Order]) -> list[Order]:
    """Orders that come within the year, those that cost most first."""
    return sorted((one for one in made if one.in_year), key=lambda one: (-one.usd, one.row.id))


def _late(scene: Scene, plan: Plan, one: Order) -> Change:
    aim = one.arrives + LATE
    weeks = next(
        week
        for week in range(1, MOST_WEEKS + 1)
        if usable(scene, one.ordered, one.item.weeks + week) >= aim or week == MOST_WEEKS
    )
    demand = median(scene)
    late = replace(demand, slips={**demand.slips, slip_of(one.row): weeks})
    what = (
        f"Your order “{one.row.id}” of {one.row.month} ({quantity(one.row.item, one.row.count)} for"
        f" {one.row.site}) comes two months late; nothing else changes."
    )
    year = play(scene, plan, late).to_dict()
    return Change(f"late/{one.row.id}", what, one.arrives, year)


def _later_rent(scene: Scene, plan: Plan, one: Rented) -> Change:
    names = [month.name for month in scene.months]
    first = names.index(one.start) if one.start in names else 0
    start = names[min(first + LATE, len(names) - 1)]
    rows = tuple(replace(row, start=start) if row is one else row for row in plan.cloud)
    if first + LATE >= len(names) or start > one.end:
        rows = tuple(row for row in plan.cloud if row is not one)
    what = (
        f"The {one.gpus} rented GPUs of your row “{one.id}” ({one.kind.replace('_', ' ')}, from {one.start})"
        " come two months late; nothing else changes."
    )
    year = play(scene, replace(plan, cloud=rows), median(scene)).to_dict()
    return Change(f"rent/{one.id}", what, first, year)


def _broken(own: Own, scene: Scene, base: Json, change: Change) -> Iterator[Question]:
    """Which month breaks first, and which limit; the second only where something breaks."""
    new = [
        (month["month"], sorted(_exceeded(scene, month) - _exceeded(scene, was)))
        for was, month in zip(base["months"], change.year["months"], strict=True)
    ]
    breaks = [(month, limits) for month, limits in new if limits]
    names = [month for month, _ in new]
    right = breaks[0][0] if breaks else NO_MONTH
    at = names.index(right) if breaks else change.first
    told = f"Played over the expected year: {_told(breaks)}"
    month = choice(
        own,
        f"{change.key}/month",
        "month",
        f"{change.what} In which month is a limit broken first that held in your plan?",
        right,
        _other_months(own, change, names, at, bool(breaks)),
        told,
        near=[one for one in names if breaks and abs(names.index(one) - at) == 1],
    )
    if month:
        yield month
    if breaks and (limit := _which(own, scene, base, change, breaks[0], told)):
        yield limit


def _other_months(
    own: Own, change: Change, names: Sequence[str], at: int, breaks: bool
) -> list[str]:
    """Months around the right one, from when the change can be felt on, and that none is."""
    far = sorted(range(len(names)), key=lambda one: (abs(one - at), one))
    around = [names[one] for one in far if one != at or not breaks][: 4 if breaks else 3]
    mixed = drawn(f"{own.digest}/{change.key}", around)
    return [NO_MONTH, *mixed] if breaks else mixed


def _exceeded(scene: Scene, month: Json) -> set[str]:
    """What is beyond its limit in a month, in words."""
    titles = {one.job_class: one.title.lower() for one in scene.work}
    late = {
        f"the promised wait of {titles[key]}"
        for key, row in month["classes"].items()
        if not row["met"]
    }
    return {LIMITS.get(key, key) for key in month["over"]} | late


def _told(breaks: Sequence[tuple[str, Sequence[str]]]) -> str:
    if not breaks:
        return "no limit that held before is broken."
    said = "; ".join(f"{month}: {', '.join(limits)}" for month, limits in breaks[:3])
    return f"broken that held before: {said}."


def _which(
    own: Own, scene: Scene, base: Json, change: Change, first: tuple[str, Sequence[str]], told: str
) -> Question | None:
    """The limit that breaks first. Several at once: one of them is right and no other is offered.

    The month is not named: it is what another question about the same change asks for.
    """
    month, limits = first
    at = next(row for row in base["months"] if row["month"] == month)
    held = [one for one in _all_limits(scene) if one not in {*limits, *_exceeded(scene, at)}]
    return choice(
        own,
        f"{change.key}/limit",
        "limit",
        f"{change.what} Which of these limits, held in your plan until then, is broken first?",
        limits[0],
        drawn(f"{own.digest}/{change.key}/limits", held),
        told,
    )


def _all_limits(scene: Scene) -> list[str]:
    waits = [f"the promised wait of {one.title.lower()}" for one in scene.work]
    return [*waits, *(LIMITS[key] for key in ("capex", "opex", "power", "ports", "racks"))]


def _arrivals(own: Own, scene: Scene, plan: Plan) -> Iterator[Question]:
    """From which month on an order is of use: lead time, frozen months and whole months together."""
    names = [month.name for month in scene.months]
    for one in _largest(orders(scene, plan)):
        right = names[one.arrives]
        around = [
            names[at] for at in range(one.arrives - 3, one.arrives + 4) if 0 <= at < len(names)
        ]
        near = [names[at] for at in (one.arrives - 1, one.arrives + 1) if 0 <= at < len(names)]
        told = f"Ordered in {one.row.month}, {one.item.weeks} weeks; of use from the next whole month on."
        question = choice(
            own,
            f"there/{one.row.id}",
            "there",
            f"Your order “{one.row.id}” of {one.row.month} ({quantity(one.row.item, one.row.count)} for"
            f" {one.row.site}): from which month on is it in use, if nothing slips?",
            right,
            drawn(f"{own.digest}/there/{one.row.id}", [name for name in around if name != right]),
            told,
            near=near,
        )
        if question:
            yield question


def _tightest(own: Own, scene: Scene, base: Json) -> Iterator[Question]:
    """Which month of the own plan comes closest to a promised wait: a place in the own year."""
    for work in sorted(scene.work, key=lambda one: -one.gpu_hours_day):
        waits = {
            row["month"]: row["classes"][work.job_class]["wait_p95_h"] for row in base["months"]
        }
        ranked = sorted(waits, key=lambda name: (-waits[name], name))
        if waits[ranked[0]] <= (1 + WITHIN) * waits[ranked[1]] or waits[ranked[0]] < 0.5:
            continue
        question = choice(
            own,
            f"tight/{work.job_class}",
            "tight",
            f"In which month of your plan does {work.title.lower()} wait longest?",
            ranked[0],
            drawn(f"{own.digest}/tight/{work.job_class}", ranked[2:]),
            f"Played over the expected year: {waits[ranked[0]]:,.1f} h at p95 in {ranked[0]}, in no other month"
            f" more than {waits[ranked[1]]:,.1f} h.",
            form=PLACE,
            near=[ranked[1]],
        )
        if question:
            yield question
