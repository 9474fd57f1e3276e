"""How figures of the machine's measures read on the staff's pages."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string


@pytest.mark.parametrize(
    ("value", "unit", "read"),
    [
        (6725.18, "USD", "6,725.18 USD"),
        (15.2, "count", "15.20"),
        (12.0, "min", "12 min"),
        (1_250_000, "USD", "1,250,000 USD"),
    ],
)
def test_thousands_are_grouped_and_a_count_has_no_unit(value: float, unit: str, read: str) -> None:
    row = {"label": "A measure", "value": value, "unit": unit, "naive": 8031.98, "reference": 1}
    text = render_to_string("reviews/_measures.html", {"measures": [row], "score": 0.5})
    assert f">{read}</td>" in text
    assert ">8,031.98</td>" in text
