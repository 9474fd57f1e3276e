from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.simulator.mig import H100
from scenarios.worlds.mig_sharing.episode import Episode
from scenarios.worlds.mig_sharing.kinds import COMPUTE, WIDTH, fits, places
from scenarios.worlds.mig_sharing.settings import Level, Tenant
from scenarios.worlds.mig_sharing.tests.days import (
    HOUR,
    MINUTE,
    gang,
    made,
    rows,
    service,
    ticks,
    whole,
)
from scenarios.worlds.refusal import Refused

SMALL, MIXED = "n01/0", "n01/2"
MOST = (7, 4, 3, 2, 1, 1)


def refused(code: str, act: object, *what: object) -> str:
    assert callable(act)
    with pytest.raises(Refused) as caught:
        act(*what)
    assert caught.value.code == code
    return caught.value.message


@given(st.tuples(*(st.integers(0, most) for most in MOST)))
@settings(max_examples=120, deadline=None)
def test_a_layout_is_accepted_if_the_slices_suffice(counts: tuple[int, ...]) -> None:
    kinds = [kind for kind, count in enumerate(counts) for _ in range(count)]
    room = sum(COMPUTE[k] for k in kinds) <= 7 and sum(WIDTH[k] for k in kinds) <= 8
    found = places(H100, kinds)
    assert (found is not None) == room
    if found is not None:
        mask = H100.mask((H100.names[kind], start) for start, kind in found)
        assert mask.bit_count() == sum(WIDTH[k] for k in kinds)


@given(st.integers(0, 5), st.integers(0, 5))
def test_a_replica_fits_on_what_is_as_large(kind: int, wanted: int) -> None:
    assert fits(kind, wanted) == (COMPUTE[kind] >= COMPUTE[wanted] and WIDTH[kind] >= WIDTH[wanted])


def test_a_new_layout_takes_a_minute_or_two_and_stands_then() -> None:
    day = made()
    day.set_layout(SMALL, ["3g.40gb", "4g.40gb"])
    assert rows(day.mig_gpus())[0][2] == "changing"
    assert [e[1:] for e in ticks(day, 2)] == [["layout_done", SMALL]]
    row = rows(day.mig_gpus())[0]
    assert (row[2], [one[:2] for one in row[7]]) == (
        "ready",
        [["n01/0/0", "4g.40gb"], ["n01/0/4", "3g.40gb"]],
    )


@pytest.mark.parametrize(
    ("profiles", "said"),
    [
        (["3g.40gb", "3g.40gb", "1g.10gb"], "insufficient resources"),
        (["7g.80gb", "1g.10gb"], "insufficient resources"),
        (["2g.10gb"], "no profile"),
    ],
)
def test_impossible_layouts_are_invalid(profiles: list[str], said: str) -> None:
    day = made()
    assert said in refused("invalid", day.set_layout, SMALL, profiles)
    assert rows(day.mig_gpus())[0][2] == "ready"


def test_a_gpu_in_use_keeps_its_layout() -> None:
    day = made([service()], [gang(1)])
    day.place("aster-chat-001", "n01/0/3")
    assert "in use by another client" in refused("conflict", day.set_layout, SMALL, [])
    day.start_gang(0, [whole(day)[0]])
    refused("conflict", day.set_layout, rows(day.nodes())[0][0] + "/5", ["7g.80gb"])


def test_the_same_layout_again_changes_nothing() -> None:
    day = made()
    day.set_layout(SMALL, ["1g.10gb"] * 7)
    day.set_layout(SMALL, ["7g.80gb"])
    day.set_layout(SMALL, ["7g.80gb"])
    refused("conflict", day.set_layout, SMALL, [])
    assert day.figures()["layouts_set"] == 1


def test_a_short_list_takes_three_layouts_only() -> None:
    day = made(level=Level(2, (Tenant("aster"),), 0.3, 0.2, 4, menu=True))
    refused("invalid", day.set_layout, SMALL, ["2g.20gb"] * 3)
    day.set_layout(SMALL, ["3g.40gb", "1g.10gb", "2g.20gb", "1g.10gb"])
    day.set_layout("n01/1", [])


def test_a_replica_serves_once_its_model_is_loaded() -> None:
    day = made([service(wanted=2)])
    answer = day.place("aster-chat-001", "n01/0/0")
    assert answer == {"instance": "n01/0/0", "ready_at": 60}
    assert rows(day.services())[0][4:] == [2, 0, 1, 0]
    ticks(day, 2)
    assert rows(day.services())[0][4:] == [2, 1, 0, 0]
    day.place("aster-chat-001", "n01/0/1")
    ticks(day, 2)
    assert rows(day.services())[0][4:] == [2, 2, 0, -1]


def test_places_that_cannot_be_are_refused() -> None:
    day = made([service(), service("boreal-ocr-002", 1, kind=2)])
    day.place("aster-chat-001", "n01/0/0")
    refused("conflict", day.place, "boreal-ocr-002", "n01/0/0")
    refused("conflict", day.place, "boreal-ocr-002", "n01/0/1")
    refused("conflict", day.place, "aster-chat-001", "n01/7/0")
    refused("not_found", day.place, "aster-chat-009", "n01/0/1")
    refused("not_found", day.place, "aster-chat-001", "n09/0/1")
    refused("not_found", day.place, "aster-chat-001", "n01/0/²")
    day.cordon("n01")
    refused("conflict", day.place, "aster-chat-001", "n01/0/1")
    day.uncordon("n01")
    day.place("aster-chat-001", "n01/0/1")


