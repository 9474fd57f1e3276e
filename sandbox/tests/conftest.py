"""Backends opened once for a test run; a missing engine is said, and fails where all must run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from sandbox import Backend, SandboxUnavailable, open_backend, rootfs
from sandbox.engine import DEFAULT_URL
from sandbox.tests.ahead import Ahead

REPO = Path(__file__).resolve().parents[2]
STATE = REPO / "data" / "sandbox"


def docker_url() -> str:
    return os.environ.get("SANDBOX_DOCKER_URL", DEFAULT_URL)


@pytest.fixture(scope="session")
def built_root() -> rootfs.Root:
    """The root folder all tests share; made here when the set-up has not."""
    return rootfs.build(STATE)[0]


@pytest.fixture(scope="session")
def login_root() -> rootfs.Root:
    """The root with a shell; built here, which needs apt and some seconds, when it is not there."""
    try:
        return rootfs.build(STATE, "login")[0]
    except SandboxUnavailable as error:
        missing(str(error))


@pytest.fixture(scope="session")
def slurm_root() -> rootfs.Root:
    """The root with a cluster's daemons; built here as `login_root` is."""
    try:
        return rootfs.build(STATE, "slurm")[0]
    except SandboxUnavailable as error:
        missing(str(error))


def _state(below: Path, root: rootfs.Root) -> Path:
    state = below / "state"
    state.mkdir()
    (state / "roots").symlink_to(root.folder.parent)
    return state


@pytest.fixture
def state_dir(tmp_path: Path, built_root: rootfs.Root) -> Path:
    """A state folder of a test's own, so that sweeping it touches nobody else."""
    return _state(tmp_path, built_root)


@pytest.fixture(scope="session")
def shared_state(tmp_path_factory: pytest.TempPathFactory, built_root: rootfs.Root) -> Path:
    """The state folder of the backends that tests share."""
    return _state(tmp_path_factory.mktemp("shared"), built_root)


def missing(reason: str) -> NoReturn:
    """Skip and say why; where everything must be there, fail."""
    if os.environ.get("HEADNODE_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def _open_or_say(open_it: Callable[[], Backend]) -> Backend:
    try:
        return open_it()
    except SandboxUnavailable as error:
        missing(str(error))


@pytest.fixture(scope="session")
def namespace(shared_state: Path) -> Iterator[Backend]:
    backend = _open_or_say(lambda: open_backend("namespace", state_dir=shared_state))
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def docker(shared_state: Path) -> Iterator[Backend]:
    backend = _open_or_say(
        lambda: open_backend("docker", state_dir=shared_state, docker_url=docker_url())
    )
    yield backend
    backend.close()


# Not for the whole session: a spare that comes up late would disturb tests that count processes.
@pytest.fixture(scope="module")
def namespace_ahead(shared_state: Path) -> Iterator[Backend]:
    ahead = _open_or_say(lambda: Ahead("namespace", shared_state, docker_url()))
    yield ahead
    ahead.close()


@pytest.fixture(scope="module")
def docker_ahead(shared_state: Path) -> Iterator[Backend]:
    ahead = _open_or_say(lambda: Ahead("docker", shared_state, docker_url()))
    yield ahead
    ahead.close()


def _named(*names: str) -> list[object]:
    return [
        pytest.param(name, marks=[pytest.mark.docker] if name.startswith("docker") else [])
        for name in names
    ]


@pytest.fixture(params=_named("namespace", "docker"))
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each backend in turn."""
    found: Backend = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=_named("namespace", "namespace_ahead", "docker", "docker_ahead"))
def any_start(request: pytest.FixtureRequest) -> Backend:
    """Each backend in turn, with sandboxes started for the run and with spares."""
    found: Backend = request.getfixturevalue(request.param)
    return found
