"""The statistics against worked examples that were published, and what small numbers get."""

from __future__ import annotations

import random
from statistics import fmean

import numpy as np
import pytest

from reviews.fairness.statistics_of_agreement import (
    LEAST_ANSWERS,
    LEAST_SHARED,
    icc_one_way,
    icc_two_way,
    leniency,
    mean_squares,
    quadratic_kappas,
    reliability,
    weighted_kappa,
)

# Shrout and Fleiss 1979, table 2: six targets, four judges.
TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# Cohen 1968, table 1, of 100: his agreement is .492 unweighted, .348 with his weights.
DIAGNOSES = [[44, 7, 9], [5, 20, 5], [1, 3, 6]]
DISAGREEMENT = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]


def test_icc_is_that_of_shrout_and_fleiss() -> None:
    one, two = icc_one_way(TARGETS), icc_two_way(TARGETS)
    assert one is not None
    assert two is not None
    assert round(one.value, 2) == 0.17
    assert round(two.value, 2) == 0.29
    between, _, error = mean_squares(TARGETS)
    assert round((between - error) / (between + 3 * error), 2) == 0.71  # their ICC(3,1)


def test_icc_intervals_are_those_of_mcgraw_and_wong() -> None:
    """As R's psych gives them for the same table."""
    one, two = icc_one_way(TARGETS), icc_two_way(TARGETS)
    assert one is not None
    assert (round(one.low or 0, 2), round(one.high or 0, 2)) == (-0.13, 0.72)
    assert two is not None
    assert (round(two.low or 0, 2), round(two.high or 0, 2)) == (0.02, 0.76)


def test_kappa_is_that_of_cohen() -> None:
    weighted = weighted_kappa(DIAGNOSES, DISAGREEMENT)
    assert weighted is not None
    assert round(weighted, 3) == 0.348
    flat = weighted_kappa(DIAGNOSES, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert flat is not None
    assert round(flat, 3) == 0.492


def test_quadratic_kappa_agrees_with_its_definition() -> None:
    table = [[5, 2, 0], [1, 6, 2], [0, 1, 3]]
    total, rows = 20, [sum(row) for row in table]
    columns = [sum(row[at] for row in table) for at in range(3)]
    cells = [(i, j) for i in range(3) for j in range(3)]
    seen = sum((i - j) ** 2 * table[i][j] / total for i, j in cells)
    chance = sum((i - j) ** 2 * rows[i] * columns[j] / total**2 for i, j in cells)
    assert weighted_kappa(table) == pytest.approx(1 - seen / chance)


def test_many_kappas_at_once_are_those_of_the_library() -> None:
    draw = np.random.default_rng(3)
    tables = draw.integers(0, 9, size=(30, 5, 5)).astype(float)
    tables[4] = np.diag([0.0, 0, 7, 0, 0])
    tables[5] = np.diag([2.0, 0, 7, 0, 1])
    tables[6, :, 1:] = 0
    for found, table in zip(quadratic_kappas(tables), tables, strict=True):
        assert found == pytest.approx(weighted_kappa(table)), table
    assert quadratic_kappas(tables)[4] is None
    assert quadratic_kappas(tables)[5] == 1


def test_the_interval_is_that_of_drawing_answers_one_by_one() -> None:
    """Kinds of answers are drawn by their shares: a bootstrap over answers finds the same ends."""
    ratings = many(120, [-2, 0, 1])
    found = reliability(ratings).adjacent
    assert found is not None
    draw, near = (
        random.Random(5),
        [abs(a - b) <= 1 for a, b in (r.values() for r in ratings.values())],
    )
    means = sorted(fmean(draw.choices(near, k=len(near))) for _ in range(4000))
    assert found.value == pytest.approx(fmean(near))
    assert found.low == pytest.approx(means[100], abs=0.03)
    assert found.high == pytest.approx(means[3900], abs=0.03)


def test_icc_of_unequal_groups_lies_between_its_ends() -> None:
    alike = icc_one_way([[1, 1], [3, 3, 3], [5, 5]])
    assert alike is not None
    assert alike.value == 1
    assert icc_one_way([[3, 3], [3, 3, 3]]) is None
    noisy = icc_one_way([[1, 5], [5, 1, 3], [3, 3], [1, 5]])
    assert noisy is not None
    assert noisy.value < 0.1


def many(answers: int, noise: list[int], seed: int = 7) -> dict[int, dict[str, int]]:
    draw = random.Random(seed)
    people = ["a", "b", "c", "d"]
    return {
        at: {who: min(5, max(1, 1 + at % 5 + draw.choice(noise))) for who in draw.sample(people, 2)}
        for at in range(answers)
    }


def test_too_few_answers_get_no_figure() -> None:
    few = reliability(many(LEAST_ANSWERS - 1, [0, 1]))
    assert not few.is_enough
    assert few.answers == LEAST_ANSWERS - 1
    assert (few.exact, few.adjacent, few.kappa, few.icc) == (None, None, None, None)
    assert reliability(many(LEAST_ANSWERS, [0, 1])).kappa is not None


def test_single_ratings_are_no_agreement() -> None:
    single = {at: {"a": 3} for at in range(50)}
    assert reliability(single).answers == 0


def test_agreement_falls_as_noise_grows_and_intervals_hold_the_value() -> None:
    close, far = reliability(many(80, [0])), reliability(many(80, [-2, 0, 2]))
    assert close.exact is not None
    assert close.exact.value == 1
    for figures in (close, far):
        for figure in (figures.exact, figures.adjacent, figures.kappa, figures.icc):
            assert figure is not None
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high
    assert far.kappa is not None
    assert close.kappa is not None
    assert far.kappa.value < 0.8 < close.kappa.value


def test_more_answers_make_the_interval_narrower() -> None:
    few, lots = reliability(many(20, [-1, 0, 1])), reliability(many(320, [-1, 0, 1]))
    widths = [row.kappa.high - row.kappa.low for row in (few, lots) if row.kappa]  # type: ignore[operator]
    assert widths[1] < widths[0] / 2


def test_one_level_for_all_is_not_defined_rather_than_perfect() -> None:
    same = reliability({at: {"a": 3, "b": 3} for at in range(30)})
    assert same.exact is not None
    assert same.exact.value == 1
    assert same.kappa is None
    assert same.icc is None


def test_same_panel_for_all_gives_the_two_way_icc() -> None:
    panel = {at: {"a": 1 + at % 4, "b": 2 + at % 4} for at in range(20)}
    assert reliability(panel).icc_form == "ICC(2,1)"
    panel[0] = {"a": 1, "c": 2}
    assert reliability(panel).icc_form == "ICC(1)"


def test_leniency_is_the_distance_from_the_others() -> None:
    means = {at: {"kind": 4.0 + at % 2, "strict": 3.0 + at % 2} for at in range(LEAST_SHARED)}
    found = leniency(means)
    assert found["kind"].off is not None
    assert found["kind"].off.value == pytest.approx(1.0)
    assert found["strict"].off is not None
    assert found["strict"].off.value == pytest.approx(-1.0)
    means.popitem()
    assert leniency(means)["kind"].off is None
    assert leniency({1: {"alone": 3.0}}) == {}
