"""Which trainings there are, and that sizes and seeds are what the variant says."""

from __future__ import annotations

import pytest

from graders.gpu.plans import FAMILIES, hidden_trainings, public_training
from scenarios.packs import load_pack

PACK = load_pack("gpu/low-utilisation")
LEVELS = ["junior", "mid", "senior"]


@pytest.mark.parametrize("level", LEVELS)
def test_hidden_trainings_meet_every_family_and_no_seed_twice(level: str) -> None:
    found = hidden_trainings(PACK, level, 7)
    assert {one.family for one in found} == set(FAMILIES)
    seeds = {one.seed for one in found} | {
        public_training(PACK, level, 7, name).seed for name, _ in PACK.public_workloads(level)
    }
    assert len(seeds) == len(found) + 2
    assert found == hidden_trainings(PACK, level, 7)
    assert not seeds & {one.seed for one in hidden_trainings(PACK, level, 8)}
    revised = hidden_trainings(PACK, level, 7, round=2)
    assert [one.family for one in revised] == [one.family for one in found]
    assert not seeds & {one.seed for one in revised}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_uneven_training_has_a_smaller_last_micro_batch(level: str, device: str) -> None:
    plan = public_training(PACK, level, 7, "public-2").plan(device)  # type: ignore[arg-type]
    last = plan.records % plan.batch
    assert 0 < last < plan.batch
    assert level == "junior" or last % plan.micro
    assert plan.steps > plan.records // plan.batch


@pytest.mark.parametrize(
    ("records", "steps", "samples"), [(256, 4, 512), (300, 4, 428), (300, 3, 300)]
)
def test_samples_are_counted_with_smaller_last_batches(
    records: int, steps: int, samples: int
) -> None:
    plan = hidden_trainings(PACK, "mid", 1, 1)[0].plan("cpu")
    changed = type(plan)(**{**plan.to_dict(), "records": records, "batch": 128, "steps": steps})
    assert changed.samples == samples


def test_only_the_senior_level_weights_its_classes() -> None:
    for level in LEVELS:
        plan = hidden_trainings(PACK, level, 3, 3)[2].plan("cpu")
        assert (plan.weights is not None) is (level == "senior")
        if plan.weights is not None:
            assert len(plan.weights) == plan.classes == 24
            assert all(0.25 <= weight <= 4 for weight in plan.weights)


@pytest.mark.parametrize("count", [0, -1, 101])
def test_senseless_number_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 100"):
        hidden_trainings(PACK, "mid", 1, count)


def test_unknown_public_training_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="there is public-1, public-2"):
        public_training(PACK, "mid", 1, "hidden-1")
