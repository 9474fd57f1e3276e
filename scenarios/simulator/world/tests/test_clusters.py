"""Where jobs go when there are several clusters, and what moving data costs."""

from __future__ import annotations

import pytest

from scenarios.simulator.world.clusters import Broker, Cluster, Dataset, PriceBook
from scenarios.simulator.world.tests.small import jobs

HOME = Cluster("home", 64, PriceBook(4.0, egress_gb=0.10, out_gbit_s=8.0))
AWAY = Cluster("away", 64, PriceBook(2.0, egress_gb=0.02, out_gbit_s=8.0), largest=8)
DATA = {"images": Dataset("home", 100.0), "text": Dataset("home", 1.0)}


def test_job_goes_where_run_and_data_together_cost_least() -> None:
    workload = jobs([(0, 1_800, 2), (1, 18_000, 8), (2, 1_800, 2)])
    routes = Broker((HOME, AWAY), DATA).route(workload, ["images", "images", ""])
    assert routes.cluster == [0, 1, 1]
    assert routes.moved_usd == pytest.approx(100 * 0.10)


def test_job_waits_for_its_data_and_the_next_one_finds_it_there() -> None:
    workload = jobs([(0, 18_000, 8), (10, 18_000, 8), (500, 18_000, 8)])
    routes = Broker((HOME, AWAY), DATA).route(workload, ["images"] * 3)
    assert routes.ready == [100, 100, 500]
    assert [(move.at, move.done, move.source) for move in routes.moves] == [(0, 100, "home")]
    assert routes.part(1).submit == [100, 100, 500]
    assert len(routes.part(0)) == 0


def test_cheap_cluster_with_too_long_a_queue_is_passed_over() -> None:
    workload = jobs([(0, 18_000, 8)] * 8)
    routes = Broker((HOME, AWAY), {}, patience_s=20_000).route(workload, [""] * 8)
    assert routes.cluster == [1, 1, 1, 1, 1, 0, 0, 0]


def test_job_too_large_for_one_goes_to_the_other_or_nowhere() -> None:
    workload = jobs([(0, 10, 9), (0, 10, 65)])
    routes = Broker((HOME, AWAY), {}).route(workload, ["", ""])
    assert routes.cluster == [0, -1]
    assert len(routes.part(0)) + len(routes.part(1)) == 1


def test_what_nobody_knows_is_named() -> None:
    with pytest.raises(ValueError, match="sound"):
        Broker((HOME,), DATA).route(jobs([(0, 1, 1)]), ["sound"])
    with pytest.raises(ValueError, match="images"):
        Broker((AWAY,), DATA)
    with pytest.raises(ValueError, match="name of its own"):
        Broker((HOME, HOME), {})
