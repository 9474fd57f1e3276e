from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.worlds.mig_sharing import WORLD
from scenarios.worlds.mig_sharing.episode import Episode
from scenarios.worlds.mig_sharing.gangs import GangState
from scenarios.worlds.mig_sharing.planned import Planned, SliceEvent
from scenarios.worlds.mig_sharing.tests.days import (
    APART,
    HOUR,
    MINUTE,
    QUIET,
    a_day,
    gang,
    made,
    rows,
    service,
    ticks,
    whole,
)
from scenarios.worlds.refusal import Refused


def plan(day: Episode, at: float, kind: SliceEvent, subject: int, detail: int = 0) -> None:
    """Something goes wrong at a minute of the day."""
    world = day.world
    world.planned.append(Planned(int(at * MINUTE), kind, subject, detail))
    world.core.plan(int(at * MINUTE), kind, len(world.planned) - 1)


def handled(day: Episode) -> list[list[Any]]:
    return [[kind, ok] for _, kind, _, ok in day.figures()["incidents"]]


def serving() -> Episode:
    """Two replicas on the first GPU, and a gang on two whole ones."""
    day = made([service(wanted=2)], [gang(2, work=5 * HOUR)])
    day.place("aster-chat-001", "n01/0/0")
    day.place("aster-chat-001", "n01/0/1")
    day.start_gang(0, whole(day)[:2])
    ticks(day, 4)
    return day


@pytest.mark.parametrize("xid", [13, 31, 94])
def test_a_contained_error_restarts_one_replica_and_leaves_the_gpu(xid: int) -> None:
    day = serving()
    plan(day, 5.5, SliceEvent.XID, 0, xid)
    kinds = [event[1] for event in ticks(day, 2)]
    assert kinds == ["xid", "replica_restarted"]
    row = rows(day.mig_gpus())[0]
    assert (row[2], row[5]) == ("ready", xid)
    assert [one[3] for one in row[7][:2]].count(True) == 1
    ticks(day, 2)
    assert rows(day.services())[0][5] == 2
    assert handled(day) == []


@pytest.mark.parametrize(("wait", "ok"), [(10, True), (20, False)])
def test_a_faulty_gpu_wants_a_reset_within_a_quarter_of_an_hour(wait: int, ok: bool) -> None:
    day = serving()
    plan(day, 5, SliceEvent.XID, 0, 119)
    ticks(day, wait)
    assert rows(day.mig_gpus())[0][2] == "faulty"
    with pytest.raises(Refused):
        day.place("aster-chat-001", "n01/0/0")
    day.set_layout("n01/0", ["1g.10gb"] * 7)
    ticks(day, 2)
    assert rows(day.mig_gpus())[0][2] == "ready"
    ticks(day, 20)
    assert handled(day) == [["GPU to reset", ok]]


def test_a_lost_gpu_comes_back_whole_after_hours() -> None:
    day = serving()
    plan(day, 5, SliceEvent.XID, 0, 79)
    ticks(day, 10)
    assert rows(day.mig_gpus())[0][2] == "lost"
    with pytest.raises(Refused):
        day.set_layout("n01/0", [])
    events = ticks(day, 300)
    assert [e[2] for e in events if e[1] == "gpu_back"] == ["n01/0"]
    assert rows(day.mig_gpus())[0][2:4] == ["ready", False]


def test_an_error_under_a_gang_costs_what_its_checkpoint_lacks() -> None:
    day = serving()
    plan(day, 35, SliceEvent.XID, day.world.training.gangs[0].gpus[0], 95)
    ticks(day, 32)
    stopped = day.world.training.gangs[0]
    assert (stopped.kept, stopped.lost) == (30 * MINUTE, 3 * MINUTE)
    assert stopped.state == GangState.HELD
    ticks(day, 2)
    assert rows(day.jobs())[0][3] == "pending"
    assert len(whole(day)) == 5


def test_maintenance_is_announced_and_asks_for_an_empty_node() -> None:
    day = serving()
    plan(day, 10, SliceEvent.NOTICE, 0, 45 * MINUTE)
    assert [10 * 60, "maintenance", "n01"] in ticks(day, 10)
    assert rows(day.nodes())[0][7] == 40 * 60
    ticks(day, 30)
    assert handled(day) == [["maintenance", False]]
    assert {row[2] for row in rows(day.mig_gpus())[:8]} == {"down"}
    assert rows(day.services())[0][5] == 0
    events = ticks(day, 50)
    assert [e[1] for e in events] == ["node_up"]
    assert len(rows(day.mig_gpus())[0][7]) == 7


def test_an_emptied_node_is_handled_and_evicting_for_it_is_right() -> None:
    day = serving()
    plan(day, 10, SliceEvent.NOTICE, 0, 45 * MINUTE)
    ticks(day, 20)
    day.preempt(0)
    for start in (0, 1):
        day.evict("aster-chat-001", f"n01/0/{start}")
    ticks(day, 20)
    assert handled(day) == [["maintenance", True]]
    assert day.figures()["services_cut_short"] == 0


