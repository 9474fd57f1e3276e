"""Why a figure is what it is: the parts behind every figure of a year's summary, month by month."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scenarios.scaling.content import content
from scenarios.scaling.played import Played
from scenarios.scaling.reasons_waits import row, waits
from scenarios.scaling.tally import Tally
from scenarios.scaling.wording import amount, usd

Month = Mapping[str, Any]


def reasons(
    played: Played, months: Sequence[Month], measures: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Rows of {figure, month, job_class, text, parts}; month is "" for the year, job_class "" for all.

    figure: key of a measure. parts: [name, value, unit] each.
    """
    found = list(waits(played, months, measures))
    for index, month in enumerate(months):
        tally = played.tallies[index]
        found.append(_delivered(month))
        found.append(_utilisation(month, tally))
        found.append(_saturated(played, month, tally))
        found.append(_cost(month))
        found.append(_borne(played, month))
        found.append(_unused(played, index, month, tally))
        if month["over"]:
            found.append(_over(played, index, month))
    return [*found, *_years(months, measures)]


def _delivered(month: Month) -> dict[str, Any]:
    rows = month["classes"].values()
    asked, got = month["asked_gpu_hours"], month["delivered_gpu_hours"]
    cloud = sum(one["cloud_gpu_hours"] for one in rows)
    lost = sum(one["lost_gpu_hours"] for one in rows)
    gone = sum(one["withdrawn_gpu_hours"] for one in rows)
    text = f"Delivered in {month['month']}: {amount(got)} of {amount(asked)} GPU-hours asked for"
    text += f", {amount(cloud)} of them in a cloud" if cloud >= 1 else ""
    text += f". Work on {amount(gone)} was withdrawn after waiting too long" if gone >= 1 else ""
    parts = [
        ["Asked for", asked, "GPU-hours"],
        ["Delivered on own GPUs", round(got - cloud, 1), "GPU-hours"],
        ["Delivered in a cloud", round(cloud, 1), "GPU-hours"],
        ["Withdrawn after waiting", round(gone, 1), "GPU-hours"],
        ["Repeated after stops and failures", round(lost, 1), "GPU-hours"],
    ]
    return row("delivered", month["month"], f"{text}.", parts)


def _utilisation(month: Month, tally: Tally) -> dict[str, Any]:
    slowed = sum(one.stretched for one in tally.classes.values())
    hours = {
        "Stood there": tally.paid,
        "Lacked power, ports or a rack": max(0.0, tally.paid - tally.placed),
        "Failed, being mended": max(0.0, tally.placed - tally.working),
        "Free": max(0.0, tally.working - tally.held),
        "Held by sessions that did nothing": tally.idle,
        "Lost waiting for storage or network": slowed,
        "At work": max(0.0, tally.useful - slowed),
    }
    parts = [[name, round(value, 1), "GPU-hours"] for name, value in hours.items()]
    use = month["own"]["utilisation_percent"]
    largest = max(parts[1:6], key=lambda one: float(str(one[1])))
    text = f"Use of own GPUs in {month['month']}: {use:.0f} %."
    if largest[1]:
        text += f" Most of the rest: {str(largest[0]).lower()}, {amount(largest[1])} GPU-hours."
    return row("utilisation", month["month"], text, parts)


def _saturated(played: Played, month: Month, tally: Tally) -> dict[str, Any]:
    parts: list[list[Any]] = [["Hours in the month", tally.hours, "h"]]
    said = []
    for name, site in month["sites"].items():
        for key, title in (("storage", "storage"), ("spine", "spine")):
            full = site[f"{key}_full_percent"]
            parts.append([f"{name}: {title} full", full, "% of hours"])
            parts.append([f"{name}: {title}, mean load", site[f"{key}_load_percent"], "%"])
            if full >= 1:
                said.append(f"{title} of {name} {full:.0f} %")
    slowed = sum(one.stretched for one in tally.classes.values())
    parts.append(["Lost waiting for them", round(slowed, 1), "GPU-hours"])
    text = f"Full in {month['month']}: {', '.join(said) or 'nothing for more than 1 %'}"
    text += f" of the hours. Work lost {amount(slowed)} GPU-hours to it."
    return row("saturated", month["month"], text, parts)


