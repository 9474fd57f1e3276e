"""The pack itself: the same task at every level, goldens that are what they say, one real training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from graders.gpu import calibration, playing
from graders.gpu.grading import compared
from graders.gpu.plans import hidden_trainings
from sandbox import Backend, SandboxUnavailable, open_backend, rootfs
from sandbox.tests.conftest import STATE, missing
from scenarios.packs import load_pack

PACK = load_pack(calibration.PACK)
GOOD: dict[str, float | None] = {
    "do_nothing": 0.0,
    "competent": 0.5,
    "expert": 1.0,
    "liar": 0.0,
    "sleeper": 0.0,
}


def test_task_is_the_same_at_every_level() -> None:
    assert len({PACK.template(level)["task.py"] for level in PACK.levels}) == 1
    assert all(PACK.read_only(level) == {"task.py"} for level in PACK.levels)


def test_doing_nothing_is_the_shipped_program() -> None:
    for level in PACK.levels:
        assert PACK.golden(level, "do_nothing") == PACK.template(level)[PACK.entry]


def test_every_level_states_what_its_goldens_come_to() -> None:
    stated = calibration.expected(PACK)
    for level in PACK.levels:
        assert set(stated["order"]) <= set(stated["levels"][level])
        for name in stated["levels"][level]:
            assert PACK.golden(level, name)


def test_golden_out_of_bounds_or_order_is_told() -> None:
    assert calibration.faults(PACK, "mid", GOOD) == []
    cases: tuple[tuple[dict[str, float | None], str], ...] = (
        ({"competent": 0.05}, "mid competent: 0.05"),
        ({"liar": 0.4}, "mid liar: 0.4"),
        ({"crasher": 0.4}, "not measured"),
        ({"expert": None}, "mid expert: None"),
    )
    for changed, words in cases:
        assert words in "\n".join(calibration.faults(PACK, "mid", GOOD | changed))
    assert (
        "in this order"
        in calibration.faults(PACK, "mid", GOOD | {"competent": 0.7, "expert": 0.6})[-1]
    )


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    """The sandbox with the root folder that has PyTorch, built here when it is not there (half a minute)."""
    try:
        rootfs.build(STATE)
        rootfs.build(STATE, playing.ROOT)
        found = open_backend("namespace", state_dir=STATE)
    except SandboxUnavailable as error:
        missing(str(error))
    yield found
    found.close()


# PyTorch's root folder takes half a minute to make; by day test_grading judges curves from a stand-in.
@pytest.mark.nightly
def test_training_in_the_sandbox_is_judged_by_its_curve(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short one of the senior level, with its trap: what matches, what does not, what is faster."""
    monkeypatch.setattr(playing, "RUNS", 1)
    whole = hidden_trainings(PACK, "senior", 5, 2)[1]
    sizes = {**whole.settings["cpu"], "steps": 32}
    training = replace(whole, settings={**whole.settings, "cpu": sizes})
    naive, best = playing.anchors(PACK, "senior", training, "cpu", backend)
    assert naive.finished, naive.outcome.detail + naive.outcome.stderr
    assert compared(training, [best], naive, best).useful
    files = playing.program(
        PACK, "senior", {PACK.entry: PACK.golden("senior", "merged_carelessly")}
    )
    merged = playing.train(PACK.entry, files, training, "cpu", backend)
    match = compared(training, [merged], naive, best).match
    assert match is not None
    assert match.first_off is not None
    assert naive.seconds is not None
    assert best.seconds is not None
    assert naive.seconds > 2 * best.seconds
