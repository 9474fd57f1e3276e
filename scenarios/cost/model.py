"""What can be saved in a bill: each lever alone, between others, and the most that all together reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from scenarios.company.profile import Profile
from scenarios.cost.catalogue import levers
from scenarios.cost.documents import in_place
from scenarios.cost.ledger import Bill, bill_of
from scenarios.cost.sellers import CLOUD

WEEKS_OF_A_YEAR = 46
"""That an engineer works."""
_ROOM = (0.45, 0.6)
"""Part of what could be saved in the cloud for which the least sum leaves room."""
_FEWEST = 6
"""Savings that there has to be room for."""
_ROUND = 100_000
"""Cents to which a least sum is agreed."""


@dataclass(frozen=True, slots=True)
class Saving:
    """One lever in one bill, money in cents a year.

    `alone` when nothing else is done, `last` when everything else of the optimum is done first; `low` and
    `high` are the range that the materials support; `effort` is what the engineers' weeks cost; `done` where
    the policies say that its rule holds already.
    """

    lever: str
    alone: int
    last: int
    low: int
    high: int
    effort: int
    lines: Mapping[str, int]
    how: str
    shows: tuple[str, ...]
    done: bool

    @property
    def real(self) -> bool:
        """Whether it saves more in a year than it costs in work, and is not done already."""
        return self.alone > self.effort and not self.done


@dataclass(frozen=True)
class Model:
    """The savings of a bill; `best` is the set of levers to pull, `most` what it saves, in cents.

    `least`: cents that the cloud is to be paid in the coming year; nothing below them is saved.
    What a single lever saves is reckoned before that, as if it were pulled first.
    """

    bill: Bill
    savings: Mapping[str, Saving]
    best: tuple[str, ...]
    most: int
    least: int | None = None

    @property
    def room(self) -> int | None:
        """Cents by which payments to the cloud can fall before the least sum is due; None without one."""
        return None if self.least is None else _paid(self.bill) - self.least

    def saved(self, chosen: Iterable[str]) -> int:
        """Cents that these levers save together: on the same line each acts on what the others leave.

        Of levers that exclude one another the larger counts; of the cloud's lines what there is room for.
        """
        return _within(self.bill, list(_one_of_each_group(self.bill, chosen)), self.room)


@lru_cache(maxsize=3)
def model_of(profile: Profile, level: str, seed: int) -> Model:
    """The savings of the bill of this company, level and seed. Raises NoBill."""
    bill = bill_of(profile, level, seed)
    done = in_place(bill.scene)
    real = [key for key in levers() if _alone(bill, key) > _effort(bill, key) and key not in done]
    best, most = _best(bill, real)
    savings = {key: _saving(bill, key, best, key in done) for key in levers()}
    if not bill.scene.settings.bound:
        return Model(bill, savings, best, most)
    least, kept = _bound(bill, best)
    return Model(bill, savings, kept, _within(bill, list(kept), _paid(bill) - least), least)


def cloud_lines(bill: Bill) -> frozenset[str]:
    """The lines that the cloud invoices."""
    return frozenset(row.line for row in bill.rows if row.seller is CLOUD)


def _paid(bill: Bill) -> int:
    return sum(row.billed for row in bill.rows if row.seller is CLOUD)


def _bound(bill: Bill, best: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """A round least sum that leaves room for a part of the cloud's savings, and what is then worth it.

    The part grows until enough savings have room that a table can be made of them.
    """
    lines, paid = cloud_lines(bill), _paid(bill)
    able = sum(_of_line(bill, line, best) for line in bill.cost if line in lines)
    part = bill.scene.stream("undertaking").between(*_ROOM)
    while True:
        least = round((paid - able * part) / _ROUND) * _ROUND
        kept = _worth_it(bill, best, paid - least)
        if len(kept) >= min(_FEWEST, len(best)) or part > 1:
            return least, kept
        part += 0.05


def _within(bill: Bill, chosen: Sequence[str], room: int | None) -> int:
    lines = cloud_lines(bill) if room is not None else frozenset()
    inside = sum(_of_line(bill, line, chosen) for line in bill.cost if line in lines)
    outside = sum(_of_line(bill, line, chosen) for line in bill.cost if line not in lines)
    return round(outside + (inside if room is None else min(inside, room)))


def _worth_it(bill: Bill, best: tuple[str, ...], room: int) -> tuple[str, ...]:
    """What is left when the lever that costs most beyond what it adds is left out, one after the other."""
    kept = list(best)
    while True:
        whole = _within(bill, kept, room)
        lost = {
            key: whole
            - _within(bill, [one for one in kept if one != key], room)
            - _effort(bill, key)
            for key in kept
        }
        least = min(kept, key=lambda key: (lost[key], key))
        if lost[least] > 0:
            return tuple(kept)
        kept.remove(least)


def _alone(bill: Bill, key: str) -> int:
    return round(
        sum(bill.cost.get(line, 0) * part for line, part in bill.worths[key].parts.items())
    )


def _effort(bill: Bill, key: str) -> int:
    return round(
        levers()[key].weeks * bill.scene.profile.price_book.engineer_year * 100 / WEEKS_OF_A_YEAR
    )


def _of_line(bill: Bill, line: str, chosen: Iterable[str]) -> float:
    left = prod(1 - bill.worths[key].parts.get(line, 0.0) for key in chosen)
    return bill.cost[line] * (1 - left)


def _total(bill: Bill, chosen: Iterable[str]) -> int:
    kept = list(chosen)
    return round(sum(_of_line(bill, line, kept) for line in bill.cost))


def _one_of_each_group(bill: Bill, chosen: Iterable[str]) -> Iterator[str]:
    kept: dict[str, str] = {}
    for key in dict.fromkeys(chosen):
        group = levers()[key].group or key
        if group not in kept or _alone(bill, key) > _alone(bill, kept[group]):
            kept[group] = key
    yield from kept.values()


def _best(bill: Bill, real: list[str]) -> tuple[tuple[str, ...], int]:
    """Every choice among levers that exclude one another is tried; the others all help."""
    groups: dict[str, list[str]] = {}
    for key in real:
        groups.setdefault(levers()[key].group or key, []).append(key)
    options = [tuple(one) for one in product(*groups.values())]
    found = max(options, key=lambda one: (_total(bill, one), one))
    return found, _total(bill, found)


def _saving(bill: Bill, key: str, best: tuple[str, ...], done: bool) -> Saving:
    lever, worth = levers()[key], bill.worths[key]
    alone = _alone(bill, key)
    others = [
        one
        for one in best
        if one != key and not (lever.group and levers()[one].group == lever.group)
    ]
    last = _total(bill, [*others, key]) - _total(bill, others)
    return Saving(
        lever=key,
        alone=alone,
        last=last,
        low=round(last * (1 - lever.spread)),
        high=round(alone * (1 + lever.spread)),
        effort=_effort(bill, key),
        lines={line: round(bill.cost.get(line, 0) * part) for line, part in worth.parts.items()},
        how=f"{worth.how} The policies say that this is done already." if done else worth.how,
        shows=worth.shows,
        done=done,
    )
