from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from headnode.tests.browser.site import Site, forget_database, lend_demo


def shared_by_processes(factory: pytest.TempPathFactory) -> Path:
    """The folder of this run of tests that all of its processes see."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def leaving() -> Iterator[list[Site]]:
    """Sites that were told to stop, which takes them seconds: the next one need not wait for it."""
    sites: list[Site] = []
    yield sites
    for one in sites:
        one.wait()
        forget_database(one.port)


@pytest.fixture(scope="module")
def site(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    leaving: list[Site],
) -> Iterator[Site]:
    """A running site with the demo in it, for all tests of a module.

    Where the module says FROM_NOTHING the launcher makes all of it, as at a first start.
    """
    running = Site(tmp_path_factory.mktemp("site"))
    leaving.append(running)
    if not getattr(request.module, "FROM_NOTHING", False):
        lend_demo(running.data, shared_by_processes(tmp_path_factory) / "demo")
    try:
        running.start()
        yield running
    finally:
        running.leave()