@pytest.mark.parametrize("moved", [True, False])
def test_a_gang_over_a_dead_second_network_crawls(moved: bool) -> None:
    day = made([], [gang(4, work=4 * HOUR)])
    free = whole(day)
    day.start_gang(0, free[:2] + free[-2:])
    plan(day, 30, SliceEvent.RDMA_DOWN, 1)
    ticks(day, 32)
    assert day.world.training.gangs[0].rate == 30
    assert not rows(day.nodes())[1][10]
    if moved:
        day.preempt(0)
    ticks(day, 30)
    assert handled(day) == [["slow gang", moved]]


def test_a_layout_that_fails_leaves_mig_on_and_nothing_made() -> None:
    day = made(trouble=replace(QUIET, layout_failure=1.0))
    day.set_layout("n01/0", ["7g.80gb"])
    assert [e[1] for e in ticks(day, 2)] == ["layout_failed"]
    assert rows(day.mig_gpus())[0][2:4] == ["failed", True]
    assert rows(day.mig_gpus())[0][7] == []
    ticks(day, 14)
    assert handled(day) == [["failed layout", False]]


def test_a_hung_plugin_shows_what_was_and_writes_act_on_what_is() -> None:
    day = made([service(wanted=2)])
    plan(day, 3, SliceEvent.HANG, 0)
    plan(day, 13, SliceEvent.HANG_OVER, 0)
    ticks(day, 4)
    day.place("aster-chat-001", "n01/0/0")
    ticks(day, 4)
    row = rows(day.mig_gpus())[0]
    assert (row[6], row[7][0][2]) == (180, "")
    with pytest.raises(Refused):
        day.place("aster-chat-001", "n01/0/0")
    ticks(day, 6)
    row = rows(day.mig_gpus())[0]
    assert (row[6], row[7][0][2]) == (-1, "aster-chat-001")


def test_tenants_side_by_side_are_written_down() -> None:
    day = made([service(), service("boreal-ocr-002", 1), service("cinder-tag-003", 2)], level=APART)
    day.place("aster-chat-001", "n01/0/0")
    day.place("boreal-ocr-002", "n01/1/0")
    ticks(day, 4)
    assert day.figures()["broken_rules"] == []
    day.place("boreal-ocr-002", "n01/0/1")
    day.place("cinder-tag-003", "n02/0/0")
    ticks(day, 2)
    assert day.figures()["broken_rules"] == ["00:06 aster and boreal share n01/0"]
    day.place("aster-chat-001", "n02/1/0")
    ticks(day, 2)
    assert day.figures()["broken_rules"][1:] == ["00:08 aster and cinder share n02"]
    assert 0 < day.figures()["breach_h"] < day.figures()["ready_h"]


def test_replicas_side_by_side_serve_nobody_until_one_is_gone() -> None:
    day = made([service(), service("boreal-ocr-002", 1)], level=APART)
    day.place("aster-chat-001", "n01/0/0")
    ticks(day, 2)
    day.place("boreal-ocr-002", "n01/0/1")
    ticks(day, 60)
    assert rows(day.services())[0][5] == 1
    served = day.figures()["served_h"]["critical"]
    assert served == pytest.approx(1 / 60)
    day.evict("boreal-ocr-002", "n01/0/1")
    ticks(day, 60)
    assert day.figures()["served_h"]["critical"] == pytest.approx(served + 1.0)
    assert day.figures()["used_pct"] > 0


def test_replicas_beyond_what_is_wanted_add_nothing_to_isolation() -> None:
    day = made([service(), service("aster-ocr-002")], level=APART)
    for start in range(4):
        day.place("aster-chat-001", f"n01/0/{start}")
    day.run_out()
    assert 49 < (WORLD.measures["isolation"]([day.figures()]) or 0) < 50


def test_training_beside_another_tenant_does_not_count_and_waits_on_paper() -> None:
    """A gang of two hours, the second of them beside a tenant that must have its node alone."""
    day = made([service("cinder-tag-003", 2)], [gang(2, 2 * HOUR)], level=APART)
    ticks(day, 2)
    day.start_gang(0, ["n01/5", "n01/6"])
    ticks(day, 62)
    assert day.figures()["training_done_gpu_h"] == pytest.approx(2.0)
    day.place("cinder-tag-003", "n01/0/0")
    ticks(day, 30)
    assert rows(day.jobs())[0][5] == 120
    assert day.figures()["training_done_gpu_h"] == pytest.approx(2.0)
    day.evict("cinder-tag-003", "n01/0/0")
    ticks(day, 60)
    figures = day.figures()
    assert figures["jobs_done"] == 1
    assert figures["training_done_gpu_h"] == pytest.approx(3.0)
    assert figures["gang_waits_h"] == [pytest.approx(32 / 60)]


