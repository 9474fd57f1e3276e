"""What a web process does before its first request."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from headnode.web_server import settle


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.nightly
def test_what_is_loaded_is_never_searched_for_garbage_again() -> None:
    """The search would hold up whichever request sets it off, the longer the more is loaded."""
    loaded: list[object] = [[]]
    settle()
    made: list[object] = [[]]
    searched = {id(one) for one in gc.get_objects()}
    assert id(loaded) not in searched
    assert id(made) in searched
