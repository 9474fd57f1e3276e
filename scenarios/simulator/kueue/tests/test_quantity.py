from __future__ import annotations

import pytest

from scenarios.simulator.kueue.quantity import parse_quantity


@pytest.mark.parametrize(
    ("text", "resource", "amount"),
    [
        ("2", "cpu", 2000),
        (2, "cpu", 2000),
        ("2000m", "cpu", 2000),
        ("2.5", "cpu", 2500),
        (".5", "cpu", 500),
        ("1u", "cpu", 1),
        ("3Gi", "memory", 3 * 2**30),
        ("1.5Ki", "memory", 1536),
        ("3k", "memory", 3000),
        ("1e3", "memory", 1000),
        ("1500m", "gpu", 2),
        ("0", "memory", 0),
    ],
)
def test_quantity_is_a_whole_number(text: object, resource: str, amount: int) -> None:
    assert parse_quantity(text, resource) == amount


@pytest.mark.parametrize(
    "text", ["", "-1", "1 Gi", "Gi", "1e", "ten", "1e999", None, True, 1.5, []]
)
def test_anything_else_is_refused_in_a_sentence(text: object) -> None:
    with pytest.raises(ValueError, match=r"cpu: .* is not a quantity such as"):
        parse_quantity(text, "cpu")