def test_work_lost_by_a_stop_is_not_taken_off_twice() -> None:
    day = made([service("cinder-tag-003", 2)], [gang(1, 2 * HOUR, every=0)], level=APART)
    ticks(day, 2)
    day.start_gang(0, ["n01/5"])
    day.place("cinder-tag-003", "n01/0/0")
    ticks(day, 32)
    day.evict("cinder-tag-003", "n01/0/0")
    day.preempt(0)
    ticks(day, 4)
    day.start_gang(0, ["n01/5"])
    ticks(day, 122)
    figures = day.figures()
    assert (figures["jobs_done"], figures["training_done_gpu_h"]) == (1, pytest.approx(2.0))


def test_a_free_instance_beside_a_short_service_is_missed_after_a_while() -> None:
    day = made([service()])
    ticks(day, 12)
    assert day.figures()["missed_half_hours"]["service"] == 0
    ticks(day, 6)
    assert day.figures()["missed_half_hours"]["service"] == 1
    day.place("aster-chat-001", "n01/0/0")
    ticks(day, 60)
    assert day.figures()["missed_half_hours"]["service"] == 1


def test_only_what_may_stand_there_counts_as_missed() -> None:
    level = replace(APART, nodes=2)
    day = made([service("boreal-ocr-002", 1, kind=5)], level=level)
    ticks(day, 60)
    assert day.figures()["missed_half_hours"]["service"] == 0


@pytest.mark.parametrize(("gpus", "key"), [(4, "gang"), (8, "layout")])
def test_gangs_waiting_beside_room_are_missed(gpus: int, key: str) -> None:
    day = made([], [gang(gpus)])
    ticks(day, 80)
    missed = day.figures()["missed_half_hours"]
    assert missed[key] > 0
    assert sum(missed.values()) == missed[key]


def test_cutting_a_gpu_again_at_once_is_a_wrong_decision() -> None:
    day = made()
    day.set_layout("n01/0", ["7g.80gb"])
    ticks(day, 10)
    day.set_layout("n01/0", [])
    ticks(day, 40)
    day.set_layout("n01/0", ["7g.80gb"])
    assert day.figures()["layout_flaps"] == 1


@pytest.mark.parametrize("family", WORLD.families)
@pytest.mark.by_day(but=["adversarial", "failure-heavy"])
def test_calls_fail_no_more_often_than_the_reference_says(family: str) -> None:
    reads: Counter[str] = Counter()
    writes: Counter[str] = Counter()
    day = a_day(family=family, seed="x")
    while not day.complete:
        day.tick()
        for _ in range(12):
            reads[outcome(day.tenants)] += 1
            writes[outcome(day.uncordon, "n01")] += 1
    assert reads["timeout"] <= sum(reads.values()) / 40
    tried = sum(writes.values()) - writes["rate_limited"]
    assert writes["timeout"] <= tried / 12
    assert set(reads) <= {"ok", "timeout"}
    assert set(writes) <= {"ok", "timeout", "rate_limited"}


def outcome(act: Any, *what: object) -> str:
    try:
        act(*what)
    except Refused as refusal:
        return refusal.code
    return "ok"


@pytest.mark.parametrize("family", WORLD.families)
def test_spells_of_trouble_stay_within_their_bounds(family: str) -> None:
    day = a_day(APART, family, "spells")
    api = day.config.api
    assert all(end - begin <= 6 * MINUTE for begin, end in api.throttled)
    assert all(end - begin <= 4 * MINUTE for begin, end in api.stale)
    assert day.config.trouble.layout_failure <= 1 / 8
    hangs = [one for one in day.world.planned if one.kind == SliceEvent.HANG]
    over = [one for one in day.world.planned if one.kind == SliceEvent.HANG_OVER]
    for one in hangs:
        later = [o.at for o in over if o.subject == one.subject and o.at > one.at]
        assert min(later) - one.at <= 12 * MINUTE


def test_too_many_calls_in_a_tick_are_refused_and_counted() -> None:
    day = made()
    day.tick()
    codes = [outcome(day.nodes) for _ in range(45)]
    assert codes.count("rate_limited") == 5
    assert day.figures()["calls_refused_by_rate"] == 5
    day.tick()
    assert outcome(day.nodes) == "ok"


def test_lost_writes_repeated_in_time_count_as_handled() -> None:
    day = a_day(family="failure-heavy", seed="lost")
    while not day.complete:
        day.tick()
        for node in ("n01", "n02"):
            outcome(day.uncordon, node)
    kinds = Counter((kind, ok) for _, kind, _, ok in day.figures()["incidents"])
    assert kinds["lost write", True] > 0
    assert kinds["lost write", False] == 0


def test_profiles_follow_the_company() -> None:
    other = replace(DEFAULT, gpu="H200", gpus_per_node=4, nodes=8)
    day = WORLD.open(other, APART, "steady", "company")
    names = {one[1] for row in rows(day.mig_gpus()) for one in row[7]}  # type: ignore[attr-defined]
    assert names == {"1g.18gb", "2g.35gb", "3g.71gb"}
