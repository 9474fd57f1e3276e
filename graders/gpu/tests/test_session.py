"""What a program can and cannot do to the judge of its training."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.gpu.plans import hidden_trainings
from graders.gpu.session import PROBES, TrainingSession
from sandbox import CallRefused
from scenarios.packs import load_pack

PLAN = hidden_trainings(load_pack("gpu/low-utilisation"), "mid", 1, 1)[0].plan("cpu")
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.one_of(st.integers(), st.floats(), st.text(max_size=3), st.none()), max_size=8),
)


class Clock:
    def __init__(self) -> None:
        self.now = 10.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def session(clock: Clock) -> TrainingSession:
    return TrainingSession(PLAN, 5, clock)


def say(session: TrainingSession, method: str, **params: object) -> Any:
    return session.call(method, params)


def refusal(session: TrainingSession, method: str, **params: object) -> str:
    with pytest.raises(CallRefused) as caught:
        session.call(method, params)
    return caught.value.message


def through(session: TrainingSession) -> None:
    say(session, "begin")
    for first in range(0, PLAN.steps, 96):
        say(session, "losses", first=first, values=[0.5] * min(96, PLAN.steps - first))
    say(session, "probe")
    say(session, "predictions", values=[0.5] * (PROBES * PLAN.classes))


def test_clock_runs_from_the_plan_to_the_predictions(
    session: TrainingSession, clock: Clock
) -> None:
    used = iter([3.0, 5.5])
    session.cpu_s = lambda: next(used)
    clock.now = 50.0
    say(session, "begin")
    clock.now = 53.0
    say(session, "losses", first=0, values=[1.0] * PLAN.steps)
    assert not session.complete
    say(session, "probe")
    clock.now = 54.0
    say(session, "predictions", values=[0.5] * (PROBES * PLAN.classes))
    assert session.complete
    assert (session.seconds, session.processor_seconds) == (4.0, 2.5)


def test_plan_is_given_once(session: TrainingSession) -> None:
    say(session, "begin")
    assert "begins once" in refusal(session, "begin")


def test_nothing_is_taken_before_the_plan(session: TrainingSession) -> None:
    assert "call begin" in refusal(session, "losses", first=0, values=[1.0])
    assert "call begin" in refusal(session, "probe")


def test_images_are_named_only_when_every_loss_is_in(session: TrainingSession) -> None:
    say(session, "begin")
    say(session, "losses", first=0, values=[1.0] * (PLAN.steps - 1))
    assert "losses of 1 steps are still missing" in refusal(session, "probe")
    assert "Ask for the probe" in refusal(session, "predictions", values=[0.0])


def test_a_loss_is_told_once_and_in_order(session: TrainingSession) -> None:
    say(session, "begin")
    say(session, "losses", first=0, values=[1.0, 2.0])
    assert "that of step 2" in refusal(session, "losses", first=0, values=[0.1])
    assert "that of step 2" in refusal(session, "losses", first=3, values=[0.1])
    assert "that of step 2" in refusal(session, "losses", first=True, values=[0.1])
    too_many = [1.0] * (PLAN.steps - 1)
    assert f"has {PLAN.steps} steps" in refusal(session, "losses", first=2, values=too_many)
    assert session.losses == [1.0, 2.0]


def test_nothing_changes_after_the_end(session: TrainingSession, clock: Clock) -> None:
    through(session)
    clock.now += 100
    for method, params in (("begin", {}), ("probe", {}), ("losses", {"first": 0, "values": [1.0]})):
        assert "is over" in refusal(session, method, **params)
    assert session.seconds == 0.0


@pytest.mark.parametrize("method", ["score", "time", "tick", "_begin", "__init__", "began"])
def test_there_is_no_other_call(session: TrainingSession, method: str) -> None:
    assert "There is no call" in refusal(session, method)


def test_parameters_are_exact(session: TrainingSession) -> None:
    assert refusal(session, "begin", seed=1) == "begin takes no parameters."
    assert refusal(session, "losses", first=0) == "losses takes first, values."


@given(VALUES, VALUES)
def test_rubbish_is_refused_and_leaves_no_trace(first: object, values: object) -> None:
    session = TrainingSession(PLAN, 5)
    say(session, "begin")
    try:
        say(session, "losses", first=first, values=values)
    except CallRefused:
        assert session.losses == []
    else:
        assert first == 0
        assert len(session.losses) == len(values)  # type: ignore[arg-type]
        assert all(abs(loss) <= 1e6 for loss in session.losses)
