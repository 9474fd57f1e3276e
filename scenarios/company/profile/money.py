"""Currencies: what a profile's money is in, and how many units of it our own figures in dollars come to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

DOLLAR = "USD"
RATES = {
    DOLLAR: 1.0, "EUR": 0.92, "GBP": 0.79, "CHF": 0.88, "SEK": 10.5, "NOK": 10.8, "DKK": 6.9,
    "PLN": 4.0, "CZK": 23.0, "JPY": 150.0, "CNY": 7.2, "KRW": 1_380.0, "TWD": 32.0, "INR": 84.0,
    "SGD": 1.35, "AUD": 1.52, "CAD": 1.37, "BRL": 5.6, "MXN": 18.5, "ZAR": 18.0, "ILS": 3.7,
    "AED": 3.67, "SAR": 3.75,
}  # fmt: skip
"""Units for a dollar, in round figures of 2025: only what a profile leaves out is made with them."""
CODE = re.compile(r"[A-Z]{3}")
_WORD = re.compile(rf"\b{DOLLAR}\b")


_COLUMN = re.compile(r"(?<![a-zA-Z])usd(?![a-zA-Z])")


def in_currency(text: str, currency: str) -> str:
    """A text of ours, which says USD for money, in the company's currency."""
    return text if currency == DOLLAR else _WORD.sub(currency, text)


def in_money(said: Any, currency: str) -> Any:
    """Plain data of ours with every text in it in the company's currency."""
    if isinstance(said, str):
        return in_currency(said, currency)
    if isinstance(said, Mapping):
        return {key: in_money(value, currency) for key, value in said.items()}
    return [in_money(one, currency) for one in said] if isinstance(said, (list, tuple)) else said


def names_in_currency(text: str, currency: str) -> str:
    """The same for materials, where columns are named for the currency too, such as price_usd."""
    if currency == DOLLAR:
        return text
    return _COLUMN.sub(currency.lower(), in_currency(text, currency))
