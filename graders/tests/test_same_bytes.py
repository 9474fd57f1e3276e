"""A grade has the same bytes wherever the answer ran: one pack of every world, on both backends."""

from __future__ import annotations

import json
from functools import cache

import pytest

from graders.kinds import grade
from graders.tests.sandboxes import docker, namespace, unhurried
from sandbox import Backend
from scenarios.packs import all_packs, load_pack

__all__ = ["docker", "namespace", "unhurried"]
pytestmark = pytest.mark.usefixtures("unhurried")
SEED = 41
BY_DAY = ("queue-autoscaler",)


@cache
def packs() -> list[str]:
    """The first automation pack of each world."""
    found: dict[str, str] = {}
    for pack in all_packs():
        if pack.kind == "automation":
            found.setdefault(str(pack.data["world"]), pack.name)
    return sorted(found.values())


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


# By day plain answers; long texts, several clusters and each golden of every pack meet Docker by night.
@pytest.mark.by_day("name", [f"automation/{name}" for name in BY_DAY])
@pytest.mark.docker
@pytest.mark.parametrize("name", packs())
def test_grade_has_the_same_bytes_on_both_backends(
    name: str, namespace: Backend, docker: Backend
) -> None:
    assert told(name, namespace) == told(name, docker)


@pytest.mark.nightly
def test_same_answer_graded_again_has_the_same_bytes(namespace: Backend) -> None:
    name = packs()[0]
    assert told(name, namespace) == told(name, namespace)
