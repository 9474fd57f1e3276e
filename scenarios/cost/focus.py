"""FOCUS 1.2 cost and usage rows: written from charges, and checked against the published rules.

Source: FinOps Open Cost and Usage Specification 1.2 (column set, types, allowed values, nullability) and its
invariants in the domain handbook 4.2.
The rules themselves are in `focus_rules`, which reads any FOCUS CSV.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from operator import itemgetter

from scenarios.company.profile.money import DOLLAR
from scenarios.cost.charging import usd
from scenarios.cost.focus_columns import COLUMNS
from scenarios.cost.rows import Row

_NULLS = dict.fromkeys(COLUMNS, "")
_in_order = itemgetter(*COLUMNS)


def header() -> tuple[str, ...]:
    """The columns in the order in which they are written."""
    return COLUMNS


def cells(row: Row, currency: str = DOLLAR) -> tuple[str, ...]:
    """The charge as FOCUS writes it: "" stands for null."""
    values = _NULLS | _who(row) | _what(row) | _how_much(row) | _commitment(row)
    values["BillingCurrency"] = values["PricingCurrency"] = currency
    found: tuple[str, ...] = _in_order(values)
    return found


@lru_cache(maxsize=1024)
def _instant(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"


def _who(row: Row) -> dict[str, str]:
    seller, account, place = row.seller, row.account, row.place
    found = {
        "BillingAccountId": seller.account,
        "BillingAccountName": f"{seller.provider} account",
        "BillingAccountType": seller.kind,
        "ProviderName": seller.provider,
        "PublisherName": seller.publisher,
        "InvoiceIssuerName": seller.provider,
        "InvoiceId": row.invoice,
    }
    if account:
        found |= {
            "SubAccountId": account.id,
            "SubAccountName": account.name,
            "SubAccountType": account.kind,
        }
    if place:
        found |= {
            "RegionId": place.region,
            "RegionName": place.name,
            "AvailabilityZone": place.zone,
        }
    return found


def _what(row: Row) -> dict[str, str]:
    sku, thing = row.sku, row.thing
    found = {
        "BillingPeriodStart": _instant(row.month.start),
        "BillingPeriodEnd": _instant(row.month.end),
        "ChargePeriodStart": _instant(row.start),
        "ChargePeriodEnd": _instant(row.end),
        "ChargeCategory": row.category,
        "ChargeDescription": row.said,
        "ChargeFrequency": row.frequency,
        "ServiceName": sku.service,
        "ServiceCategory": sku.category,
        "ServiceSubcategory": sku.subcategory,
        "SkuId": sku.id,
        "SkuMeter": sku.meter,
        "SkuPriceId": f"{sku.id}-1",
        "SkuPriceDetails": sku.details,
        "Tags": row.tag_text,
    }
    if thing:
        found |= {"ResourceId": thing.id, "ResourceName": thing.name, "ResourceType": thing.kind}
    return found


def pricing(row: Row) -> str:
    """The category of the price that was paid."""
    return "Committed" if row.commitment and row.category == "Usage" else row.sku.pricing


def _how_much(row: Row) -> dict[str, str]:
    listed = usd(row.list_price)
    agreed = usd(row.unit_cents if row.unit_cents is not None else row.sku.agreed)
    found = {
        "BilledCost": usd(row.billed),
        "EffectiveCost": usd(row.effective),
        "ListCost": usd(row.listed),
        "ContractedCost": usd(row.contracted),
        "ListUnitPrice": listed,
        "ContractedUnitPrice": agreed,
        "PricingCurrencyListUnitPrice": listed,
        "PricingCurrencyContractedUnitPrice": agreed,
        "PricingCurrencyEffectiveCost": usd(row.effective),
        "PricingCategory": pricing(row),
        "PricingQuantity": usd(100 * row.quantity),
        "PricingUnit": row.sku.unit,
    }
    if row.category == "Usage" and row.status != "Unused":
        found |= {"ConsumedQuantity": usd(100 * row.quantity), "ConsumedUnit": row.sku.unit}
    return found


def _commitment(row: Row) -> dict[str, str]:
    if not row.commitment:
        return {}
    return {
        "CommitmentDiscountId": row.commitment.id,
        "CommitmentDiscountName": row.commitment.name,
        "CommitmentDiscountType": row.commitment.kind,
        "CommitmentDiscountCategory": "Usage",
        "CommitmentDiscountStatus": row.status,
        "CommitmentDiscountQuantity": usd(100 * row.quantity),
        "CommitmentDiscountUnit": row.sku.unit,
    }


def table(rows: Iterable[Row], currency: str = DOLLAR) -> Iterator[tuple[str, ...]]:
    """All charges as FOCUS rows."""
    return (cells(row, currency) for row in rows)
