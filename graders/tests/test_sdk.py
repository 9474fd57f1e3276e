from __future__ import annotations

import sys
from typing import Any

import pytest

from graders.inprocess import run_trusted, sdk
from graders.session import EpisodeSession
from scenarios.company.profile import DEFAULT
from scenarios.worlds.queue_autoscaler import WORLD
from scenarios.worlds.queue_autoscaler.setting import Setting, open_day

EVERY_CALL = """
def control(cluster):
    assert cluster.tick()
    jobs, nodes, pools, metrics = cluster.jobs(), cluster.nodes(), cluster.pools(), cluster.metrics()
    seen.extend([jobs, nodes, pools, metrics])
    seen.append(cluster.scale("spot", 2))
    seen.append(cluster.drain(nodes[0].name))
    cluster.cordon(nodes[1].name)
    cluster.uncordon(nodes[1].name)
    running = next(job for job in jobs if job.state == "running" and job.nodes == [nodes[1].name])
    seen.append(cluster.preempt(running.id))
    cluster.log("done")
seen = []
import sys
sys.modules["sdk_probe"] = type(sys)("sdk_probe")
sys.modules["sdk_probe"].seen = seen
"""


def test_every_verb_of_the_sdk_fits_the_world() -> None:
    day = open_day(DEFAULT, Setting(), "burst", "sdk", faults=False)
    run_trusted(EVERY_CALL, EpisodeSession(day, WORLD.methods))
    jobs, nodes, pools, metrics, scaled, drained, _ = sys.modules["sdk_probe"].seen
    assert {job.priority for job in jobs} <= {"high", "normal", "low"}
    assert all(type(job.spot) is bool and type(job.nodes) is list for job in jobs)
    assert nodes[0].gpus == 8
    assert pools["ondemand"].price == DEFAULT.ondemand_node_hour
    assert set(metrics.queues) == {"high", "normal", "low"}
    assert (scaled.asked, scaled.size, scaled.launched, scaled.removed) == (2, 2, 2, [])
    assert drained.node == nodes[0].name


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("timeout", "ApiTimeout"),
        ("rate_limited", "RateLimited"),
        ("conflict", "Conflict"),
        ("not_found", "NotFound"),
        ("invalid", "InvalidRequest"),
        ("over", "ApiError"),
    ],
)
def test_every_error_code_is_its_own_exception(code: str, name: str) -> None:
    library = sdk()

    def call(method: str, **params: Any) -> Any:
        raise library.ApiError(code, "Retry after 90 s: busy.")

    with pytest.raises(library.ApiError) as caught:
        library.Cluster(call).jobs()
    assert type(caught.value).__name__ == name
    if name == "RateLimited":
        assert caught.value.retry_after == 90


def test_read_at_tells_how_old_an_answer_is() -> None:
    library = sdk()
    cluster = library.Cluster(lambda method, **params: {"at": 120, "rows": []})
    cluster.now = 300
    assert cluster.nodes() == []
    assert cluster.read_at == 120
