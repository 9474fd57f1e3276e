"""A sandbox with a cluster's root, and scenes played in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import pytest

from graders.backend import backend_from_environment, state_folder
from graders.kinds import Asked
from graders.live_slurm.assess import assess
from graders.live_slurm.course import Played
from graders.live_slurm.goldens import GOLDENS
from graders.live_slurm.grading import run
from graders.live_slurm.told import STATE
from graders.measures import Measured, total
from sandbox import Backend, SandboxUnavailable, open_backend, rootfs
from scenarios.live_slurm.scene import Scene
from scenarios.packs import load_pack

PACK = "troubleshooting/jobs-do-not-start"


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    try:
        rootfs.build(state_folder(), "slurm")
        found = backend_from_environment()
    except SandboxUnavailable as missing:
        if os.environ.get("HEADNODE_REQUIRE_ALL"):
            raise
        pytest.skip(f"no sandbox with a cluster here: {missing}")
    yield found
    found.close()


@pytest.fixture(scope="module")
def docker() -> Iterator[Backend]:
    url = os.environ.get("SANDBOX_DOCKER_URL")
    try:
        rootfs.build(state_folder(), "slurm")
        found = open_backend("docker", state_dir=state_folder(), docker_url=url)
    except SandboxUnavailable as missing:
        if os.environ.get("HEADNODE_REQUIRE_ALL"):
            raise
        pytest.skip(f"no container with a cluster here: {missing}")
    yield found
    found.close()


def played(backend: Backend, scene: Scene, golden: str) -> tuple[Played, list[Measured]]:
    """What one golden makes of a scene, and its measures."""
    pack = load_pack(PACK)
    asked = Asked(pack, scene.level, scene.seed, {}, backend)
    outcome, driver = run(scene, GOLDENS[golden](scene), asked)
    assert driver.result is not None, (driver.trouble, outcome)
    state = [one for one in pack.measures(scene.level) if one.key in STATE]
    measures, _evidence = assess(scene, driver.result, state)
    return driver.result, measures


def score(measures: Sequence[Measured]) -> float:
    found = total(measures)
    assert found is not None
    return found
