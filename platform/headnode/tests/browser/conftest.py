from __future__ import annotations

from collections.abc import Iterator

import pytest

from headnode.tests.browser.site import Site, forget_database


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A running site with the demo in it, for all tests of a module."""
    running = Site(tmp_path_factory.mktemp("site"))
    try:
        running.start()
        yield running
    finally:
        running.stop()
        forget_database(running.port)
