"""What the API reference promises: how often calls fail, for how long, and what arguments may be."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import pairwise

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.worlds import load_world
from scenarios.worlds.calls import answer
from scenarios.worlds.cluster_priorities.documents import _age
from scenarios.worlds.cluster_priorities.episode import Episode
from scenarios.worlds.cluster_priorities.families import FAMILIES, draw_trouble
from scenarios.worlds.cluster_priorities.setting import cluster_config
from scenarios.worlds.cluster_priorities.tests.spans import (
    HOUR,
    MINUTE,
    A,
    C,
    Outage,
    calendar_setting,
    calm,
    drawn,
    greedy,
    pass_time,
    request,
    setting,
)
from scenarios.worlds.front import apart
from scenarios.worlds.refusal import Refused

SEEDS = [str(number) for number in range(25)]
LEVELS = ("junior", "mid", "senior")


def asked(days: Episode, method: str, **params: object) -> object:
    """A call as it comes over the channel, its parameters checked."""
    return answer(days, load_world("cluster_priorities").methods, method, params)


# -- how calls fail ---------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_faults_of_calls_stay_within_the_stated_bounds(family: str, level: str) -> None:
    config = cluster_config(DEFAULT, setting(level))
    for seed in SEEDS:
        api = draw_trouble(family, config, seed).api
        assert api.write_timeout <= 1 / 12
        assert api.read_timeout <= 1 / 50
        for spells, longest in ((api.throttled, 9), (api.stale, 14)):
            assert all(0 < end - begin <= longest * MINUTE for begin, end in spells)
            pairs = pairwise(spells)
            assert all(second[0] - first[1] >= 2 * config.tick for first, second in pairs)


def test_spell_that_would_run_into_the_one_before_is_left_out() -> None:
    assert apart(((0, 10), (5, 20), (22, 30), (40, 45)), 10) == ((0, 10), (22, 30), (40, 45))
    assert apart((), 10) == ()


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.by_day(but=["steady"])
def test_reading_is_never_older_than_the_longest_spell_and_a_tick(family: str) -> None:
    days = drawn(family, "7", "senior")
    while not days.complete and days.now < 30 * 3600:
        days.tick()
        with contextlib.suppress(Refused):
            read = days.workloads()
            assert days.now - read["at"] <= (14 + 5) * 60  # type: ignore[index]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_no_node_is_lost_while_it_is_away(family: str, level: str) -> None:
    config = cluster_config(DEFAULT, setting(level))
    for seed in SEEDS:
        for fate in draw_trouble(family, config, seed).outages:
            assert all(one.at < one.until for one in fate)
            pairs = pairwise(fate)
            # the notice of the second comes when the node is back
            assert all(after.at - config.notice > before.until for before, after in pairs)


def test_wave_and_notice_of_one_moment_take_a_node_once() -> None:
    gone = Outage(60 * MINUTE, 90 * MINUTE, reclaimed=True)
    days = calm(request(C), outages={"spot-t4-01": gone, "spot-t4-02": gone})
    pass_time(days, 100)
    kinds = [(kind, node) for _, kind, node in days.world.record.events if node.startswith("spot")]
    assert sorted(kinds) == sorted(
        (kind, node)
        for kind in ("spot_notice", "reclaimed", "node_ready")
        for node in ("spot-t4-01", "spot-t4-02")
    )


def test_calls_above_the_number_of_a_tick_are_refused_and_counted() -> None:
    days = calm(request(C))
    calls: tuple[tuple[Callable[[], object], int], ...]
    calls = (days.room, 40), (lambda: days.preempt(0), 30)
    for call, most in calls:
        for number in range(most + 2):
            with (
                pytest.raises(Refused) if number >= most or most == 30 else contextlib.nullcontext()
            ):
                call()
    assert days.figures()["calls_refused_by_rate"] == 4
    days.tick()
    days.room()
    assert days.figures()["calls_refused_by_rate"] == 4


# -- what arguments may be --------------------------------------------------------------


@pytest.mark.parametrize(
    ("gpus", "said"),
    [(3, "takes 4 to 8 GPUs"), (9, "takes 4 to 8 GPUs"), (-1, "takes 4 to 8"), (6, "whole nodes")],
)
def test_number_of_gpus_outside_what_a_workload_takes_is_refused(gpus: int, said: str) -> None:
    days = calm(request(C, gpus=8, least=4))
    with pytest.raises(Refused, match=said) as found:
        asked(days, "admit", workload=0, flavor="ondemand-t4", gpus=gpus)
    assert found.value.code == "invalid"
    assert days.world.works[0].state == "pending"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("admit", {"workload": 10**7, "flavor": "spot-t4", "gpus": 0}),
        ("admit", {"workload": True, "flavor": "spot-t4", "gpus": 0}),
        ("admit", {"workload": 0, "flavor": "", "gpus": 0}),
        ("admit", {"workload": 0, "flavor": "x" * 65, "gpus": 0}),
        ("admit", {"workload": 0, "flavor": "spot-t4", "gpus": 4.0}),
        ("admit", {"workload": 0, "flavor": "spot-t4"}),
        ("preempt", {"job": "0"}),
        ("requeue", {"job": None}),
        ("set_quota", {"queue": "production", "flavor": "spot-t4", "nominal": [4]}),
        ("room", {"queue": "production"}),
        ("log", {"text": "x" * 401}),
    ],
)
def test_arguments_of_the_wrong_type_or_size_change_nothing(
    method: str, params: dict[str, object]
) -> None:
    days = calm(request(C))
    with pytest.raises(Refused) as found:
        asked(days, method, **params)
    assert found.value.code == "invalid"
    assert days.world.works[0].state == "pending"
    assert days.world.record.events == [(0, "submitted", days.world.works[0].request.name)]


@pytest.mark.parametrize("method", ["preempt", "requeue"])
@pytest.mark.parametrize("number", [-1, 1, 999_999])
def test_workload_that_is_not_there_is_not_found(method: str, number: int) -> None:
    with pytest.raises(Refused) as found:
        asked(calm(request(C)), method, job=number)
    assert found.value.code == "not_found"


def test_workload_that_was_not_sent_yet_cannot_be_admitted() -> None:
    days = calm(request(C, at=60))
    with pytest.raises(Refused) as found:
        asked(days, "admit", workload=0, flavor="spot-t4", gpus=0)
    assert found.value.code == "not_found"


@pytest.mark.parametrize("verb", ["preempt", "requeue"])
def test_repeating_a_stop_is_a_conflict_and_loses_nothing(verb: str) -> None:
    days = calm(request(A, minutes=300))
    asked(days, "admit", workload=0, flavor="ondemand-t4", gpus=0)
    with pytest.raises(Refused, match="only a pending workload"):
        asked(days, "admit", workload=0, flavor="ondemand-t4", gpus=0)
    pass_time(days, 60)
    asked(days, verb, job=0)
    before = days.world.works[0].lost
    pass_time(days, 5)
    with pytest.raises(Refused) as found:
        asked(days, verb, job=0)
    assert (found.value.code, days.world.works[0].lost) == ("conflict", before)


@pytest.mark.parametrize("nominal", [-1, 9, 1_000_000])
def test_quota_outside_the_nodes_of_a_flavour_is_refused(nominal: int) -> None:
    days = calm(chosen=calendar_setting())
    with pytest.raises(Refused, match="0 to 8") as found:
        asked(days, "set_quota", queue="one", flavor="od", nominal=nominal)
    assert found.value.code == "invalid"
    assert days.world.nominal == {(0, 0): 8, (1, 0): 0}


@pytest.mark.parametrize("place", [("nobody", "od"), ("one", "gold")])
def test_quota_of_an_unknown_queue_or_flavour_is_not_found(place: tuple[str, str]) -> None:
    with pytest.raises(Refused, match="there is: ") as found:
        asked(
            calm(chosen=calendar_setting()),
            "set_quota",
            queue=place[0],
            flavor=place[1],
            nominal=4,
        )
    assert found.value.code == "not_found"


# -- what is kept between calls ---------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_room_is_what_the_quota_tree_says_after_every_change(level: str) -> None:
    days = drawn("failure-heavy", "3", level)
    for _ in range(6):
        greedy(days, days.now // 3600 + 4)
        world = days.world
        fresh = world._fresh_tree()
        for queue, row in enumerate(days.config.queues):
            for flavor in row.quotas:
                assert world.room(queue, flavor) == fresh.available(queue, flavor)
    assert days.now >= 20 * HOUR // 1000


# -- what candidates read ---------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_manifests_scrape_and_list_tell_of_one_moment(level: str) -> None:
    chosen, documents = setting(level), load_world("cluster_priorities").documents
    config = cluster_config(DEFAULT, chosen)
    listed = documents["workloads.txt"](DEFAULT, chosen, "5").splitlines()[2:]
    scrape = documents["metrics.prom"](DEFAULT, chosen, "5")
    values = {
        line.rpartition(" ")[0]: int(line.rpartition(" ")[2])
        for line in scrape.splitlines()
        if not line.startswith("#")
    }
    assert [line.split()[:2] for line in listed] == sorted(line.split()[:2] for line in listed)
    for number, queue in enumerate(config.queues):
        mine = [line.split() for line in listed if line.split()[2] == queue.name]
        waiting = sum(
            values[f'kueue_pending_workloads{{cluster_queue="{queue.name}",status="{status}"}}']
            for status in ("active", "inadmissible")
        )
        assert waiting == sum("True" not in row for row in mine)
        for flavor in queue.quotas:
            labels = (
                f'cohort="{queue.cohort}",cluster_queue="{queue.name}",'
                f'flavor="{config.flavors[flavor].name}",resource="nvidia.com/gpu"'
            )
            nominal = values[f"kueue_cluster_queue_nominal_quota{{{labels}}}"]
            assert nominal == config.planned(number, flavor, 10 * HOUR)


@pytest.mark.parametrize(
    ("seconds", "age"),
    [(45, "45s"), (150, "2m30s"), (540, "9m"), (10_440, "174m"), (25_740, "7h9m"), (97_200, "27h")],
)
def test_ages_are_written_as_kubectl_writes_them(seconds: int, age: str) -> None:
    assert _age(seconds) == age
