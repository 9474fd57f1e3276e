"""Statistics of agreement between people who rated the same things on levels 1 to 5.

Knows no model and no page. numpy, scipy and statsmodels are imported where they are used: the site starts
without them, and only this panel needs them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite, sqrt
from statistics import fmean, stdev
from typing import Any

from library.models import HIGHEST, LOWEST

LEAST_ANSWERS = 10
"""Answers with two or more ratings below which no figure is given. At ten answers a 95 % interval of a
kappa is still about one wide; below, a figure would mostly tell of chance."""
LEAST_SHARED = 5
"""Answers that an evaluator shares with somebody else below which no leniency is given."""
RESAMPLES = 400
LEVELS = HIGHEST - LOWEST + 1
SEED = 20260101
"""Any number, but always the same: one page asked for twice shows one interval."""
LEAST_KNOWN = 0.9
"""Part of the draws that has to have a value: an interval of the rest would leave out where it is undefined."""
COVERED = 0.95

Ratings = Mapping[Any, Mapping[Any, int]]
"""{answer: {evaluator: level}}"""


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate with its 95 % interval; the interval is None where it cannot be computed."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well evaluators agree on one criterion. Figures are None below LEAST_ANSWERS.

    answers: with two or more ratings. exact, adjacent: shares of pairs of ratings that are the same,
    or at most one level apart. kappa: weighted by squared distance. icc_form says which ICC.
    """

    answers: int
    pairs: int
    exact: Figure | None = None
    adjacent: Figure | None = None
    kappa: Figure | None = None
    icc: Figure | None = None
    icc_form: str = ""

    @property
    def is_enough(self) -> bool:
        return self.answers >= LEAST_ANSWERS


@dataclass(frozen=True, slots=True)
class Leniency:
    """Levels above (positive: kinder) or below the others on the answers somebody shared."""

    answers: int
    off: Figure | None = None


def reliability(ratings: Ratings) -> Reliability:
    """The figures of one criterion; answers with a single rating say nothing and are left out."""
    import numpy as np

    shared = {answer: rows for answer, rows in ratings.items() if len(rows) > 1}
    # answers with the same levels are the same to every figure but the ICC: there are few kinds
    kinds = sorted(Counter(tuple(sorted(rows.values())) for rows in shared.values()).items())
    counts = np.array([count for _, count in kinds], dtype=int)
    tables = np.array([_pair_table(levels) for levels, _ in kinds])
    pairs = int(counts @ tables.sum(axis=(1, 2))) // 2 if kinds else 0
    if len(shared) < LEAST_ANSWERS:
        return Reliability(len(shared), pairs)
    draws = _resampled(tables, counts)
    whole = np.tensordot(counts, tables, axes=1)
    value, form = icc(shared)
    return Reliability(
        answers=len(shared),
        pairs=pairs,
        exact=_with_interval(float(_share(whole, 0)), list(_share(draws, 0))),
        adjacent=_with_interval(float(_share(whole, 1)), list(_share(draws, 1))),
        kappa=_with_interval(weighted_kappa(whole), quadratic_kappas(draws)),
        icc=value,
        icc_form=form,
    )


def _pair_table(levels: Sequence[int]) -> Any:
    """Every pair of ratings of one answer, counted both ways: who is named first means nothing."""
    import numpy as np

    table = np.zeros((LEVELS, LEVELS))
    for one, other in combinations(levels, 2):
        table[one - LOWEST, other - LOWEST] += 1
        table[other - LOWEST, one - LOWEST] += 1
    return table


def _resampled(tables: Any, counts: Any) -> Any:
    """Sums over answers drawn with replacement: pairs of one answer stay together.

    tables: one for each kind of answer; counts: how many answers are of it. Drawing so many kinds by
    their shares is drawing so many answers.
    """
    import numpy as np

    n = int(counts.sum())
    draw = np.random.default_rng(SEED)
    drawn = draw.multinomial(n, counts / n, size=RESAMPLES)
    return (drawn @ tables.reshape(len(tables), -1)).reshape(RESAMPLES, LEVELS, LEVELS)


def _share(tables: Any, most_apart: int) -> Any:
    """Share of pairs at most so many levels apart, of one table or of each of many."""
    import numpy as np

    rows, columns = np.indices((LEVELS, LEVELS))
    near = abs(rows - columns) <= most_apart
    return (tables * near).sum(axis=(-2, -1)) / tables.sum(axis=(-2, -1))


def _with_interval(value: float | None, draws: Sequence[float | None]) -> Figure | None:
    """Percentile bootstrap; no interval where too many draws had nothing to compute."""
    import numpy as np

    if value is None:
        return None
    known = [draw for draw in draws if draw is not None]
    if len(known) < LEAST_KNOWN * len(draws):
        return Figure(value)
    low, high = np.quantile(known, [(1 - COVERED) / 2, (1 + COVERED) / 2])
    return Figure(value, float(low), float(high))


