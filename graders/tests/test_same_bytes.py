"""A grade has the same bytes wherever the answer ran: one pack of every world, on both backends."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache

import pytest

from graders.__main__ import STATE
from graders.grading import grade
from graders.tests.sandboxes import unhurried
from sandbox import Backend, SandboxUnavailable, open_backend
from sandbox.engine import DEFAULT_URL
from scenarios.packs import all_packs, load_pack

__all__ = ["unhurried"]
pytestmark = pytest.mark.usefixtures("unhurried")
SEED = 41


@cache
def packs() -> list[str]:
    """The first automation pack of each world."""
    found: dict[str, str] = {}
    for pack in all_packs():
        if pack.kind == "automation":
            found.setdefault(str(pack.data["world"]), pack.name)
    return sorted(found.values())


def opened(name: str) -> Backend:
    try:
        url = os.environ.get("SANDBOX_DOCKER_URL", DEFAULT_URL)
        return open_backend(name, state_dir=STATE, docker_url=url if name == "docker" else None)
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


def told(name: str, backend: Backend) -> bytes:
    """The grade as bytes, without the names of the backend and of its image."""
    pack = load_pack(name)
    level = "mid" if "mid" in pack.levels else pack.levels[0]
    files = {pack.entry: pack.golden(level, "competent")}
    report = grade(name, level, SEED, files, backend, 1).to_dict()
    assert report["status"] == "done", report["detail"]
    assert report["measures"]
    report["versions"] = {
        key: value for key, value in report["versions"].items() if key not in ("backend", "image")
    }
    report["marks"] = []  # limits that are weaker on this machine
    return json.dumps(report).encode()


@pytest.mark.docker
@pytest.mark.parametrize("name", packs())
def test_grade_has_the_same_bytes_on_both_backends(
    name: str, namespace: Backend, docker: Backend
) -> None:
    assert told(name, namespace) == told(name, docker)


def test_same_answer_graded_again_has_the_same_bytes(namespace: Backend) -> None:
    name = packs()[0]
    assert told(name, namespace) == told(name, namespace)