def test_only_the_named_service_is_evicted() -> None:
    day = made([service(), service("boreal-ocr-002", 1)])
    day.place("boreal-ocr-002", "n01/0/0")
    refused("conflict", day.evict, "aster-chat-001", "n01/0/0")
    day.evict("boreal-ocr-002", "n01/0/0")
    refused("not_found", day.evict, "boreal-ocr-002", "n01/0/0")


def test_evicting_what_is_needed_is_a_wrong_decision_and_surplus_is_not() -> None:
    day = made([service()])
    for start in (0, 1):
        day.place("aster-chat-001", f"n01/0/{start}")
    ticks(day, 2)
    day.evict("aster-chat-001", "n01/0/0")
    assert day.figures()["services_cut_short"] == 0
    day.evict("aster-chat-001", "n01/0/1")
    assert day.figures()["services_cut_short"] == 1


def test_a_gang_starts_on_all_its_gpus_or_on_none() -> None:
    day = made([], [gang(2)])
    first, second = whole(day)[:2]
    refused("invalid", day.start_gang, 0, [first])
    refused("invalid", day.start_gang, 0, [first, first])
    assert "nothing started" in refused("conflict", day.start_gang, 0, [first, SMALL])
    assert len(whole(day)) == 6
    assert day.start_gang(0, [first, second]) == {"job": 0, "nodes": ["n01"], "speed": 100}
    refused("conflict", day.start_gang, 0, [first, second])
    ended = ticks(day, 64)
    assert [62 * 60, "gang_done", "0"] in ended


def nodes_of(day: Episode, counts: dict[str, int]) -> list[str]:
    free = whole(day)
    return [gpu for node, n in counts.items() for gpu in [g for g in free if g[:3] == node][:n]]


@pytest.mark.parametrize(
    ("counts", "rdma", "speed"),
    [
        ({"n01": 3}, False, 100),
        ({"n01": 2, "n02": 1}, True, 78),
        ({"n01": 2, "n02": 1}, False, 30),
    ],
)
def test_speed_depends_on_where_a_gang_runs(counts: dict[str, int], rdma: bool, speed: int) -> None:
    day = made([], [gang(3)])
    day.world.core.fleet.nodes[0].rdma = rdma
    answer = day.start_gang(0, nodes_of(day, counts))
    assert isinstance(answer, dict)
    assert answer["speed"] == speed


def test_preempting_saves_what_can_be_saved_and_tells_of_protected_jobs() -> None:
    day = made([], [gang(1), gang(1, every=0), gang(1, protected=True)])
    for number, name in enumerate(whole(day)[:3]):
        day.start_gang(number, [name])
    ticks(day, 40)
    assert [day.preempt(n) for n in range(3)] == [
        {"job": 0, "saved": True},
        {"job": 1, "saved": False},
        {"job": 2, "saved": True},
    ]
    ticks(day, 4)
    kept = [one.kept // MINUTE for one in day.world.training.gangs]
    assert kept == [38, 0, 38]
    assert day.figures()["broken_rules"] == ["00:40 preempted protected job 2"]
    assert day.figures()["gangs_cut_short"] == 0


def test_a_bill_to_the_second_is_exact_and_books_close() -> None:
    day = made([service(wanted=1)], [gang(2, work=3 * HOUR)])
    day.place("aster-chat-001", "n01/2/0")
    day.start_gang(0, whole(day)[:2])
    refused("conflict", day.bill, "aster", 0, {})
    ticks(day, 120)
    for hour, seconds in ((0, 3540), (1, 3600)):
        day.bill("aster", hour, {"1g.10gb": seconds + 5, "gpu": 7200})
        day.bill("aster", hour, {"1g.10gb": seconds, "gpu": 7200})
        day.bill("boreal", hour, {})
    refused("invalid", day.bill, "aster", 0, {"1g.99gb": 1})
    refused("not_found", day.bill, "nobody", 0, {})
    assert day.figures()["bill_errors_pct"] == [0.0, 0.0]
    ticks(day, 70)
    refused("conflict", day.bill, "aster", 0, {})
    assert day.figures()["bill_errors_pct"] == [0.0, 0.0, 0.0, 0.0]
    ticks(day, 60)
    assert day.figures()["bill_errors_pct"] == [0.0, 0.0, 100.0, 0.0, 0.0, 100.0]


def test_an_empty_bill_is_no_credit_for_a_tenant_that_asked_and_was_not_served() -> None:
    late = replace(service("boreal-chat-002", tenant=1), steps=((90 * MINUTE, 1), (24 * HOUR, 0)))
    day = made([service(), late])
    ticks(day, 180)
    for hour in (1, 2):
        day.bill("aster", hour, {})
        day.bill("boreal", hour, {})
    ticks(day, 60)
    # boreal asked for nothing through the whole of hour 1: nothing was owed to it
    assert day.figures()["bill_errors_pct"] == [100.0, 100.0, 100.0, 100.0, 0.0, 100.0]


def test_a_larger_instance_is_charged_as_what_was_asked_for() -> None:
    day = made([service()])
    day.place("aster-chat-001", "n01/2/4")
    ticks(day, 120)
    day.bill("aster", 0, {"3g.40gb": 3540})
    day.bill("boreal", 0, {})
    assert day.figures()["bill_errors_pct"][0] == 100.0
    day.bill("aster", 0, {"1g.10gb": 3540})
    assert day.figures()["bill_errors_pct"][0] == 0.0
