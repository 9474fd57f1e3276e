"""Student's t, for intervals of 95 %."""

from __future__ import annotations

from statistics import NormalDist

_TABLE = (
    "12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145 2.131 "
    "2.120 2.110 2.101 2.093 2.086 2.080 2.074 2.069 2.064 2.060 2.056 2.052 2.048 2.045 2.042"
).split()
"""The 97.5 % quantile for 1 to 30 degrees of freedom (any table of it, to three decimals)."""
Z = NormalDist().inv_cdf(0.975)


def quantile(freedom: int) -> float:
    """The 97.5 % quantile; beyond the table the first terms of its expansion."""
    if freedom <= len(_TABLE):
        return float(_TABLE[freedom - 1])
    return Z + (Z**3 + Z) / (4 * freedom) + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * freedom**2)
