"""The optional tables of a profile: defaults, cross checks, and the way to TOML and back."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from scenarios.company.profile import (
    DEFAULT,
    GPU_MODELS,
    ProfileError,
    complete,
    describe,
    digest,
    parse_profile,
    read_profile,
    to_toml,
)


def whole(**changes: Any) -> dict[str, Any]:
    """The default profile's tables, with some of them replaced."""
    return tomllib.loads(to_toml(complete(DEFAULT))) | changes


def table(name: str, /, **keys: Any) -> dict[str, Any]:
    """The default profile with some keys of one table replaced."""
    return whole(**{name: whole()[name] | keys})


def row(name: str, number: int, /, **keys: Any) -> dict[str, Any]:
    """The default profile with some keys of one row replaced, in `name` or in `table.rows`."""
    outer, _, inner = name.partition(".")
    data = whole()
    rows = data[outer][inner] if inner else data[outer]
    rows[number - 1] |= keys
    return data


def test_what_the_exercises_read_is_as_it_was_before_there_were_tables() -> None:
    assert DEFAULT.basics() == {
        "cluster": "halo",
        "nodes": 20,
        "gpus_per_node": 8,
        "gpu": "H100",
        "ondemand_node_hour": 27.6,
        "spot_node_hour": 10.4,
        "overflow_gpu_hour": 7.0,
    }
    assert parse_profile(whole()).basics() == DEFAULT.basics()


@pytest.mark.parametrize("gpu", GPU_MODELS)
@pytest.mark.parametrize(("nodes", "gpus"), [(8, 4), (20, 8), (33, 8), (64, 4)])
def test_every_default_company_stands_and_reads_back(gpu: str, nodes: int, gpus: int) -> None:
    given = {"cluster": {"nodes": nodes, "gpus_per_node": gpus, "gpu_model": gpu}}
    company = complete(parse_profile(given))
    assert read_profile(to_toml(company)) == company
    assert company.node_types[0].count == nodes


def test_the_default_fabric_is_the_rail_optimised_tree_of_twenty_nodes() -> None:
    fabric = DEFAULT.fabric
    assert (fabric.leaf_switches, fabric.spine_switches, fabric.rails) == (8, 4, 8)


def test_one_description_of_the_nodes_is_enough() -> None:
    rows = [
        {"name": "Old", "count": 30, "gpu": "A100", "gpus": 8},
        {"name": "New", "count": 12, "gpu": "H200"},
        {"name": "Login", "count": 3, "gpu": "none"},
    ]
    company = parse_profile({"node_types": rows})
    assert (company.nodes, company.gpu) == (30, "A100")
    assert (company.node_types[2].gpus, company.node_types[2].price_usd) == (0, 14_000.0)
    newer = parse_profile({"node_types": rows, "cluster": {"gpu_model": "H200"}})
    assert (newer.nodes, newer.gpu) == (12, "H200")


def test_a_large_fleet_is_shown_in_part() -> None:
    rows = [{"name": "All", "count": 400}]
    company = parse_profile({"node_types": rows})
    assert (company.nodes, company.fleet_nodes) == (64, 400)
    assert parse_profile({"node_types": rows, "cluster": {"nodes": 40}}).nodes == 40
    assert read_profile(to_toml(complete(company))) == complete(company)


