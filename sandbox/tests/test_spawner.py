"""The spawner thread's mounts are its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.spawner import Spawner, hall_for
from sandbox.tests import traces
from sandbox.tests.conftest import missing


@pytest.fixture
def spawner(tmp_path: Path) -> Iterator[Spawner]:
    found = Spawner(tmp_path)
    if not found.mounts:
        found.close()
        missing("Only root can mount a run's work folder")
    yield found
    found.close()


def test_work_folder_is_invisible_to_the_host(spawner: Spawner) -> None:
    before = traces.mounts()
    at = spawner.call(lambda: spawner.make_work("run", 4, 64, 64000))
    assert not at.exists()
    assert traces.mounts() == before
    assert spawner.call(lambda: sorted(os.listdir(at))) == ["box", "shm", "tmp"]
    spawner.call(lambda: spawner.drop_work(at))
    assert spawner.call(at.exists) is False


def test_folder_below_a_private_one_becomes_reachable(spawner: Spawner, tmp_path: Path) -> None:
    secret = tmp_path / "home"
    (secret / "root").mkdir(parents=True)
    (secret / "root" / "file").write_text("seen")
    secret.chmod(0o700)
    at = spawner.call(lambda: spawner.reachable(secret / "root"))
    assert spawner.call((at / "file").read_text) == "seen"
    assert spawner.call(lambda: spawner.reachable(secret / "root")) == at
    assert spawner.call(lambda: oct(at.parent.stat().st_mode & 0o777)) == "0o711"


def test_exceptions_come_through(spawner: Spawner) -> None:
    with pytest.raises(ZeroDivisionError):
        spawner.call(lambda: 1 / 0)
    assert spawner.call(lambda: 1) == 1


def test_covered_place_never_hides_the_state_folder() -> None:
    assert hall_for(Path("/home/x")) != hall_for(Path("/mnt/data/headnode"))
    with pytest.raises(FileNotFoundError):
        hall_for(Path("/mnt/a"), Path("/media/b"), Path("/srv/c"), Path("/opt/d"))