def _cost(month: Month) -> dict[str, Any]:
    money, got = month["money"], month["delivered_gpu_hours"]
    parts = [[name.capitalize(), value, "USD"] for name, value in money["parts"].items() if value]
    parts.append(["Written off", money["written_off_usd"], "USD"])
    parts.append(["Delivered", got, "GPU-hours"])
    total = money["opex_usd"] + money["written_off_usd"]
    text = (
        f"A GPU-hour in {month['month']} cost {month['usd_per_gpu_hour']:.2f} USD: {usd(total)} over "
        f"{amount(got)} GPU-hours delivered."
    )
    return row("usd_per_gpu_hour", month["month"], text, parts)


def _borne(played: Played, month: Month) -> dict[str, Any]:
    """What a month cost the company: money, and promises that were broken."""
    money = month["money"]
    spent = money["opex_usd"] + money["written_off_usd"]
    parts: list[list[Any]] = [["Running costs and written off", round(spent, 2), "USD"]]
    for work in played.scene.work:
        late = month["classes"][work.job_class]["late_gpu_hours"]
        if late >= 1:
            parts.append([f"{work.title}: promised and late", late, "GPU-hours"])
    parts.append(["Broken promises", month["late_usd"], "USD"])
    text = (
        f"In {month['month']} a GPU-hour asked for cost the company {month['year_usd']:.2f} USD, of it "
        f"{usd(month['late_usd'])} in all for promises that were broken."
    )
    return row("year_usd", month["month"], text, parts)


def _unused(played: Played, index: int, month: Month, tally: Tally) -> dict[str, Any]:
    unusable = max(0.0, tally.paid - tally.placed)
    idle = max(0.0, tally.committed - tally.committed_held)
    parts: list[list[Any]] = [
        ["Own nodes that could not be used", round(unusable, 1), "GPU-hours"],
        ["Reserved and not used", round(idle, 1), "GPU-hours"],
    ]
    text = f"Unused in {month['month']}: {amount(unusable + idle)} GPU-hours."
    for there in played.stands[index]:
        for group in there.groups:
            if group.there > group.used:
                count = group.there - group.used
                lacks = content("reasons")["lacks"].get(group.lacks, group.lacks)
                text += (
                    f" {count} of order {group.order} at {there.place.site.name} lacked {lacks}."
                )
                parts.append([f"Order {group.order}: lacked {lacks}", count, "nodes"])
    return row("unused", month["month"], text, parts)


def _over(played: Played, index: int, month: Month) -> dict[str, Any]:
    money = month["money"]
    said = "; ".join(content("reasons")["over"][one] for one in month["over"])
    parts: list[list[Any]] = [
        ["Left for purchases", money["capex_left_usd"], "USD"],
        ["Left for running costs of the quarter", money["opex_left_usd"], "USD"],
        ["Nodes that cannot be used", month["unused_nodes"], "nodes"],
    ]
    return row("months_over", month["month"], f"{month['month']} is over: {said}.", parts)


def _years(months: Sequence[Month], measures: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """For the whole year, the months that make it up."""
    for figure, said in content("reasons")["year"].items():
        parts = [
            [one["month"], round(_figure(one, said["path"]), 2), said["unit"]] for one in months
        ]
        yield row(figure, "", said["text"].format(value=measures[figure]), parts)


def _figure(month: Month, path: str) -> float:
    """A month's figure; of a list its length."""
    if path == "delivered_percent":
        return float(100 * month["delivered_gpu_hours"] / max(1.0, month["asked_gpu_hours"]))
    found: Any = month
    for key in path.split("."):
        found = found[key]
    return float(len(found) if isinstance(found, list) else found)
