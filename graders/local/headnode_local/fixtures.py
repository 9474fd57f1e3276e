"""What pytest gives a controller's tests: the fixture `local_cluster`, found by itself once installed."""

from __future__ import annotations

import pytest

from .cluster import LocalCluster
from .kit import find_kit


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "workload(name, faults=True): the public workload that local_cluster is on",
    )


@pytest.fixture
def local_cluster(request: pytest.FixtureRequest) -> LocalCluster:
    """A fresh cluster on public-1, or on what the mark `workload` names.

    The kit is looked for from the test's own folder upwards, then from pytest's root.
    """
    mark = request.node.get_closest_marker("workload")
    given = mark.args if mark else ()
    name = given[0] if given else "public-1"
    faults = mark.kwargs.get("faults", True) if mark else True
    kit = find_kit(request.path.parent, request.config.rootpath)
    return LocalCluster(kit, name, faults=faults)
