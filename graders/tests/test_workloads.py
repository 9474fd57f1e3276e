from __future__ import annotations

import pytest

from graders.reference_replay import workload_named
from graders.workloads import hidden_workloads, public_workload
from scenarios.packs import load_pack

PACK = load_pack("automation/queue-autoscaler")


def test_hidden_days_are_five_families_and_never_a_public_day() -> None:
    hidden = hidden_workloads(PACK, "mid", 4)
    assert len({day.family for day in hidden}) == 5
    public = {public_workload(PACK, "mid", 4, name).seed for name in ("public-1", "public-2")}
    assert public.isdisjoint(day.seed for day in hidden)


def test_every_seed_has_its_own_hidden_days() -> None:
    seeds = [day.seed for seed in range(50) for day in hidden_workloads(PACK, "mid", seed)]
    assert len(set(seeds)) == len(seeds)


def test_hidden_days_are_a_function_of_the_seed() -> None:
    assert hidden_workloads(PACK, "mid", 9) == hidden_workloads(PACK, "mid", 9)


def test_more_hidden_days_begin_with_the_same_ones() -> None:
    assert hidden_workloads(PACK, "mid", 9, 8)[:5] == hidden_workloads(PACK, "mid", 9)


@pytest.mark.parametrize("count", [0, -1, 101])
def test_impossible_number_of_days_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 100"):
        hidden_workloads(PACK, "mid", 1, count)


def test_unknown_public_day_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="public-1, public-2"):
        public_workload(PACK, "mid", 1, "hidden-1")


@pytest.mark.parametrize("name", ["automation/queue-autoscaler", "automation/spot-checkpointing"])
def test_revision_meets_other_hidden_days_of_the_same_families(name: str) -> None:
    pack = load_pack(name)
    first, second = (hidden_workloads(pack, "mid", 4, round=number) for number in (1, 2))
    assert [day.family for day in first] == [day.family for day in second]
    for what in ("seed", "name", "title"):
        assert {getattr(day, what) for day in first}.isdisjoint(
            getattr(day, what) for day in second
        )


def test_hidden_days_of_the_first_answer_stay_as_calibrated() -> None:
    seeds = [day.seed for day in hidden_workloads(PACK, "mid", 4)]
    assert seeds[0] == "77110222834bfc52993e21e28818e9e9"
    assert hidden_workloads(PACK, "mid", 4, round=1) == hidden_workloads(PACK, "mid", 4)


@pytest.mark.parametrize("round_", [1, 2])
def test_name_of_a_hidden_day_says_which_it_is(round_: int) -> None:
    for day in hidden_workloads(PACK, "mid", 4, round=round_):
        assert workload_named(PACK, "mid", 4, day.name) == day
