"""From a cost file to prices, storage and budget."""

from __future__ import annotations

from typing import Any

from scenarios.company.importer.draft import Draft
from scenarios.company.importer.focus import Costs
from scenarios.company.profile import DEFAULT
from scenarios.company.profile.defaults import DATED
from scenarios.company.profile.money import DOLLAR, RATES

SPOT_PART = 0.4
"""Spot over on-demand price where a file has no spot rows (domain handbook 2.9: some 60 % below)."""
_SAID = {
    "egress": ("egress_gb", "price of a GB out of the cloud"),
    "colocation": ("colocation_kw_month", "price of a kW in colocation"),
    "licence": ("licence_gpu_year", "licences"),
}


def fit_costs(found: Costs, draft: Draft) -> None:
    """Write prices, budget and, without an inventory of it, storage to the draft."""
    draft.sources.append(
        f"FOCUS: {found.rows:,} rows of {len(found.months):,} months up to {found.last_day}."
    )
    if found.currency != DOLLAR:
        draft.set("prices", "currency", found.currency, "From FOCUS: the currency of the bill.")
    _rents(found, draft)
    for name, (key, said) in _SAID.items():
        _price(found, draft, name, key, said)
    _support(found, draft)
    _power(found, draft)
    if "storage" not in draft.data:
        _storage(found, draft)
    _budget(found, draft)
    bought = [row["purchased"] for row in draft.data.get("node_types", []) if "purchased" in row]
    dated = max([found.last_day, *(f"{month}-28" for month in bought)])
    draft.set("price_book", "dated", dated, "The last day of the cost file, or of a purchase.")


def _rents(found: Costs, draft: Draft) -> None:
    prices = {name: found.prices[name].price for name in ("on_demand", "spot", "reserved")}
    asked = prices["on_demand"]
    money, usual = found.currency, DEFAULT.price_book.on_demand_gpu_hour * RATES[found.currency]
    if asked is None:
        draft.missing.append(
            "On-demand price: no compute row with PricingCategory Standard, hours and a number of GPUs, so "
            f"{usual:.2f} {money}."
        )
        asked = usual
    else:
        draft.set("price_book", "on_demand_gpu_hour", round(asked, 4), _from(found, "on_demand"))
    spot = prices["spot"]
    if spot is None or spot >= asked:
        why = "no spot rows" if spot is None else f"{spot:.2f} {money} is not below on demand"
        draft.missing.append(f"Spot price: {why}, so {SPOT_PART:.0%} of on demand.")
        draft.set("price_book", "spot_gpu_hour", round(asked * SPOT_PART, 4), "Assumed.")
    else:
        draft.set("price_book", "spot_gpu_hour", round(spot, 4), _from(found, "spot"))
    reserved = prices["reserved"]
    if reserved is None or reserved > asked:
        draft.missing.append(
            "Reserved prices: no usable rows of commitments, so 65 % and 45 % of on demand."
        )
        draft.set("price_book", "reserved_1y_gpu_hour", round(asked * 0.65, 4), "Assumed.")
        draft.set("price_book", "reserved_3y_gpu_hour", round(asked * 0.45, 4), "Assumed.")
    else:
        draft.set(
            "price_book", "reserved_1y_gpu_hour", round(reserved, 4), _from(found, "reserved")
        )
        draft.set("price_book", "reserved_3y_gpu_hour", round(reserved * 0.7, 4), "Assumed.")
        draft.missing.append(
            "Term of commitments: FOCUS does not tell it, so they count as one year's."
        )
    if found.without_gpus:
        draft.missing.append(
            f"{found.without_gpus:,} compute rows do not tell how many GPUs they rent and count in no price."
        )


def _from(found: Costs, name: str) -> str:
    mean = found.prices[name]
    return f"From FOCUS: effective cost over quantity in {mean.rows:,} rows."


def _price(found: Costs, draft: Draft, name: str, key: str, said: str) -> None:
    if (price := found.prices[name].price) is None:
        draft.missing.append(f"The {said}: no rows for it, so the default stands.")
    else:
        draft.set("price_book", key, round(price, 4), _from(found, name))


def _support(found: Costs, draft: Draft) -> None:
    rows = draft.data.get("node_types", [])
    bought = sum(row["count"] * row.get("price_usd", 0.0) for row in rows)
    months = len(found.months)
    if not (found.support > 0 and bought > 0 and months):
        draft.missing.append(
            "Support in percent: it takes support rows and an inventory with prices, so the default stands."
        )
        return
    percent = found.support / months * 12 / bought * 100
    said = "From FOCUS and the inventory: a year's support over what the nodes cost."
    draft.set("price_book", "support_percent", round(min(50.0, percent), 2), said)


def _power(found: Costs, draft: Draft) -> None:
    price = found.prices["power"].price
    sites: list[dict[str, Any]] = draft.data.get("facility", {}).get("sites", [])
    if price is None or not sites:
        return
    for number, site in enumerate(sites, start=1):
        if "price_kwh" not in site:
            site["price_kwh"] = round(price, 4)
            draft.notes[f"facility.sites.{number}.price_kwh"] = _from(found, "power")


def _storage(found: Costs, draft: Draft) -> None:
    price = found.prices["storage"].price
    if price is None:
        draft.missing.append("Storage: neither an inventory nor a cost row tells of any.")
        return
    size = max(found.stored.values())
    draft.data["storage"] = {
        "tiers": [
            {
                "name": "Cloud storage",
                "kind": "object",
                "capacity_tb": max(0.1, round(size, 1)),
                "used_tb": round(size, 1),
                "bandwidth_gbs": 30.0,
                "price_tb_month": round(price, 4),
            }
        ]
    }
    draft.notes["storage.tiers"] = (
        f"{_from(found, 'storage')} Size is that of the fullest month; its bandwidth is assumed."
    )
    draft.missing.append("Bandwidth of cloud storage: costs do not tell, so 30 GB/s.")


def _budget(found: Costs, draft: Draft) -> None:
    days = found.last_day or DATED
    months = sorted(found.months)[-12:]
    opex = sum(max(0.0, found.months[month]) for month in months) / max(1, len(months)) * 3
    bought = sum(max(0.0, value) for month, value in found.purchases.items() if month in months) / 4
    year, quarter = int(days[:4]), (int(days[5:7]) - 1) // 3 + 1
    rows = []
    for _ in range(4):
        year, quarter = (year + 1, 1) if quarter == 4 else (year, quarter + 1)
        rows.append(
            {
                "quarter": f"{year}-Q{quarter}",
                "capex_usd": round(bought, -2),
                "opex_usd": round(opex, -2),
            }
        )
    draft.data["budget"] = {"quarters": rows}
    draft.notes["budget.quarters"] = (
        f"From FOCUS: what was billed in {len(months)} months, spread over the four quarters that follow; "
        "one-time purchases are capex."
    )
    draft.missing.append("Budget: costs tell what was spent, not what may be spent; read it over.")
