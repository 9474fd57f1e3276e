from __future__ import annotations

import pytest

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.refusal import Refused
from scenarios.worlds.spot_checkpointing import WORLD
from scenarios.worlds.spot_checkpointing.tests.weeks import (
    SPOT,
    TWO_REGIONS,
    TWO_ZONES,
    calm,
    nodes_up,
    pass_minutes,
    saved,
    training,
)


def test_a_pool_gives_what_it_has_and_no_more_when_dry() -> None:
    week = calm(dry=(((0, 60 * MINUTE),),))
    assert week.scale(SPOT, 4) == {
        "pool": SPOT,
        "asked": 4,
        "size": 0,
        "launched": 0,
        "removed": [],
    }
    pass_minutes(week, 61)
    assert week.scale(SPOT, 4)["launched"] == 4  # type: ignore[index]
    with pytest.raises(Refused, match="takes 0 to 8 nodes"):
        week.scale(SPOT, 9)
    with pytest.raises(Refused, match="pools are: spot-east-1a, ondemand-east-1a"):
        week.scale("spot", 1)


def test_scaling_down_never_takes_a_node_from_a_gang() -> None:
    week = calm()
    gang = training(week)
    nodes_up(week, count=6)
    answer = week.controls.scale(SPOT, 0)
    assert answer["size"] == 4
    assert not set(gang) & set(answer["removed"])  # type: ignore[call-overload]
    with pytest.raises(Refused, match="is in the gang of tune"):
        week.controls.release(gang[0])


def test_a_gang_needs_ready_nodes_of_one_zone_in_the_right_number() -> None:
    week = calm(TWO_ZONES)
    here, there = nodes_up(week), nodes_up(week, "spot-east-1b")
    launch = week.controls.launch
    with pytest.raises(Refused, match="takes 4 different nodes"):
        launch("tune", here[:3], "")
    with pytest.raises(Refused, match="takes 4 different nodes"):
        launch("tune", [here[0]] * 4, "")
    with pytest.raises(Refused, match="one zone"):
        launch("tune", here[:2] + there[:2], "")
    with pytest.raises(Refused, match="no node"):
        launch("tune", [*here[:3], "elsewhere"], "")
    launch("tune", here, "")
    with pytest.raises(Refused, match="only a stopped run"):
        launch("tune", there, "")


