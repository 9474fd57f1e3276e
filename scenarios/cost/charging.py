"""One charge of a day or a month, as the bill's areas make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from scenarios.cost.draw import Month, Scene
from scenarios.cost.rows import Row, Seller, Sku, Thing
from scenarios.cost.sellers import ACCOUNTS, CLOUD, home_place, site_place, slug

Tags = tuple[tuple[str, str], ...]


@lru_cache(maxsize=4096)
def usd(cents: int) -> str:
    """Cents as dollars with two decimals."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


NOTICE_DAYS = 30
"""Before the end of every contract that renews."""


def ends(scene: Scene, what: str, soonest: int, latest: int) -> tuple[int, date]:
    """In how many months from the end of the bill a contract ends, and the day.

    Only days whose notice can still be given on the day of the documents: a contract whose notice has
    passed renews for a year, and nothing of it could be saved in the twelve months after the bill.
    """
    days = [_end(scene, left) for left in range(soonest, latest + 2)]
    able = [left for left, day in enumerate(days, soonest) if in_time(scene, day)]
    able = able[: latest - soonest + 1] or [latest + 1]
    left = able[int(scene.stream(f"ends {what}").unit() * len(able))]
    return left, _end(scene, left)


def in_time(scene: Scene, end: date) -> bool:
    """Whether notice for that end can be given on the day of the documents or later."""
    return last_notice(end) >= scene.today


def last_notice(end: date) -> date:
    """The last day on which notice for a contract's end can be given."""
    return end - timedelta(days=NOTICE_DAYS)


def _end(scene: Scene, left: int) -> date:
    last = scene.months[-1].end
    at = last.year * 12 + last.month - 1 + left
    return date(at // 12, at % 12 + 1, 1)


def daily(
    scene: Scene,
    line: str,
    sku: Sku,
    account: str,
    thing: Thing | None,
    day: date,
    amount: int,
    tags: Tags = (),
    zone: str = "",
) -> Row:
    """One day of something in the cloud; `account` is a key of ACCOUNTS."""
    own, cost = ACCOUNTS[account], amount * sku.agreed
    return Row(
        line=line,
        sku=sku,
        seller=CLOUD,
        month=scene.month_of[day],
        start=day,
        end=day + timedelta(days=1),
        quantity=amount,
        billed=cost,
        effective=cost,
        said=f"{sku.meter} in {own.name}",
        account=own,
        thing=thing,
        place=home_place(scene, zone),
        tags=tags,
    )


def daily_use(
    scene: Scene,
    line: str,
    role: str,
    sku: Sku,
    names: list[str],
    hours: Callable[[str, date], int],
    **tags: str,
) -> list[Row]:
    """One charge a day for each instance that ran."""
    return list(_uses(scene, line, role, sku, names, hours, tags))


def _uses(
    scene: Scene,
    line: str,
    role: str,
    sku: Sku,
    names: list[str],
    hours: Callable[[str, date], int],
    tags: dict[str, str],
) -> Iterator[Row]:
    code = ACCOUNTS[role].id[4:7]
    env = "prod" if role in ("serving", "small") else "work"
    marks = tuple(sorted({"team": slug(scene.roles[role].name), "env": env, **tags}.items()))
    for number, name in enumerate(names):
        thing = Thing(f"i-{code}{7919 * (number + 3):06x}", name, "Virtual machine")
        for day in scene.days:
            if used := hours(name, day):
                yield daily(scene, line, sku, role, thing, day, used, marks, "ab"[number % 2])


def monthly(
    scene: Scene,
    line: str,
    sku: Sku,
    seller: Seller,
    month: Month,
    amount: int,
    said: str,
    thing: Thing | None = None,
    *,
    usage: bool = False,
) -> Row:
    """One month of something that somebody outside bills; a purchase that recurs unless it is usage."""
    cost = amount * sku.agreed
    return Row(
        line=line,
        sku=sku,
        seller=seller,
        month=month,
        start=month.start,
        end=month.end,
        quantity=amount,
        billed=cost,
        effective=cost,
        said=said,
        thing=thing,
        place=site_place(scene),
        category="Usage" if usage else "Purchase",
        frequency="Usage-Based" if usage else "Recurring",
    )


def spread_out(
    scene: Scene,
    line: str,
    sku: Sku,
    seller: Seller,
    month: Month,
    cents: int,
    said: str,
    thing: Thing | None = None,
) -> Row:
    """The part of a month of what was paid beforehand: a cost, and on no invoice."""
    return Row(
        line=line,
        sku=sku,
        seller=seller,
        month=month,
        start=month.start,
        end=month.end,
        quantity=1,
        billed=0,
        effective=cents,
        said=said,
        thing=thing,
        place=site_place(scene),
        frequency="Recurring",
        unit_cents=cents,
    )


def instalment(
    scene: Scene, line: str, sku: Sku, seller: Seller, month: Month, cents: int, said: str
) -> Row:
    """A month of a contract whose price is a sum."""
    return Row(
        line=line,
        sku=sku,
        seller=seller,
        month=month,
        start=month.start,
        end=month.end,
        quantity=1,
        billed=cents,
        effective=cents,
        said=said,
        place=None if seller == CLOUD else site_place(scene),
        category="Purchase",
        frequency="Recurring",
        unit_cents=cents,
    )
