"""The sandbox that tests of this package run answers in."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from graders.__main__ import backend_from_environment
from sandbox import Backend, SandboxUnavailable


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    try:
        found = backend_from_environment()
    except SandboxUnavailable as missing:
        if os.environ.get("HEADNODE_REQUIRE_ALL"):
            raise
        pytest.skip(f"no sandbox here: {missing}")
    yield found
    found.close()