def test_a_node_that_never_joins_holds_the_gang_for_ten_minutes_and_is_named() -> None:
    week = calm()
    gang = nodes_up(week)
    week.world.machines.nodes[2].mute = True
    week.controls.launch("tune", gang, "")
    week.world.advance(week.world.now + 60 * MINUTE, wake=True)
    run = week.world.trainings[0]
    assert (run.state, run.reason) == ("stopped", "join timeout")
    assert (week.now - run.stopped_at // 1000) == 12 * 60 + 600
    assert [subject for _, kind, subject in week.world.record.events if kind == "join_timeout"] == [
        gang[2]
    ]


def test_only_what_is_whole_loads_and_the_rest_counts_as_wrong() -> None:
    week = calm(corrupt=1.0)
    gang = training(week)
    made = saved(week)
    week.controls.stop("tune")
    week.controls.launch("tune", gang, made)
    pass_minutes(week, 4)
    assert week.world.trainings[0].reason == "load failed"
    assert [what for _, what in week.figures()["wrong_resumes"]] == [f"{made} could not be loaded"]


def test_the_verifier_tells_what_is_whole() -> None:
    for corrupt, found in ((0.0, "good"), (1.0, "bad")):
        week = calm(corrupt=corrupt)
        training(week)
        made = saved(week)
        assert week.controls.verify(made)["seconds"] == 152
        pass_minutes(week, 2)
        assert week.world.saving.all[0].checked == "checking"
        pass_minutes(week, 1)
        assert week.world.saving.all[0].checked == found


def test_weights_that_load_and_are_worthless_show_in_the_loss_and_count_for_nothing() -> None:
    week = calm(corrupt=1.0, silent=1.0)
    gang = training(week)
    made = saved(week)
    week.controls.stop("tune")
    week.controls.launch("tune", gang, made)
    pass_minutes(week, 60)
    run = week.world.trainings[0]
    assert run.state == "training"
    assert week.world.saving.loss(run) > 4
    assert week.world.valid(run) == 0
    assert len(week.figures()["wrong_resumes"]) == 1


def test_beginning_again_although_a_good_checkpoint_is_there_is_wrong() -> None:
    week = calm()
    gang = training(week)
    saved(week)
    week.controls.stop("tune")
    week.controls.launch("tune", gang, "")
    pass_minutes(week, 4)
    assert "began again" in week.figures()["wrong_resumes"][0][1]


@pytest.mark.parametrize(("offset", "proven", "rules"), [(0, 1, 0), (1, 0, 1)])
def test_a_proof_must_be_true_and_the_first_counts(offset: int, proven: int, rules: int) -> None:
    week = calm()
    gang = training(week)
    week.controls.set_cadence("tune", 0, "sync")
    made = saved(week)
    pass_minutes(week, 30)
    week.controls.stop("tune")
    week.controls.launch("tune", gang, made)
    pass_minutes(week, 4)
    last = week.world.trainings[0].resumes[-1]
    week.controls.record_resume("tune", made, last.step, last.lost + offset)
    week.controls.record_resume("tune", made, last.step, last.lost)
    pass_minutes(week, 20)
    figures = week.figures()
    assert (figures["proofs_true"], figures["proofs_due"]) == (proven, 1)
    assert len(figures["broken_rules"]) == rules


def test_a_late_proof_does_not_count() -> None:
    week = calm()
    gang = training(week)
    week.controls.set_cadence("tune", 0, "sync")
    made = saved(week)
    week.controls.stop("tune")
    week.controls.launch("tune", gang, made)
    pass_minutes(week, 30)
    last = week.world.trainings[0].resumes[-1]
    week.controls.record_resume("tune", made, last.step, last.lost)
    assert (week.figures()["proofs_true"], week.figures()["proofs_due"]) == (0, 1)
    assert week.figures()["broken_rules"] == []


def test_a_full_store_takes_no_more_and_is_out_of_order() -> None:
    week = calm()
    training(week)
    for _ in range(13):
        saved(week)
    with pytest.raises(Refused, match="hard limit"):
        week.controls.save("tune", "sync")
    pass_minutes(week, 75)
    figures = week.figures()
    assert [rule for _, rule in figures["broken_rules"]] == [
        "the store east-1 was over its quota for an hour"
    ]
    assert figures["store_out_of_order_h"] >= 1.25


def test_another_region_needs_a_copy_that_costs_time_and_money() -> None:
    week = calm(TWO_REGIONS)
    training(week)
    week.controls.set_cadence("tune", 0, "sync")
    made = saved(week)
    week.controls.stop("tune")
    west = nodes_up(week, "spot-west-2a")
    with pytest.raises(Refused, match="lies in east-1; the gang is in west-2"):
        week.controls.launch("tune", west, made)
    copy = str(week.controls.replicate(made, "west-2")["checkpoint"])
    with pytest.raises(Refused, match="still being written"):
        week.controls.launch("tune", west, copy)
    pass_minutes(week, 7)
    week.controls.launch("tune", west, copy)
    pass_minutes(week, 4)
    assert week.world.trainings[0].state == "training"
    assert week.figures()["transfer_usd"] == pytest.approx(182 * 0.02)


def test_a_save_that_is_due_while_another_is_written_is_skipped() -> None:
    week = calm()
    training(week)
    week.controls.set_cadence("tune", 20, "async")
    pass_minutes(week, 30)
    run = week.world.trainings[0]
    assert run.skipped_saves > 0
    assert run.pace.at(week.world.now) > 400


def test_the_cadence_is_kept_over_a_resume() -> None:
    week = calm()
    gang = training(week)
    week.controls.set_cadence("tune", 100, "async")
    pass_minutes(week, 20)
    week.controls.stop("tune")
    steps = [made.step for made in week.world.saving.all]
    assert steps == [100, 200, 300][: len(steps)]
    assert len(steps) >= 2
    week.controls.launch("tune", gang, week.world.saving.all[0].name)
    pass_minutes(week, 20)
    assert week.world.trainings[0].every == 100
    assert week.world.saving.all[-1].step > 200


def test_calls_beyond_the_limit_are_refused_and_break_a_rule() -> None:
    week = calm()
    for _ in range(40):
        week.nodes()
    with pytest.raises(Refused, match="Retry after"):
        week.nodes()
    week.tick()
    assert week.nodes()
    assert week.figures()["calls_refused_by_rate"] == 1
    assert week.figures()["broken_rules"][0][1].startswith("called the API more often")


def test_every_call_of_the_table_is_a_method_of_the_episode() -> None:
    week = calm()
    assert all(callable(getattr(week, method)) for method in WORLD.methods)
