from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.mig import A30, A100, B200, H100, H200, MODELS, Layout, Model, Partitions


def kinds(layouts: set[Layout]) -> int:
    return len({tuple(sorted(name for name, _ in layout)) for layout in layouts})


@pytest.mark.parametrize("model", [A100, H100, H200], ids=lambda model: str(model.name))
def test_seven_slice_models_have_the_known_number_of_layouts(model: object) -> None:
    assert model in MODELS.values()
    for known in (A100, H100, H200):
        layouts, maximal = known.layouts(), known.maximal(double=False)
        assert (len(layouts), kinds(layouts)) == (723, 78)
        assert (len(maximal), kinds(maximal)) == (19, 14)


def test_a30_has_26_layouts_and_5_maximal_ones() -> None:
    assert (len(A30.layouts()), len(A30.maximal())) == (26, 5)


def test_names_follow_the_memory_of_the_card() -> None:
    assert "1g.5gb" in A100.by_name
    assert "3g.40gb" in H100.by_name
    assert [H200.profile(name).width for name in ("1g.18gb", "1g.35gb", "3g.71gb", "7g.141gb")] == [
        1,
        2,
        4,
        8,
    ]


@pytest.mark.parametrize(
    ("layout", "legal"),
    [
        ([("4g.40gb", 0), ("3g.40gb", 4)], True),
        ([("3g.40gb", 0), ("3g.40gb", 4)], True),
        ([("3g.40gb", 0), ("4g.40gb", 0)], False),
        ([("3g.40gb", 0), ("4g.40gb", 4)], False),
        ([("2g.20gb", 1)], False),
        ([("1g.10gb+me", 0), ("1g.10gb+me", 1)], False),
        ([("1g.10gb", n) for n in range(7)], True),
        ([("1g.10gb", 7)], False),
        ([("7g.80gb", 0), ("1g.10gb", 6)], False),
    ],
)
def test_placements_are_legal_or_refused(layout: list[tuple[str, int]], legal: bool) -> None:
    if legal:
        assert H100.mask(layout) > 0
    else:
        with pytest.raises(ValueError, match="H100-80GB"):
            H100.mask(layout)


def test_two_threes_leave_no_room_though_a_compute_slice_is_idle() -> None:
    assert H100.best_start[H100.mask([("3g.40gb", 0), ("3g.40gb", 4)])] == {}


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(ValueError, match=r"A30-24GB has no profile 3g.12gb; it has 1g.6gb"):
        A30.profile("3g.12gb")


def test_small_instances_leave_room_for_large_ones() -> None:
    gpu = Partitions(H100, 1)
    assert gpu.place("1g.10gb") == (0, 6)
    assert gpu.place("4g.40gb") == (0, 0)
    assert gpu.place("2g.20gb") == (0, 4)
    assert gpu.place("1g.10gb") is None


def test_the_fullest_gpu_is_used_first_and_media_engines_once_per_gpu() -> None:
    row = Partitions(H100, 2)
    assert row.place("3g.40gb") == (0, 4)
    assert row.place("1g.10gb+me") == (0, 3)
    second = row.place("1g.10gb+me")
    assert second is not None
    assert second[0] == 1
    assert row.place("1g.10gb+me") is None


def test_removing_what_does_not_stand_is_refused() -> None:
    row = Partitions(H100, 1)
    row.place("3g.40gb")
    with pytest.raises(ValueError, match=r"GPU 0 has no 1g.10gb at memory slice 4"):
        row.remove(0, "1g.10gb", 4)
    row.remove(0, "3g.40gb", 4)
    assert row.masks == [0]


@given(st.sampled_from(sorted(MODELS)), st.lists(st.integers(0, 9), max_size=30))
def test_random_requests_stay_legal(name: str, steps: list[int]) -> None:
    model = MODELS[name]
    row, names = Partitions(model, 2), list(model.by_name)
    for step in steps:
        standing = sorted((gpu, *i) for gpu in (0, 1) for i in row.standing[gpu])
        if step >= len(names) and standing:
            gpu, profile, start = standing[step % len(standing)]
            row.remove(gpu, profile, start)
        else:
            row.place(names[step % len(names)])
        for gpu in (0, 1):
            assert model.mask(row.standing[gpu]) == row.masks[gpu]
            computing = sum(model.by_name[n].compute for n, _ in row.standing[gpu])
            assert computing <= model.compute_slices


@pytest.mark.parametrize("model", [A100, H100, H200, B200], ids=lambda model: str(model.name))
def test_a_set_of_instances_that_fits_has_one_place_for_each(model: Model) -> None:
    sets = {tuple(sorted(name for name, _ in layout)) for layout in model.layouts()}
    assert model.arrangements.keys() == sets
    for names, places in model.arrangements.items():
        assert tuple(sorted(name for name, _ in places)) == names
        assert [start for _, start in places] == sorted(start for _, start in places)
        assert model.mask(places) >= 0
    three, four = model.names[3], model.names[4]
    assert model.arrangements[three, four] == ((four, 0), (three, 4))
    assert (four, four) not in model.arrangements


def test_what_is_as_large_holds_the_smaller_one() -> None:
    small, double, two, three, four, seven = H100.plain
    assert two.holds(small)
    assert two.holds(double)
    assert not double.holds(two)
    assert not three.holds(four)
    assert seven.holds(seven)


@pytest.mark.parametrize(
    ("kind", "start", "number"), [(0, 0, 7), (0, 6, 13), (2, 4, 5), (3, 4, 2), (5, 0, 0)]
)
def test_instances_have_the_driver_s_numbers(kind: int, start: int, number: int) -> None:
    assert H100.plain[kind].instance(start) == number
