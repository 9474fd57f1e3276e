"""Checks FOCUS 1.2 rows: one sentence for each rule that a row breaks."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from scenarios.cost.focus_columns import (
    ALLOWED,
    COLUMNS,
    DECIMALS,
    DETAILS,
    INSTANTS,
    NEVER_NULL,
    NO_LESS_THAN_ZERO,
    OBJECTS,
    SUBCATEGORIES,
)

_INSTANT = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"
)
_CURRENCY = re.compile(r"[A-Z]{3}")
_TOGETHER = (
    ("ResourceId", "ResourceType", True),
    ("SubAccountId", "SubAccountName", True),
    ("SubAccountId", "SubAccountType", True),
    ("RegionId", "RegionName", True),
    ("CommitmentDiscountId", "CommitmentDiscountName", False),
    ("CommitmentDiscountId", "CommitmentDiscountType", True),
    ("CommitmentDiscountId", "CommitmentDiscountCategory", True),
    ("CommitmentDiscountId", "CommitmentDiscountUnit", True),
    ("CommitmentDiscountId", "CommitmentDiscountQuantity", True),
    ("ConsumedQuantity", "ConsumedUnit", True),
    ("PricingQuantity", "PricingUnit", True),
)
"""(first, second, needed): the second is null where the first is, and given where the first is if needed."""
_PRICED = (
    "ListUnitPrice",
    "ContractedUnitPrice",
    "PricingQuantity",
    "PricingUnit",
    "PricingCategory",
    "SkuId",
    "SkuPriceId",
)
Cells = Mapping[str, str]


def broken_columns(names: Sequence[str]) -> list[str]:
    """What is wrong with the set of columns; own ones may begin with x_."""
    said = [f"The column {name} is missing." for name in COLUMNS if name not in names]
    said += [
        f"{name} is no column of FOCUS 1.2."
        for name in names
        if name not in COLUMNS and not name.startswith("x_")
    ]
    if len(set(names)) < len(names):
        said.append("A column is there twice.")
    return said


def broken(row: Cells) -> list[str]:
    """One sentence for each rule that the row breaks; "" is null."""
    said = [f"{name} is null." for name in NEVER_NULL if not row[name]]
    said += _types(row)
    if said:
        return said
    return [*_values(row), *_nulls(row), *_sums(row), *_periods(row)]


def _types(row: Cells) -> Iterator[str]:
    for name in DECIMALS:
        if row[name] and _number(row[name]) is None:
            yield f"{name} is no decimal."
    for name in INSTANTS:
        if row[name] and not _INSTANT.fullmatch(row[name]):
            yield f"{name} is no instant in UTC."
    for name in ("BillingCurrency", "PricingCurrency"):
        if not _CURRENCY.fullmatch(row[name]):
            yield f"{name} is no currency code."
    for name in OBJECTS:
        if row[name] and _object(row[name]) is None:
            yield f"{name} is no JSON object."


def _number(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _object(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _values(row: Cells) -> Iterator[str]:
    for name, allowed in ALLOWED.items():
        if row[name] and row[name] not in allowed:
            yield f"{name} is {row[name]!r}, which is none of {', '.join(allowed)}."
    kinds = SUBCATEGORIES.get(row["ServiceCategory"])
    if kinds is None:
        yield f"ServiceCategory is {row['ServiceCategory']!r}."
    elif row["ServiceSubcategory"] not in (*kinds, f"Other ({row['ServiceCategory']})"):
        yield f"ServiceSubcategory {row['ServiceSubcategory']!r} is none of {row['ServiceCategory']}."
    for name in NO_LESS_THAN_ZERO:
        if row[name] and Decimal(row[name]) < 0:
            yield f"{name} is below 0."
    if row["ChargeCategory"] == "Purchase" and row["ChargeFrequency"] == "Usage-Based":
        yield "ChargeFrequency of a purchase is Usage-Based."
    for key in _object(row["SkuPriceDetails"] or "{}") or {}:
        if key not in DETAILS and not key.startswith("x_"):
            yield f"SkuPriceDetails has the key {key}, which is neither defined nor begins with x_."


def _nulls(row: Cells) -> Iterator[str]:
    for first, second, needed in _TOGETHER:
        if row[second] and not row[first]:
            yield f"{second} is given and {first} is null."
        if needed and row[first] and not row[second]:
            yield f"{first} is given and {second} is null."
    if row["ResourceName"] and not row["ResourceId"]:
        yield "ResourceName is given and ResourceId is null."
    category, correction = row["ChargeCategory"], row["ChargeClass"] == "Correction"
    if category in ("Usage", "Purchase") and not correction:
        yield from (f"{name} is null for a {category}." for name in _PRICED if not row[name])
    if category == "Tax":
        yield from (f"{name} is given for a tax." for name in _PRICED if row[name])
    unused = row["CommitmentDiscountStatus"] == "Unused"
    if (category != "Usage" or unused) and row["ConsumedQuantity"]:
        yield "ConsumedQuantity is given where nothing was consumed."
    if category == "Usage" and not unused and not correction and not row["ConsumedQuantity"]:
        yield "ConsumedQuantity is null for usage."
    yield from _statuses(row, category)


def _statuses(row: Cells, category: str) -> Iterator[str]:
    for kind in ("CommitmentDiscount", "CapacityReservation"):
        given, status = row[f"{kind}Id"], row[f"{kind}Status"]
        if status and not given:
            yield f"{kind}Status is given and {kind}Id is null."
        if given and category == "Usage" and not status:
            yield f"{kind}Status is null for usage with {kind}Id."
        if given and category == "Purchase" and status:
            yield f"{kind}Status is given for a purchase."
    if row["CommitmentDiscountStatus"] and row["PricingCategory"] != "Committed":
        yield "PricingCategory of what a commitment covers is not Committed."
    if row["PricingCategory"] == "Committed" and not row["CommitmentDiscountId"]:
        yield "PricingCategory is Committed without a commitment."


def _sums(row: Cells) -> Iterator[str]:
    listed, contracted = Decimal(row["ListCost"]), Decimal(row["ContractedCost"])
    for price, cost in (("ListUnitPrice", listed), ("ContractedUnitPrice", contracted)):
        if (
            row[price]
            and row["PricingQuantity"]
            and Decimal(row[price]) * Decimal(row["PricingQuantity"]) != cost
        ):
            yield f"{price} times PricingQuantity is not the cost."
    if (
        row["ChargeCategory"] == "Usage"
        and row["ChargeClass"] != "Correction"
        and not listed >= contracted >= 0
    ):
        yield "ListCost, ContractedCost and 0 are not in this order."
    if (
        row["ChargeCategory"] == "Purchase"
        and row["CommitmentDiscountId"]
        and Decimal(row["EffectiveCost"]) != 0
    ):
        yield "EffectiveCost of a commitment's purchase is not 0."
    if row["CommitmentDiscountStatus"] and Decimal(row["BilledCost"]) != 0:
        yield "BilledCost of what a commitment covers is not 0."


def _periods(row: Cells) -> Iterator[str]:
    if not row["ChargePeriodStart"] < row["ChargePeriodEnd"]:
        yield "The charge period ends before it begins."
    if (
        not row["BillingPeriodStart"] <= row["ChargePeriodStart"]
        or not row["ChargePeriodEnd"] <= row["BillingPeriodEnd"]
    ):
        yield "The charge period lies outside of the billing period."


def broken_sums(rows: Iterable[Cells], invoices: Mapping[str, Decimal]) -> list[str]:
    """What does not close over all rows: invoices, and each commitment's purchase against its use, by month."""
    billed: dict[str, Decimal] = defaultdict(Decimal)
    paid: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for row in rows:
        if row["InvoiceId"]:
            billed[row["InvoiceId"]] += Decimal(row["BilledCost"])
        if given := row["CommitmentDiscountId"]:
            place = given, row["BillingPeriodStart"]
            if row["ChargeCategory"] == "Purchase":
                paid[place] += Decimal(row["BilledCost"])
            else:
                paid[place] -= Decimal(row["EffectiveCost"])
    said = [
        f"Invoice {one} comes to {billed.get(one, Decimal())} in the rows and"
        f" {invoices.get(one, Decimal())} on paper."
        for one in sorted({*billed, *invoices})
        if billed.get(one) != invoices.get(one)
    ]
    return said + [
        f"Commitment {given} of {month[:7]}: purchase less use is {left}."
        for (given, month), left in sorted(paid.items())
        if left
    ]
