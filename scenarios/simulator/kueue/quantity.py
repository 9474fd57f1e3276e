"""Kubernetes quantities as whole numbers: milli-units for cpu, units for everything else."""

from __future__ import annotations

import re
from fractions import Fraction

_SHAPE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(?:([eE][+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


def _scale(suffix: str) -> Fraction:
    if suffix in _DECIMAL:
        return Fraction(10) ** _DECIMAL[suffix]
    return Fraction(1024) ** (_BINARY.index(suffix) + 1)


def parse_quantity(value: object, resource: str) -> int:
    """Read "2", "500m", "2.5", "1e3" or "3Gi"; cpu in thousandths, others in units, rounded up.

    Raises ValueError with one sentence for anything else.
    """
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    match = _SHAPE.fullmatch(text)
    if not match:
        raise ValueError(f"{resource}: {value!r} is not a quantity such as 2, 500m or 3Gi.")
    number, exponent, suffix = match.groups()
    amount = Fraction(number + "e0" if not exponent else number + exponent)
    exact = amount * _scale(suffix or "") * (1000 if resource == "cpu" else 1)
    return -(-exact.numerator // exact.denominator)
