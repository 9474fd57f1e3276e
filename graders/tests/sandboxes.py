"""The sandbox that tests of this package run answers in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from graders import playing
from graders.backend import backend_from_environment, state_folder
from sandbox import Backend, SandboxUnavailable, open_backend
from sandbox.engine import DEFAULT_URL


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


def opened(name: str) -> Backend:
    try:
        url = os.environ.get("SANDBOX_DOCKER_URL", DEFAULT_URL)
        return open_backend(
            name, state_dir=state_folder(), docker_url=url if name == "docker" else None
        )
    except SandboxUnavailable as missing:
        if os.environ.get("HEADNODE_REQUIRE_ALL"):
            raise
        pytest.skip(f"no {name} sandbox here: {missing}")


@pytest.fixture(scope="module")
def namespace() -> Iterator[Backend]:
    backend = opened("namespace")
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def docker() -> Iterator[Backend]:
    backend = opened("docker")
    yield backend
    backend.close()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of calls to and fro take a busy machine longer than the minute that a run has."""
    monkeypatch.setattr(playing, "LIMITS", replace(playing.LIMITS, wall_s=600.0))
