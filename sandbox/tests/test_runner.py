"""A runner's name is held as long as it lives, whoever sweeps beside it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sandbox.runner import Runner


@pytest.mark.nightly
def test_nobody_who_lives_seems_dead_to_those_who_sweep(tmp_path: Path) -> None:
    """A sweep may come between making the lock's file and taking the lock."""
    sweeper, other = Runner(tmp_path), Runner(tmp_path)
    over = threading.Event()

    def sweep(runner: Runner) -> None:
        while not over.is_set():
            runner.sweep_folders()

    threads = [threading.Thread(target=sweep, args=[one]) for one in (sweeper, other)]
    for thread in threads:
        thread.start()
    seeming_dead = 0
    for _ in range(1500):
        fresh = Runner(tmp_path)
        over.wait(0.0003)
        seeming_dead += sweeper.is_dead(fresh.next_name())
        fresh.close()
    over.set()
    for thread in threads:
        thread.join()
    assert seeming_dead == 0
    sweeper.close()
    other.close()


def test_lock_of_who_is_gone_is_removed(tmp_path: Path) -> None:
    sweeper, gone = Runner(tmp_path), Runner(tmp_path)
    name = gone.next_name()
    assert not sweeper.is_dead(name)
    gone.abandon()
    assert sweeper.is_dead(name)
    sweeper.sweep_folders()
    assert {path.stem for path in sweeper.folder.glob("*.lock")} == {sweeper.id}
    sweeper.close()