def test_prices_of_a_node_follow_from_the_price_book() -> None:
    company = parse_profile({"price_book": {"on_demand_gpu_hour": 4.0, "spot_gpu_hour": 1.5}})
    assert (company.ondemand_node_hour, company.spot_node_hour) == (32.0, 12.0)
    assert company.price_book.reserved_1y_gpu_hour == 2.6


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"node_types": {}}, r"\[\[node_types\]\] must be an array"),
        ({"node_types": [{"count": 20}]}, r"name in \[\[node_types\]\], row 1, is missing"),
        (row("node_types", 1, count="x"), r"count in \[\[node_types\]\], row 1, must be a whole"),
        (row("node_types", 1, colour=1), r"Unknown key colour in \[\[node_types\]\], row 1:"),
        (row("node_types", 1, gpu="H900"), r"gpu in \[\[node_types\]\], row 1, must be one of"),
        (
            whole(
                node_types=[
                    *whole()["node_types"],
                    {"name": "b", "count": 1, "gpu": "none", "gpus": 4},
                ]
            ),
            r"gpus in \[\[node_types\]\], row 2, is 4 for gpu none",
        ),
        (row("node_types", 1, count=25), r"nodes in \[cluster\] is 20, but .* has 25"),
        (row("node_types", 1, site="Site B"), r"site in \[\[node_types\]\], row 1, is Site B"),
        (row("node_types", 1, purchased="2027-01"), r"purchased in .*after the price book"),
        (row("node_types", 1, purchased="Jan 26"), r"a month such as"),
        ({"node_types": [{"name": "a", "count": 3}]}, "exercises need 4"),
        (row("node_types", 1, name="=cmd()"), r"name in \[\[node_types\]\], row 1, must be 1 to"),
        (table("fabric", leaf_switches=3), r"leaf_switches in \[fabric\] give 192 ports"),
        (table("fabric", spine_switches=1), r"spine_switches in \[fabric\] give 64 ports"),
        (table("fabric", kind="Token ring"), r"kind in \[fabric\] must be one of"),
        (row("storage.tiers", 2, used_tb=121), r"used_tb in \[\[storage.tiers\]\], row 2, is 121"),
        ({"storage": {"tiers": []}}, r"\[\[storage.tiers\]\] needs at least one row"),
        (row("facility.sites", 1, total_kw=150), r"total_kw in .*row 1, is 150, but .* 213.0 kW"),
        (row("facility.sites", 1, racks=4), r"racks in \[\[facility.sites\]\], row 1, is 4, but"),
        (row("facility.sites", 1, rack_kw=8), r"fits into no rack of Site A: rack_kw is 8"),
        (table("price_book", reserved_3y_gpu_hour=3.0), r"reserved_3y_gpu_hour in \[price_book\]"),
        (table("price_book", on_demand_gpu_hour=9.0), r"ondemand_node_hour in \[prices\] is 27.6"),
        (table("price_book", dated="2026-13-01"), r"dated in \[price_book\] must be a date"),
        (row("teams", 1, gpu_share=0.3), r"gpu_share in \[\[teams\]\] adds up to 0.890"),
        (row("teams", 2, training=0.5), r"of \[\[teams\]\], row 2, add up to 1.380"),
        (row("teams", 2, name="Serving"), r"name in \[\[teams\]\], row 3, is Serving, as in row 2"),
        (
            row("growth.classes", 1, job_class="batch"),
            r"job_class in \[\[growth.classes\]\], row 5",
        ),
        (
            row("budget.quarters", 2, quarter="2025-Q4"),
            r"quarter in \[\[budget.quarters\]\], row 2",
        ),
        ({"policies": {"Quota": 1}}, r"Quota in \[policies\] must be a name"),
        ({"policies": {"quota": [1]}}, r"quota in \[policies\] must be a text"),
        ({"policies": {f"p{n}": 1 for n in range(41)}}, r"\[policies\] has 41 values"),
        ({"teams": [{"name": "a", "gpu_share": 1.0}] * 61}, r"\[\[teams\]\] has 61 rows"),
    ],
)
def test_what_does_not_fit_is_refused_with_table_key_and_row(
    data: dict[str, Any], said: str
) -> None:
    with pytest.raises(ProfileError, match=said) as refused:
        parse_profile(data)
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)


def test_texts_survive_the_file_whatever_they_hold() -> None:
    company = parse_profile(
        row("teams", 1, name="Équipe d'été (R&D)")
        | {"policies": {"data_residency": "Île-de-France"}}
    )
    assert read_profile(to_toml(company, {"teams": "zwei\nZeilen"})) == company


def test_the_digest_tells_companies_apart_and_defaults_from_nothing() -> None:
    assert digest(parse_profile(whole())) == digest(DEFAULT)
    assert digest(parse_profile(row("teams", 1, headcount=19))) != digest(DEFAULT)


def test_everything_is_described_with_its_unit() -> None:
    shown = {one.key: one for one in describe(DEFAULT)}
    assert ("Speed of a port", "400 Gb/s") in shown["fabric"].rows
    assert shown["storage.tiers"].heads[2] == "Usable capacity (TB)"
    assert not shown["teams"].given
    assert ("borrowing idle gpus", "yes") in shown["policies"].rows


def test_nodes_taller_than_the_usual_rack_get_racks_that_hold_them() -> None:
    rows = [
        {"name": "Racks", "count": 8, "gpu": "H100", "gpus": 8, "rack_units": 48, "power_kw": 120.0}
    ]
    company = parse_profile({"node_types": rows})
    (site,) = company.facility.sites
    assert site.rack_units == 48
    assert site.racks >= company.fleet_nodes
    assert read_profile(to_toml(complete(company))) == complete(company)
