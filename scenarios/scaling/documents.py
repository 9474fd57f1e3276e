"""Descriptions, rules and notes of the company: what they say follows from the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta

from scenarios.company.profile.tables import PolicyValue
from scenarios.packs.documents import fill
from scenarios.scaling import site_descriptions
from scenarios.scaling.assumptions import (
    EGRESS_GB_GPU_HOUR,
    LINK_USD_GBPS,
    NODE_FAILURES_DAY,
    NODES_AN_ENGINEER,
    NOT_THERE,
    RECLAIMS_HOUR,
    REPAIR_H,
    STORAGE_TB_PORT,
)
from scenarios.scaling.content import TEXTS, content
from scenarios.scaling.demand import (
    LAUNCH_SIZE,
    LAUNCH_SLIP,
    PRICE_PART,
    SOLD_OUT,
    SPOT_PRICE,
    SPOT_RECLAIMS,
)
from scenarios.scaling.facts import words_of
from scenarios.scaling.forecast import expected, past_orders
from scenarios.scaling.history import DAYS
from scenarios.scaling.items import nodes_a_rack
from scenarios.scaling.notes import Note, notes
from scenarios.scaling.policies import policies
from scenarios.scaling.scene import Event, Scene
from scenarios.scaling.speeds import speed
from scenarios.scaling.template import outline
from scenarios.scaling.wording import TENTH, figure, joined, percent, table, usd
from scenarios.scaling.work import parallel

FAR_LATE = 10
"""Weeks from which an order came far too late."""


def documents(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """(path, title, Markdown) of every document."""
    words = {**words_of(scene), **_history(scene), **_outlook(scene), **_buying(scene)}
    words |= {"rules": _rules(scene), "quotas": _quotas(scene), "agreed": _agreed(scene)}
    words["sites_described"] = site_descriptions.described(scene)
    words["outline"] = outline(scene.level)
    words["notes"] = "\n\n".join(f"**{one.who}:** “{one.text}”" for one in colleagues(scene))
    for path, title in content("documents")["titles"].items():
        if path != "reading.md" or scene.level == "junior":
            yield f"documents/{path}", title, _filled(_text(path), words)


def colleagues(scene: Scene) -> tuple[Note, ...]:
    """The notes of this scene with its figures in their places, for candidates (text) and staff (why)."""
    words = {**_history(scene), "nodes_by_power": _nodes_by_power(scene)}
    return tuple(
        replace(one, text=_filled(one.text, words), why=_filled(one.why, words))
        for one in notes(scene)
    )


def _nodes_by_power(scene: Scene) -> str:
    """How many nodes of the own kind the free kW of each site carry."""
    own = scene.offers[0]
    return joined(
        [
            f"{place.power_free_kw // own.power_kw:.0f} × {own.name} at {place.site.name}"
            for place in scene.places
        ]
    )


def _text(path: str) -> str:
    return (TEXTS / path).read_text(encoding="utf-8")


def _filled(text: str, words: Mapping[str, str]) -> str:
    return fill(text, words, TEXTS)


def _history(scene: Scene) -> Mapping[str, str]:
    first, tier = scene.months[0].start, parallel(scene.places[0])[0]
    return {
        "history_from": f"{first - timedelta(days=DAYS):%-d %B %Y}",
        "history_until": f"{first - timedelta(days=1):%-d %B %Y}",
        "tier": tier.name,
        "failure_days": f"{1 / NODE_FAILURES_DAY:.0f}",
        "repair_h": str(REPAIR_H),
        "filled": percent(tier.used_tb / tier.capacity_tb),
    }


def _outlook(scene: Scene) -> Mapping[str, str]:
    return {
        "rates": _rates(scene),
        "paths": _paths(scene),
        "events": "\n".join(
            f"- {_event(scene, one)}" for one in sorted(scene.events, key=lambda one: one.month)
        ),
        "slip": str(LAUNCH_SLIP),
        "size": percent(LAUNCH_SIZE),
        "budget": table(
            ("quarter", "purchases", "running costs"),
            [(one.quarter, usd(one.capex_usd), usd(one.opex_usd)) for one in scene.quarters],
        ),
        "targets": _targets(scene),
        "late_costs": _late_costs(scene),
    }


def _rates(scene: Scene) -> str:
    rows = []
    for work in scene.work:
        rates = (f"{100 * one:.1f} %" for one in (work.monthly, work.uncertainty))
        rows.append((work.title, f"{work.gpu_hours_day:,.0f}", *rates))
    return table(("kind of work", "GPU-hours a day now", "growth a month", "give or take"), rows)


def _paths(scene: Scene) -> str:
    """Low, median and high at the end of the first, second and last half of the year."""
    months = [scene.months[at] for at in (2, 5, 11)]
    rows = []
    for work in scene.work:
        paths = (
            [expected(scene, work, month.index, one) for one in (-TENTH, 0.0, TENTH)]
            for month in months
        )
        rows.append((work.title, *(" / ".join(f"{one:,.0f}" for one in path) for path in paths)))
    head = ("low / median / high", *(f"{month.start:%B %Y}" for month in months))
    return table(head, rows)


def _event(scene: Scene, event: Event) -> str:
    """One announcement, with its month and what it does."""
    titles = {work.job_class: work.title.lower() for work in scene.work}
    name, more = titles.get(event.subject, event.subject), round(100 * (event.factor - 1))
    does = content("documents")["events"][event.kind].format(name=name, more=more)
    return f"**{scene.months[event.month].start:%B %Y}**: {event.what}. {does}"


def _targets(scene: Scene) -> str:
    rows = []
    for work in scene.work:
        promise = f"95 of 100 jobs start within {figure(float(work.wait_target_h))} h"
        rows.append((work.title, "is served at once" if work.steady else promise, work.priority))
    return table(("kind of work", "promise", "priority (the higher starts first)"), rows)


def _late_costs(scene: Scene) -> str:
    rows = [(work.title, f"{figure(work.late_usd)} USD") for work in scene.work]
    return table(("kind of work", "a GPU-hour that comes late"), rows)


def _rules(scene: Scene) -> str:
    rows = [
        (one.title, f"`{one.policy}`", _value(one.default, one.unit), one.about)
        for one in policies(scene).values()
    ]
    return table(("rule", "key", "now", "what it does"), rows)


def _value(value: PolicyValue, unit: str = "") -> str:
    return f"{figure(value)} {unit}".strip()


def _quotas(scene: Scene) -> str:
    """Which class may hold how many of the own GPUs, and where its data may go."""
    rows = []
    for work in scene.work:
        most = f"{figure(round(100 * work.quota, 1))} % ({work.quota * scene.gpus:.0f} GPUs)"
        rows.append((work.title, most, _elsewhere(scene, work.may_burst, work.regions)))
    return table(("kind of work", "most of the own GPUs that it may hold", "rented GPUs"), rows)


def _elsewhere(scene: Scene, may_burst: bool, regions: tuple[str, ...]) -> str:
    if not scene.has_cloud or not may_burst:
        return "its data stays at the own sites"
    return f"in {joined(regions)}" if regions else "in any region"


def _agreed(scene: Scene) -> str:
    given = scene.profile.policies
    said = [
        f"- {text.format(value=figure(given[key]))}"
        for key, text in content("documents")["agreed"].items()
        if key in given
    ]
    return "\n".join(said) or "- Nothing beyond the rules above."


def _offers(scene: Scene) -> str:
    """What a node of each offer does, needs and costs."""
    rows = []
    for offer in scene.offers:
        work = speed(offer.gpu, scene.profile.gpu)
        price = offer.price_usd + scene.profile.price_book.cabling_node
        rows.append(
            (
                offer.name,
                offer.gpus,
                figure(work),
                usd(price),
                usd(price / max(offer.gpus * work, 1e-9)),
                f"{offer.weeks} weeks",
                figure(offer.power_kw),
                offer.rack_units,
                " / ".join(str(nodes_a_rack(offer, place)) for place in scene.places),
            )
        )
    where = " / ".join(place.site.name for place in scene.places)
    head = (
        "node",
        "GPUs",
        "work",
        "price",
        "price for the work of a GPU of today",
        "lead time",
        "kW at most",
        "units",
        f"nodes in a rack ({where})",
    )
    return table(head, rows)


def _month_of(dated: str) -> str:
    """2026-01-15 as January 2026: an order of the first of the month has its prices; other text as it is."""
    try:
        return f"{date.fromisoformat(dated):%B %Y}"
    except ValueError:
        return dated


def _ranges(scene: Scene) -> Mapping[str, str]:
    """How late orders came, and what the market for rents may be."""
    late = [weeks for *_, weeks in past_orders(scene)]
    return {
        "past": str(len(late)),
        "on_time": str(late.count(0)),
        "far_late": str(sum(weeks >= FAR_LATE for weeks in late)),
        "sold_low": percent(SOLD_OUT[0]),
        "sold_high": percent(SOLD_OUT[1]),
        "reclaims": figure(SPOT_RECLAIMS[1]),
        "spot_low": percent(SPOT_PRICE[0]),
        "spot_high": percent(SPOT_PRICE[1]),
    }


def _buying(scene: Scene) -> Mapping[str, str]:
    book, facility = scene.profile.price_book, scene.profile.facility
    tier = parallel(scene.places[0])[0]
    years = sorted({kind.depreciation_years for place in scene.places for kind, _ in place.nodes})
    words = {
        "tier": tier.name,
        "dated": _month_of(book.dated),
        "cabling": usd(book.cabling_node),
        "dearer": percent(PRICE_PART),
        "node_weeks": joined([f"{one.weeks} ({one.name})" for one in scene.offers]),
        "switch_weeks": str(facility.switch_weeks),
        "storage_weeks": str(facility.storage_weeks),
        "rack_weeks": str(facility.rack_weeks),
        "power_weeks": str(facility.power_weeks),
        "gbs_tb": figure(round(tier.bandwidth_gbs / tier.capacity_tb, 3)),
        "tb_port": figure(STORAGE_TB_PORT),
        "rails": str(scene.profile.fabric.rails),
        "kw_month": figure(book.colocation_kw_month),
        "years": joined([str(one) for one in years]),
        "support": figure(book.support_percent),
        "licence": figure(book.licence_gpu_year),
        "engineer": usd(book.engineer_year),
        "link": figure(scene.link_gbps),
        "egress": figure(book.egress_gb),
        "egress_gb": figure(EGRESS_GB_GPU_HOUR),
        "line": figure(LINK_USD_GBPS * scene.profile.per_usd),
        "sold_out": percent(NOT_THERE),
        "spare_h": f"{1 / RECLAIMS_HOUR:.0f}",
        "nodes_an_engineer": figure(NODES_AN_ENGINEER),
    }
    words |= {"offers": _offers(scene), **_ranges(scene)}
    return words | {"cloud": _filled(_text("cloud.md"), words) if scene.has_cloud else ""}
