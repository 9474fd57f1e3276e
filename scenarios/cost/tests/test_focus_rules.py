from __future__ import annotations

from decimal import Decimal

import pytest

from scenarios.cost.focus_columns import COLUMNS
from scenarios.cost.focus_rules import broken, broken_columns, broken_sums

GOOD = {
    **dict.fromkeys(COLUMNS, ""),
    "BilledCost": "55.20",
    "BillingAccountId": "nb-1",
    "BillingAccountType": "Payer account",
    "BillingCurrency": "USD",
    "BillingPeriodStart": "2025-01-01T00:00:00Z",
    "BillingPeriodEnd": "2025-02-01T00:00:00Z",
    "ChargeCategory": "Usage",
    "ChargeFrequency": "Usage-Based",
    "ChargePeriodStart": "2025-01-03T00:00:00Z",
    "ChargePeriodEnd": "2025-01-04T00:00:00Z",
    "ConsumedQuantity": "2.00",
    "ConsumedUnit": "Hours",
    "ContractedCost": "55.20",
    "ContractedUnitPrice": "27.60",
    "EffectiveCost": "55.20",
    "InvoiceId": "NBC-1",
    "InvoiceIssuerName": "Nimbus Cloud",
    "ListCost": "55.20",
    "ListUnitPrice": "27.60",
    "PricingCategory": "Standard",
    "PricingCurrency": "USD",
    "PricingQuantity": "2.00",
    "PricingUnit": "Hours",
    "ProviderName": "Nimbus Cloud",
    "PublisherName": "Nimbus Cloud",
    "ServiceCategory": "Compute",
    "ServiceName": "GPU Compute",
    "ServiceSubcategory": "Virtual Machines",
    "SkuId": "NB-G8",
    "SkuPriceId": "NB-G8-1",
}


def test_a_good_row_breaks_nothing() -> None:
    assert broken(GOOD) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ProviderName": ""}, "ProviderName is null"),
        ({"BilledCost": "a lot"}, "BilledCost is no decimal"),
        ({"ChargePeriodEnd": "2025-01-04"}, "ChargePeriodEnd is no instant"),
        ({"Tags": "team=a"}, "Tags is no JSON object"),
        ({"BillingCurrency": "Dollar"}, "BillingCurrency is no currency"),
        ({"ChargeCategory": "Refund"}, "ChargeCategory is 'Refund'"),
        ({"ServiceSubcategory": "Block Storage"}, "is none of Compute"),
        ({"SkuPriceDetails": '{"Colour": "red"}'}, "has the key Colour"),
        ({"ResourceType": "VM"}, "ResourceType is given and ResourceId is null"),
        ({"PricingUnit": ""}, "PricingQuantity is given and PricingUnit is null"),
        ({"ConsumedQuantity": "", "ConsumedUnit": ""}, "ConsumedQuantity is null for usage"),
        ({"ChargeCategory": "Purchase"}, "ChargeFrequency of a purchase"),
        ({"CommitmentDiscountStatus": "Used"}, "CommitmentDiscountId is null"),
        ({"ListUnitPrice": "27.61"}, "ListUnitPrice times PricingQuantity"),
        ({"ListUnitPrice": "20", "ListCost": "40"}, "not in this order"),
        ({"ChargePeriodEnd": "2025-01-02T00:00:00Z"}, "ends before it begins"),
        ({"ChargePeriodEnd": "2025-03-01T00:00:00Z"}, "outside of the billing period"),
        ({"PricingCategory": "Committed"}, "without a commitment"),
    ],
)
def test_each_broken_rule_is_said(change: dict[str, str], said: str) -> None:
    assert any(said in one for one in broken({**GOOD, **change}))


def test_missing_unknown_and_own_columns() -> None:
    assert broken_columns([*COLUMNS, "x_owner"]) == []
    assert broken_columns([*COLUMNS[1:], "Owner"]) == [
        "The column AvailabilityZone is missing.",
        "Owner is no column of FOCUS 1.2.",
    ]


def test_an_invoice_and_a_commitment_that_do_not_close() -> None:
    assert broken_sums([GOOD], {"NBC-1": Decimal("55.20")}) == []
    assert "NBC-1 comes to 55.20" in broken_sums([GOOD], {"NBC-1": Decimal("60")})[0]
    bought = {**GOOD, "CommitmentDiscountId": "c", "ChargeCategory": "Purchase", "InvoiceId": ""}
    assert broken_sums([bought], {}) == ["Commitment c of 2025-01: purchase less use is 55.20."]
