from __future__ import annotations

import pytest

from scenarios.worlds.cluster_priorities.tests.spans import (
    MINUTE,
    A,
    B,
    C,
    Outage,
    calendar_setting,
    calm,
    pass_time,
    request,
    setting,
)
from scenarios.worlds.refusal import Refused

TENANT = 3
"""The number of tenant D at senior level."""


def rules(days: object) -> set[str]:
    return {name for _, name in days.figures()["broken_rules"]}  # type: ignore[attr-defined]


def test_admission_checks_nodes_and_not_quota() -> None:
    days = calm(*(request(C, gpus=4, at=0, minutes=200 + n) for n in range(4)))
    for number in range(3):
        days.admit(number, "ondemand-t4", 0)
    with pytest.raises(Refused, match="No room"):
        days.admit(3, "ondemand-t4", 0)
    pass_time(days, 10)
    assert "research used more ondemand-t4 than its quota allows" in rules(days)
    assert days.figures()["out_of_agreement_h"] == pytest.approx(10 / 60)


def test_room_shows_what_quota_and_limits_allow() -> None:
    days = calm(request(C, gpus=4))
    days.admit(0, "ondemand-t4", 0)
    rows = {(row[0], row[1]): row[2:] for row in days.room()["rows"]}  # type: ignore[index]
    assert rows["research", "ondemand-t4"] == [0, 4]
    assert rows["production", "ondemand-t4"] == [8, 8]
    assert rows["production", "spot-t4"] == [0, 4]


def test_a_guarantee_that_stands_free_puts_the_cluster_out_of_agreement() -> None:
    days = calm(request(A, minutes=120))
    pass_time(days, 60)
    assert rules(days) == {"production did not get its guaranteed ondemand-t4"}
    assert days.figures()["idle_gpu_h"] > 0


def test_deadline_work_is_not_stopped_for_an_owner() -> None:
    lent = [request(A, gpus=4, minutes=300 + n) for n in range(2)]
    days = calm(*lent, request(C, gpus=4, minutes=400, at=5), request(C, gpus=4, minutes=401, at=5))
    days.admit(0, "spot-t4", 0)
    pass_time(days, 5)
    days.admit(2, "spot-t4", 0)
    days.admit(1, "ondemand-t4", 0)
    days.admit(3, "ondemand-t4", 0)
    pass_time(days, 60)
    assert rules(days) == set()


def test_a_stop_that_nobody_needed_is_noted_and_one_for_a_deadline_is_not() -> None:
    days = calm(
        request(C, gpus=4, minutes=600),
        request(C, gpus=4, minutes=601),
        request(A, gpus=4, minutes=60, at=30),
    )
    days.admit(0, "ondemand-t4", 0)
    days.admit(1, "spot-t4", 0)
    pass_time(days, 40)
    days.preempt(0)
    days.preempt(1)
    pass_time(days, 5)
    days.admit(2, "ondemand-t4", 0)
    pass_time(days, 30)
    assert [work.needless for work in days.world.works] == [False, True, False]
    assert days.figures()["needless_stops"] == 1


def test_preempt_saves_and_requeue_loses() -> None:
    days = calm(request(C, gpus=4, minutes=600), request(C, gpus=2, minutes=600))
    days.admit(0, "spot-t4", 0)
    days.admit(1, "spot-t4", 0)
    pass_time(days, 40)
    assert days.preempt(0) == {"saved": True}
    assert days.requeue(1) == {"lost": 2 * 8 * 60}
    assert days.world.works[0].state == "saving"
    pass_time(days, 5)
    assert days.world.works[0].base == 4 * 38 * MINUTE
    assert days.world.works[1].base == 2 * 30 * MINUTE


def test_an_experiment_without_checkpoints_cannot_be_saved() -> None:
    days = calm(request(B, gpus=1, checkpoint=0))
    days.admit(0, "spot-t4", 0)
    pass_time(days, 20)
    assert days.preempt(0) == {"saved": False}
    assert days.world.works[0].base == 0


def test_a_notice_is_answered_by_a_save_in_time() -> None:
    gone = Outage(60 * MINUTE, 90 * MINUTE, reclaimed=True)
    days = calm(request(C), outages={"spot-t4-01": gone})
    days.admit(0, "spot-t4", 0)
    pass_time(days, 58)
    days.preempt(0)
    pass_time(days, 5)
    assert [row[3] for row in days.figures()["incidents"]] == [True]
    assert days.figures()["stops"] == 1
    assert days.world.watch.stops == []


def test_pods_that_never_get_ready_want_an_answer() -> None:
    days = calm(request(C), stuck=1.0)
    days.admit(0, "spot-t4", 0)
    pass_time(days, 40)
    assert days.world.works[0].state == "starting"
    assert [row[3] for row in days.figures()["incidents"]] == [False]


def test_quotas_are_fixed_where_there_is_no_calendar() -> None:
    with pytest.raises(Refused, match="fixed"):
        calm().set_quota("production", "spot-t4", 4)


def test_the_calendar_has_to_be_followed_and_lowers_before_it_raises() -> None:
    days = calm(chosen=calendar_setting())
    pass_time(days, 8 * 60 + 40)
    assert "one did not have the quota of the calendar" in rules(days)
    with pytest.raises(Refused, match="lower those first"):
        days.set_quota("two", "od", 4)
    days.set_quota("one", "od", 4)
    days.set_quota("two", "od", 4)
    before = days.figures()["out_of_agreement_h"]
    pass_time(days, 60)
    assert days.figures()["out_of_agreement_h"] == before
    assert [row[3] for row in days.calendar()["rows"]] == [4, 8, 4, 0]  # type: ignore[index]


def test_stopping_a_protected_workload_breaks_a_rule() -> None:
    days = calm(request(TENANT, gpus=4), level="senior")
    days.admit(0, "ondemand-west", 0)
    pass_time(days, 20)
    days.preempt(0)
    pass_time(days, 5)
    assert any("is protected" in name for name in rules(days))
    assert days.figures()["out_of_agreement_h"] >= 1


def test_the_budget_counts_from_midnight_and_is_a_rule() -> None:
    many = [request(1, gpus=4, minutes=3000 + n) for n in range(7)]
    days = calm(*many, level="senior")
    for number in range(7):
        days.admit(number, "ondemand-east" if number < 4 else "ondemand-west", 0)
    pass_time(days, 17 * 60)
    assert "the day's budget for on-demand nodes was exceeded" in rules(days)
    assert days.world.meter.ondemand_today() > days.config.budget


@pytest.mark.parametrize(
    "change",
    [{"hours": 30}, {"hourz": 72}, {"flavors": [{"name": "x", "spot": True}]}, {"teams": "none"}],
)
def test_wrong_settings_are_refused_with_a_sentence(change: dict[str, object]) -> None:
    import json

    from scenarios.worlds.cluster_priorities.setting import read_setting

    table = {"hours": 72, **json.loads(setting().tables), **change}
    with pytest.raises(ValueError, match=r"\.$"):
        read_setting(table)
