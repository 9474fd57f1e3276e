from __future__ import annotations

import pytest

from scenarios.simulator.mig import A100_80, B200, H100, H200, Layout, Model

ALL = [A100_80, H100, H200, B200]


def kinds(layouts: set[Layout]) -> int:
    return len({tuple(sorted(name for name, _ in layout)) for layout in layouts})


@pytest.mark.parametrize("model", ALL, ids=lambda model: str(model.name))
def test_seven_slice_models_have_the_known_number_of_layouts(model: Model) -> None:
    layouts = model.layouts()
    assert (len(layouts), kinds(layouts)) == (723, 78)
    single = {one for one in layouts if model.names[1] not in dict(one)}
    grown = {one - {instance} for one in single for instance in one}
    assert (len(single - grown), kinds(single - grown)) == (19, 14)


def test_names_follow_the_memory_of_the_card() -> None:
    assert "1g.10gb" in A100_80.by_name
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
    layouts = H100.layouts()
    threes = frozenset({("3g.40gb", 0), ("3g.40gb", 4)})
    assert threes in layouts
    assert not any(threes < layout for layout in layouts)


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(ValueError, match=r"B200-180GB has no profile 3g.40gb; it has 1g.23gb"):
        B200.profile("3g.40gb")


@pytest.mark.parametrize("model", ALL, ids=lambda model: str(model.name))
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
