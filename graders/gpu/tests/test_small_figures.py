"""What misses its bounds, and how uneven an uneven training is."""

from __future__ import annotations

import pytest

from graders.gpu.calibration import expected, faults
from graders.gpu.plans import hidden_trainings
from scenarios.packs import load_pack

PACK = load_pack("gpu/low-utilisation")


@pytest.mark.parametrize(
    ("level", "records"),
    [("junior", (1921, 6145)), ("mid", (1977, 7105)), ("senior", (1977, 7105))],
)
def test_an_uneven_training_ends_with_a_part_of_a_batch_and_of_a_micro_batch(
    level: str, records: tuple[int, int]
) -> None:
    """Grades rest on how many records there are: they change with the pack's version alone."""
    (uneven,) = [one for one in hidden_trainings(PACK, level, 7) if one.family == "uneven"]
    plans = uneven.plan("cpu"), uneven.plan("cuda")
    assert tuple(plan.records for plan in plans) == records
    for plan in plans:
        last = plan.records % plan.batch
        assert 0 < last < plan.batch
        assert 0 < last % plan.micro < plan.micro


def test_what_misses_its_bounds_or_its_order_is_said() -> None:
    stated = expected(PACK)
    bounds = stated["levels"]["mid"]
    within = {name: sum(pair) / 2 if pair else None for name, pair in bounds.items()}
    assert faults(PACK, "mid", within) == []
    name = next(name for name, pair in bounds.items() if pair)
    assert any(name in said for said in faults(PACK, "mid", {**within, name: bounds[name][1] + 1}))
    assert any(name in said for said in faults(PACK, "mid", {**within, name: None}))
    none = [name for name, pair in bounds.items() if not pair]
    for one in none:
        assert faults(PACK, "mid", {**within, one: 0.5})
