from __future__ import annotations

from typing import Any

import pytest

from graders.scaling import claims
from graders.scaling.claims import claimed
from scenarios.company.profile import DEFAULT
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Plan
from scenarios.scaling.reading import parse_object

SCENE = scene_of(DEFAULT, "mid", 7)


def year(capex: float, wait: float = 10.0, hours: float = 90_000.0) -> dict[str, Any]:
    """As much of a year as claims need: twelve months alike."""
    month = {
        "money": {"capex_usd": capex / 12, "opex_usd": 250_000.0, "parts": {"cloud": 20_000.0}},
        "delivered_gpu_hours": hours,
    }
    return {"months": [month] * 12, "measures": {"wait_p95_h": wait}}


YEARS = [year(2_000_000.0, 9.0), year(2_060_000.0, 14.0)]


@pytest.fixture(autouse=True)
def expected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "play_median", lambda scene, plan: year(2_000_000.0, 6.0))


def of(plan: Plan) -> tuple[dict[str, str], list[tuple[tuple[str, str], ...]]]:
    rows, found = claimed(SCENE, plan, YEARS)
    return {f"{row['part']}/{row['id']}": row["state"] for row in rows}, [one.rows for one in found]


@pytest.mark.parametrize(
    ("name", "value", "state"),
    [
        ("capex_usd", 2_000_000, "within"),
        ("capex_usd", 1_920_000, "within"),
        ("capex_usd", 1_500_000, "too_good"),
        ("capex_usd", 3_000_000, "careful"),
        ("opex_usd", 2_000_000, "too_good"),
        ("wait_p95_h", 4.6, "within"),
        ("wait_p95_h", 3.0, "too_good"),
        ("wait_p95_h", 40.0, "careful"),
        ("gpu_hours", 1_080_000, "within"),
        ("gpu_hours", 1_500_000, "too_good"),
        ("gpu_hours", 500_000, "careful"),
    ],
)
def test_a_claim_is_held_against_every_hidden_year(name: str, value: float, state: str) -> None:
    states, found = of(Plan(claims={name: value}))
    assert states == {f"claims/{name}": state}
    assert found == ([((("claims", name)),)] if state == "too_good" else [])


def test_rows_of_the_sheet_that_say_what_they_are_count_as_claims() -> None:
    def row(label: str, values: list[float | None]) -> dict[str, Any]:
        return {"label": label, "cells": ["1"] * 13, "values": values}

    twelve: list[float | None] = [10_000.0] * 12
    rent: list[float | None] = [20_000.0] * 12
    coffee: list[float | None] = [1.0] * 13
    plan = parse_object(
        {
            "sheet": [
                row("Notes", [None] * 13),
                row("Running costs", [*twelve, 120_000.0]),
                row("Capital", [*twelve, None]),
                row("Cloud rent", [*rent, 240_000.0]),
                row("Cost of coffee", coffee),
                row("Opex", [None, *twelve[1:], None]),
            ]
        }
    )
    states, found = of(plan)
    assert states == {"sheet/2": "too_good", "sheet/3": "too_good", "sheet/4": "within"}
    assert found == [(("sheet", "2"),), (("sheet", "3"),)]


def test_a_figure_that_nobody_knows_is_left_alone() -> None:
    assert of(Plan(claims={"happiness": 1.0})) == ({}, [])
