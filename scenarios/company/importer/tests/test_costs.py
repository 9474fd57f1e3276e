"""Cost files and inventories: prices, what there is, and rows that are refused."""

from __future__ import annotations

import pytest

from scenarios.company.importer import ImportRefused
from scenarios.company.importer.tests.exports import STOCK, focus, imported, job, sacct, year
from scenarios.company.profile import ProfileError, read_profile

SPOT = {"PricingCategory": "Dynamic", "BilledCost": "16", "EffectiveCost": "16"}
RESERVED = {"PricingCategory": "Committed", "BilledCost": "0", "EffectiveCost": "36"}
STORED = {
    "ServiceCategory": "Storage",
    "PricingUnit": "GB-Month",
    "PricingQuantity": "500000",
    "BilledCost": "11500",
    "EffectiveCost": "11500",
    "SkuPriceDetails": "",
}
EGRESS = {
    "ServiceCategory": "Networking",
    "PricingUnit": "GB",
    "PricingQuantity": "1000",
    "EffectiveCost": "90",
    "SkuPriceDetails": "",
}
UNUSED = RESERVED | {"CommitmentDiscountStatus": "Unused", "EffectiveCost": "400"}


def test_costs_tell_prices_storage_and_budget() -> None:
    found = imported(costs=focus({}, {}, SPOT, RESERVED, UNUSED, STORED, EGRESS))
    assert found.profile is not None, found.bad
    book = found.profile.price_book
    assert book.on_demand_gpu_hour == 6.88
    assert (book.spot_gpu_hour, book.reserved_1y_gpu_hour, book.egress_gb) == (2.0, 4.5, 0.09)
    assert found.profile.ondemand_node_hour == 55.04
    tier = found.profile.storage.tiers[0]
    assert (tier.kind, tier.capacity_tb, tier.price_tb_month) == ("object", 500.0, 23.0)
    quarters = found.profile.budget.quarters
    assert [one.quarter for one in quarters] == ["2026-Q2", "2026-Q3", "2026-Q4", "2027-Q1"]
    assert quarters[0].opex_usd == pytest.approx(3 * (3 * 55.04 + 16 + 11_500), abs=50)
    assert "effective cost over quantity in 2 rows" in found.toml


def test_instances_tell_their_gpus_by_name_or_not_at_all() -> None:
    named = {"SkuPriceDetails": '{"InstanceType": "a3-highgpu-8g"}'}
    silent = {"SkuPriceDetails": '{"InstanceType": "m7i.large"}'}
    found = imported(costs=focus(named, silent))
    assert found.profile is not None
    assert found.profile.price_book.on_demand_gpu_hour == 6.88
    assert any(one.startswith("1 compute rows do not tell") for one in found.missing)


def test_a_bill_in_another_currency_makes_a_profile_in_it() -> None:
    found = imported(costs=focus({"BillingCurrency": "JPY"}))
    usual = imported(costs=focus({}))
    assert found.profile is not None
    assert usual.profile is not None
    assert (found.profile.currency, found.profile.per_usd) == ("JPY", 150.0)
    book, ours = found.profile.price_book, usual.profile.price_book
    assert book.on_demand_gpu_hour == ours.on_demand_gpu_hour  # as billed, in whatever currency
    assert book.engineer_year == pytest.approx(150 * ours.engineer_year)  # a default, in the bill's
    silent = imported(costs=focus({"BillingCurrency": "JPY", "ServiceCategory": "Other"}))
    assert any("150" in one or "JPY" in one for one in silent.missing if "On-demand" in one)


def test_accelerators_of_any_maker_are_known_by_their_usual_names() -> None:
    head = "kind,name,count,gpu_model,gpus"
    for said, known in (
        ("AMD Instinct MI300X", "MI300X"),
        ("mi300x-oam", "MI300X"),
        ("NVIDIA L40S", "L40S"),
    ):
        found = imported(stock=f"{head}\nnode,n,16,{said},8\n")
        assert found.profile is not None, found.bad
        assert {one.gpu for one in found.profile.node_types} == {known}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"BilledCost": "12,50"}, "BilledCost is '12,50', which is no number."),
        ({"EffectiveCost": "nan"}, "EffectiveCost is 'nan'"),
        ({"EffectiveCost": ""}, "EffectiveCost is ''"),
        ({"ChargeCategory": "Fee"}, "ChargeCategory is 'Fee'"),
        ({"PricingCategory": "On Demand"}, "PricingCategory is 'On Demand'"),
        ({"ChargePeriodStart": "yesterday"}, "ChargePeriodStart is 'yesterday'"),
        ({"ChargePeriodEnd": "2026-02-01T00:00:00Z"}, "is not after"),
        ({"BillingCurrency": "EUR"}, "Its costs are in EUR, those before it in USD"),
        ({"BillingCurrency": "$"}, "no code such as USD"),
        ({"SkuPriceDetails": "{"}, "is not JSON"),
        ({"SkuPriceDetails": "[1]"}, "is not a JSON object"),
        ({"PricingQuantity": "inf"}, "PricingQuantity is 'inf'"),
    ],
)
def test_bad_cost_row_is_named_by_line(row: dict[str, str], reason: str) -> None:
    quoted = {"ChargeDescription": 'two\nlines, "quoted"'}
    found = imported(costs=focus(quoted, row, {}))
    assert found.profile is None
    assert (found.bad_count, found.bad[0].line) == (1, 4)
    assert reason in found.bad[0].reason


