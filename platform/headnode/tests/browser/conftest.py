from __future__ import annotations

from collections.abc import Iterator

import pytest

from headnode.tests.browser.site import Site, forget_database


@pytest.fixture(scope="session")
def leaving() -> Iterator[list[Site]]:
    """Sites that were told to stop, which takes them seconds: the next one need not wait for it."""
    sites: list[Site] = []
    yield sites
    for one in sites:
        one.wait()
        forget_database(one.port)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, leaving: list[Site]) -> Iterator[Site]:
    """A running site with the demo in it, for all tests of a module."""
    running = Site(tmp_path_factory.mktemp("site"))
    leaving.append(running)
    try:
        running.start()
        yield running
    finally:
        running.leave()
