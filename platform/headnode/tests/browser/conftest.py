from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from headnode.tests.browser.actors import Shared, browser
from headnode.tests.browser.kept_demo import lend, set_back
from headnode.tests.browser.site import Site, forget_database

# On a server each site makes its own demo, as its tasks are in the broker already.
ON_A_SERVER = "DATABASE_URL" in os.environ or "BROKER_URL" in os.environ


def shared_by_processes(factory: pytest.TempPathFactory) -> Path:
    """The folder of this run of tests that all of its processes see."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


# Not for the whole session: it would be in the way of the tests that come after these.
@pytest.fixture(scope="package", autouse=True)
def one_browser() -> Iterator[None]:
    """This process's browser ends with the last of these tests."""
    yield
    Shared.end()


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="package")
def leaving() -> Iterator[list[Site]]:
    """Sites that were told to stop, which takes them seconds: the next one need not wait for it."""
    sites: list[Site] = []
    yield sites
    for one in sites:
        one.wait()
        forget_database(one.port)


@pytest.fixture(scope="package")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo is kept that sites are lent."""
    return shared_by_processes(tmp_path_factory) / "demo"


@pytest.fixture(scope="package")
def common(
    tmp_path_factory: pytest.TempPathFactory, leaving: list[Site], demo: Path
) -> Iterator[Callable[[], Site]]:
    """The site that modules of this process share, started by the first that asks."""

    @cache
    def started() -> Site:
        site = Site(tmp_path_factory.mktemp("common"))
        leaving.append(site)
        lend(site.data, demo)
        site.start()
        return site

    yield started
    if started.cache_info().currsize:
        started().leave()


@pytest.fixture(scope="module")
def site(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    leaving: list[Site],
    demo: Path,
    common: Callable[[], Site],
) -> Iterator[Site]:
    """A running site with the demo as it was made, for all tests of a module.

    Where the module says OWN_SITE no other has it, as it is stopped and killed; where it says
    FROM_NOTHING the launcher makes all of it, as at a first start.
    """
    from_nothing = ON_A_SERVER or getattr(request.module, "FROM_NOTHING", False)
    if not from_nothing and not getattr(request.module, "OWN_SITE", False):
        site = common()
        set_back(site, demo)
        yield site
        return
    own = Site(tmp_path_factory.mktemp("site"))
    leaving.append(own)
    if not from_nothing:
        lend(own.data, demo)
    try:
        own.start()
        yield own
    finally:
        own.leave()
