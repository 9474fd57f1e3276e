"""When two trainings count as the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.gpu.curves import PROBE_TOLERANCE, STEP_TOLERANCE, compare

LOSSES = st.lists(st.floats(0.11, 5), min_size=3, max_size=30)
ANSWERS = [3.0, -4.0, 0.5, 2.0]


@given(LOSSES, st.floats(-0.99, 0.99))
def test_curve_within_the_tolerance_matches(wanted: list[float], share: float) -> None:
    own = [loss * (1 + share * STEP_TOLERANCE) for loss in wanted]
    match = compare(own, ANSWERS, wanted, ANSWERS)
    assert match.matches
    assert match.first_off is None


@given(LOSSES, st.data())
def test_one_step_out_of_tolerance_is_found_and_named(
    wanted: list[float], data: st.DataObject
) -> None:
    step = data.draw(st.integers(0, len(wanted) - 1))
    own = [*wanted]
    own[step] *= 1 + 1.02 * STEP_TOLERANCE
    match = compare(own, ANSWERS, wanted, ANSWERS)
    assert (match.matches, match.first_off) == (False, step)
    assert f"the loss of step {step} is {own[step]:.4f}" in match.sentence


def test_small_losses_are_compared_as_what_they_are_worth() -> None:
    assert compare([0.0012], ANSWERS, [0.001], ANSWERS).matches
    assert not compare([0.0112], ANSWERS, [0.001], ANSWERS).matches


@pytest.mark.parametrize(("share", "same"), [(0.9, True), (1.1, False)])
def test_model_is_compared_by_its_answers(share: float, same: bool) -> None:
    size = (sum(v * v for v in ANSWERS) / len(ANSWERS)) ** 0.5
    own = [*ANSWERS[:-1], ANSWERS[-1] + share * PROBE_TOLERANCE * size]
    match = compare([1.0], own, [1.0], ANSWERS)
    assert match.matches is same
    assert ("answers differently" in match.sentence) is not same


def test_untrained_model_that_answers_nothing_is_told_apart() -> None:
    assert not compare([1.0], [0.0] * 4, [1.0], ANSWERS).matches