def weighted_kappa(table: Any, disagreement: Any = None) -> float | None:
    """Cohen's weighted kappa of a square table of counts; None where all ratings are on one level.

    disagreement: a matrix of weights, 0 on the diagonal; squared distance where it is not given.
    """
    import numpy as np
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.asarray(table, dtype=float)
    if np.count_nonzero(table.sum(axis=0) + table.sum(axis=1)) < 2:
        return None
    if disagreement is None:
        kappa = cohens_kappa(table, wt="quadratic", return_results=False)
    else:
        kappa = cohens_kappa(table, weights=np.asarray(disagreement), return_results=False)
    return float(kappa) if isfinite(kappa) else None


def quadratic_kappas(tables: Any) -> list[float | None]:
    """weighted_kappa of each of many tables by its definition: one by one takes a second."""
    import numpy as np

    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    far = np.subtract.outer(np.arange(LEVELS), np.arange(LEVELS)) ** 2
    seen = (tables * far).sum(axis=(1, 2))
    chance = np.einsum("di,ij,dj->d", rows, far, columns) / tables.sum(axis=(1, 2))
    return [
        None if by_chance == 0 else float(1 - found / by_chance)
        for found, by_chance in zip(seen, chance, strict=True)
    ]


def icc(shared: Ratings) -> tuple[Figure | None, str]:
    """(ICC of a single rating, which one): ICC(2,1) where everybody rated everything, else ICC(1)."""
    panels = {frozenset(rows) for rows in shared.values()}
    if len(panels) == 1:
        people = sorted(next(iter(panels)), key=str)
        return icc_two_way([[rows[who] for who in people] for rows in shared.values()]), "ICC(2,1)"
    return icc_one_way([list(rows.values()) for rows in shared.values()]), "ICC(1)"


def icc_one_way(groups: Sequence[Sequence[float]]) -> Figure | None:
    """ICC(1,1) of Shrout and Fleiss 1979: each answer rated by somebody else, numbers may differ.

    Unequal numbers enter by their effective size (Donner 1986); the interval is that of the F ratio.
    None where no rating differs from another.
    """
    import numpy as np
    from scipy.stats import f

    sizes, means = np.array([len(group) for group in groups]), np.array(list(map(fmean, groups)))
    levels = np.concatenate([np.asarray(group, dtype=float) for group in groups])
    n, total = len(groups), len(levels)
    if n < 2 or total <= n or (levels == levels[0]).all():
        return None
    size = (total - (sizes**2).sum() / total) / (n - 1)
    within = ((levels - np.repeat(means, sizes)) ** 2).sum() / (total - n)
    if within == 0:
        return Figure(1.0, 1.0, 1.0)
    between = (sizes * (means - levels.mean()) ** 2).sum() / (n - 1)
    ratio = float(between / within)
    upper = float(f.ppf((1 + COVERED) / 2, n - 1, total - n))
    lower = float(f.ppf((1 + COVERED) / 2, total - n, n - 1))

    def of(value: float) -> float:
        return float((value - 1) / (value + size - 1))

    return Figure(of(ratio), of(ratio / upper), of(ratio * lower))


def mean_squares(table: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """(between answers, between evaluators, error) of a full table, one row for each answer."""
    import numpy as np

    values = np.asarray(table, dtype=float)
    n, k = values.shape
    grand, rows, columns = values.mean(), values.mean(axis=1), values.mean(axis=0)
    answers = k * ((rows - grand) ** 2).sum() / (n - 1)
    people = n * ((columns - grand) ** 2).sum() / (k - 1)
    left = values - rows[:, None] - columns[None, :] + grand
    return float(answers), float(people), float((left**2).sum() / ((n - 1) * (k - 1)))


def icc_two_way(table: Sequence[Sequence[float]]) -> Figure | None:
    """ICC(2,1) of Shrout and Fleiss 1979, absolute agreement; interval of McGraw and Wong 1996.

    None where no rating differs from another.
    """
    from scipy.stats import f

    n, k = len(table), len(table[0])
    between, people, error = mean_squares(table)
    if between + people + error == 0:
        return None
    value = (between - error) / (between + (k - 1) * error + k * (people - error) / n)
    if error == 0 or value >= 1:
        return Figure(value)
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    free = (a * people + b * error) ** 2 / (
        (a * people) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
    )
    lower, upper = f.ppf((1 + COVERED) / 2, n - 1, free), f.ppf((1 + COVERED) / 2, free, n - 1)
    rest = k * people + (k * n - k - n) * error
    low = n * (between - lower * error) / (lower * rest + n * between)
    high = n * (upper * between - error) / (rest + n * upper * between)
    return Figure(value, float(low), float(high))


def leniency(means: Mapping[Any, Mapping[Any, float]]) -> dict[Any, Leniency]:
    """Each evaluator's distance from the mean of the others, from {answer: {evaluator: mean level}}.

    The interval is Student's, over answers.
    """
    off: dict[Any, list[float]] = defaultdict(list)
    for rows in means.values():
        for who, own in rows.items():
            others = [mean for other, mean in rows.items() if other != who]
            if others:
                off[who].append(own - fmean(others))
    return {who: _leniency(values) for who, values in off.items()}


def _leniency(values: Sequence[float]) -> Leniency:
    from scipy.stats import t

    n = len(values)
    if n < LEAST_SHARED:
        return Leniency(n)
    mean = fmean(values)
    half = float(t.ppf((1 + COVERED) / 2, n - 1)) * stdev(values) / sqrt(n)
    return Leniency(n, Figure(mean, mean - half, mean + half))
