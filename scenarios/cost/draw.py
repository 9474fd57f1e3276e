"""Draws what is wrong with one company's bill: which levers are real, how large, and who proposes what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache

from scenarios.company.profile import Profile, digest
from scenarios.company.profile.tables import Team
from scenarios.cost.catalogue import Lever, levers, traps
from scenarios.cost.levels import LEVELS, Settings
from scenarios.simulator.streams import Stream

MONTHS = 12
FEWEST_GPUS, MOST_GPUS = 16, 160
"""GPUs of which a bill is made: a larger company is shown in part, as nobody could read its bill in an hour."""
READING_ARCHIVE = 2_000
"""US cents for a TB that is got back from the archive."""
FULLEST_BURST = 4
"""Most planted levers that free GPU-hours of our own: more would leave no burst to save."""
DISPLACED = 0.7
"""Hours of burst that an hour freed on our own GPUs replaces (policies/bursting.md says so)."""
_CERTAIN = ("unused_commitment", "zombies")


class NoBill(ValueError):
    """No bill can be made for this company; the message is one sentence."""


@dataclass(frozen=True)
class Month:
    """One month of the bill. `start` is its first day, `end` the day after its last."""

    start: date
    end: date

    @cached_property
    def name(self) -> str:
        return self.start.isoformat()[:7]

    @property
    def days(self) -> int:
        return (self.end - self.start).days


@dataclass(frozen=True, slots=True)
class Prices:
    """Whole US cents. Rents per GPU-hour, storage per TB and day, transfer per TB, kwh per kWh,
    addresses per day."""

    on_demand: int
    reserved: int
    spot: int
    volume: int
    snapshot: int
    hot: int
    cool: int
    archive: int
    egress: int
    nat: int
    zones: int
    address: int
    kw_month: int
    kwh: int
    licence_month: int
    small_gpu: int


@dataclass(frozen=True)
class Scene:
    """One company and what is drawn about it. `part`: lever -> part of its lines' cost, before counting
    in whole units; `planted` are the real levers; `roles`: kind of cloud account -> team."""

    profile: Profile
    settings: Settings
    seed: str
    months: tuple[Month, ...]
    prices: Prices
    planted: frozenset[str]
    part: dict[str, float]
    baits: tuple[str, ...]
    roles: dict[str, Team]
    scale: float

    def stream(self, cause: str) -> Stream:
        """Random numbers for one thing, apart from those of all others."""
        return Stream(self.seed, cause)

    @cached_property
    def today(self) -> date:
        """The day of the documents: that of the price book."""
        return date.fromisoformat(self.profile.price_book.dated)

    @cached_property
    def gpus(self) -> int:
        """GPUs of the nodes that the company owns and lists, of whatever kind."""
        return sum(kind.count * kind.gpus for kind in self.profile.node_types)

    @cached_property
    def days(self) -> tuple[date, ...]:
        return tuple(self.month_of)

    @cached_property
    def month_of(self) -> dict[date, Month]:
        """Day -> the month in which it lies."""
        return {
            month.start + timedelta(days=n): month
            for month in self.months
            for n in range(month.days)
        }


@lru_cache(maxsize=8)
def scene_of(profile: Profile, level: str, seed: int) -> Scene:
    """What is drawn for this company, level and seed. Raises NoBill."""
    profile, settings = profile.in_part(MOST_GPUS), LEVELS[level]
    own = f"bill {level} {seed} {digest(profile)[:16]}"
    gpus = sum(kind.count * kind.gpus for kind in profile.node_types)
    if gpus < FEWEST_GPUS:
        raise NoBill(
            f"The company has {gpus} GPUs; the bill is only worth reading from {FEWEST_GPUS} on."
        )
    planted = _planted(Stream(own, "levers"), settings)
    size = Stream(own, "sizes")
    part = {
        lever.key: size.between(*(lever.real if lever.key in planted else lever.idle))
        for lever in levers().values()
    }
    return Scene(
        profile=profile,
        settings=settings,
        seed=own,
        months=_months(profile.price_book.dated),
        prices=_prices(profile),
        planted=planted,
        part=part,
        baits=_baits(Stream(own, "baits"), settings.baits),
        roles=_roles(profile.teams),
        scale=gpus / 160,
    )


def _months(dated: str) -> tuple[Month, ...]:
    """The twelve whole months before the month of the price book."""
    year, month = int(dated[:4]), int(dated[5:7])
    found = []
    for back in range(MONTHS, 0, -1):
        first = year * 12 + month - 1 - back
        start, after = date(first // 12, first % 12 + 1, 1), first + 1
        found.append(Month(start, date(after // 12, after % 12 + 1, 1)))
    return tuple(found)


def _prices(profile: Profile) -> Prices:
    book, site, rate = profile.price_book, profile.facility.sites[0], profile.per_usd
    return Prices(
        on_demand=_cents(book.on_demand_gpu_hour),
        reserved=_cents(book.reserved_1y_gpu_hour),
        spot=_cents(book.spot_gpu_hour),
        volume=in_units(263, rate),
        snapshot=in_units(164, rate),
        hot=in_units(76, rate),
        cool=in_units(41, rate),
        archive=in_units(13, rate),
        egress=_cents(book.egress_gb * 1000),
        nat=in_units(4500, rate),
        zones=in_units(2000, rate),
        address=in_units(12, rate),
        kw_month=_cents(book.colocation_kw_month),
        kwh=_cents(site.price_kwh),
        licence_month=_cents(book.licence_gpu_year / 12),
        small_gpu=max(1, round(_cents(book.on_demand_gpu_hour) * 0.28)),
    )


def in_units(cents: int, rate: float) -> int:
    """So many US cents in hundredths of the company's currency, whole."""
    return max(1, round(cents * rate))


def _cents(usd: float) -> int:
    return max(1, round(usd * 100))


def _planted(draw: Stream, settings: Settings) -> frozenset[str]:
    """So many real levers, of enough kinds that the whole bill is worth reading."""
    open_to = [
        lever for lever in levers().values() if lever.plantable and lever.key not in _CERTAIN
    ]
    chosen = list(_CERTAIN)
    wanted = ("rates", "storage", "contracts", "usage", "usage", "governance", "network")
    for category in (*wanted, *("",) * MONTHS):
        if len(chosen) >= settings.real:
            break
        fits = [
            one
            for one in open_to
            if one.key not in chosen and category in ("", one.category) and _room(one, chosen)
        ]
        chosen.append(draw.pick([(one.key, 1.0) for one in fits]))
    return frozenset(chosen)


def _room(lever: Lever, chosen: list[str]) -> bool:
    if "od.burst" not in lever.lines:
        return True
    return sum("od.burst" in levers()[key].lines for key in chosen) < FULLEST_BURST


def _baits(draw: Stream, count: int) -> tuple[str, ...]:
    left, chosen = list(traps()), []
    for _ in range(count):
        chosen.append(left.pop(int(draw.unit() * len(left))))
    return tuple(chosen)


def _roles(teams: tuple[Team, ...]) -> dict[str, Team]:
    """Whose a cloud account is: the team that does most of that kind of work."""

    def most(kind: str) -> Team:
        return max(teams, key=lambda team: (team.gpu_share * team.mix[kind], team.name))

    serving = most("inference")
    return {
        "serving": serving,
        "small": serving,
        "burst": most("training"),
        "dev": most("interactive"),
        "batch": most("batch"),
        "eval": most("fine_tuning"),
    }