def test_cost_files_that_cannot_be_used_as_a_whole() -> None:
    with pytest.raises(ImportRefused, match="is in XAU, of which no rate to the dollar is known"):
        imported(costs=focus({"BillingCurrency": "XAU"}), skip_bad=True)
    with pytest.raises(ImportRefused, match="no column BilledCost"):
        imported(costs="a,b\n1,2\n")
    with pytest.raises(ImportRefused, match="separated by semicolons; export it with commas"):
        imported(costs=focus({}).replace(",", ";"))


def test_quote_that_never_ends_is_one_bad_row() -> None:
    found = imported(costs=focus({}) + '"no end,1\n2\n')
    assert found.profile is None
    assert found.bad[0].line == 3


def test_inventory_tells_what_there_is() -> None:
    found = imported(stock=STOCK)
    assert found.profile is not None, found.bad
    company = found.profile
    types = [(one.name, one.count, one.gpus) for one in company.node_types]
    assert types == [("H100 rest", 14, 8), ("H100 nodes, 2024-11", 2, 8), ("Login", 2, 0)]
    assert (company.nodes, company.fabric.leaf_switches, company.fabric.rails) == (16, 8, 8)
    assert company.storage.tiers[0].name == "Scratch, fast"
    assert (company.facility.sites[0].region, company.facility.sites[0].pue) == ("Oslo", 1.2)
    assert company.facility.node_weeks == 14
    assert any(one.startswith("Delivery times") for one in found.missing)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("gpu,x" + "," * 21, "kind is 'gpu'"),
        ("node," + "," * 21, "name is empty"),
        ("node,=x,,H100,8" + "," * 18, "name begins with ="),
        ("node,x,many,H100,8" + "," * 18, "count is 'many'"),
        ("node,x,1,H900,8" + "," * 18, "gpu must be one of"),
        ("node,x,1,,8" + "," * 18, "do not go together"),
        ("storage,x" + "," * 11 + ",tape,5,,1,1" + "," * 5, "kind must be one of"),
        ("storage,x" + "," * 21, "kind is empty"),
        ("switch,x" + "," * 21, "role is ''"),
        ("switch,x,000000001" + "9" * 5_000 + "," * 8 + "leaf" + "," * 12, "count is"),
        ("site,Hall 1,,,,,42" + "," * 12 + "Oslo,14,25,260,1.2", "of that name already"),
    ],
)
def test_bad_inventory_row_is_named_by_line(line: str, reason: str) -> None:
    found = imported(stock=f"{STOCK}{line}\n")
    assert found.profile is None
    assert (found.bad_count, found.bad[0].line) == (1, 10)
    assert reason in found.bad[0].reason


def test_all_three_together_and_what_does_not_fit() -> None:
    found = imported(year(300), focus({}), STOCK)
    assert found.profile is not None
    assert (found.profile.gpu, len(found.profile.teams)) == ("H100", 3)
    assert read_profile(found.toml) == found.profile
    with pytest.raises(ProfileError, match="do not fit together: total_kw"):
        imported(stock=STOCK.replace("25,260", "25,150"))


def test_bad_rows_of_all_files_are_told_at_once() -> None:
    found = imported(
        sacct(job(State="X")), focus({"BilledCost": "?"}), STOCK + "x,y" + "," * 21 + "\n"
    )
    assert [(row.file, row.line) for row in found.bad] == [
        ("sacct", 2),
        ("focus", 2),
        ("inventory", 10),
    ]


def test_without_any_file_there_is_nothing_to_do() -> None:
    with pytest.raises(ImportRefused, match="at least one export"):
        imported()
