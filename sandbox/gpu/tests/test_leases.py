"""A unit is never handed out twice, whoever is killed and whenever."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from sandbox.gpu import Grant, NotNow, Pool
from sandbox.gpu.owner import Owner, kill, start_ticks
from sandbox.gpu.tests.cards import FIRST, SECOND, SLICES, StubCards, running
from sandbox.gpu.tests.test_behaviours import granted, refused

Process = subprocess.Popen[str]
Holder = Callable[[str, int], AbstractContextManager[Process]]


@pytest.fixture
def holder(stub: StubCards, folder: Path) -> Holder:
    """Starts a runner that holds leases until it is killed."""

    def start(manner: str, count: int) -> AbstractContextManager[Process]:
        program = [sys.executable, "-m", "sandbox.gpu.tests.holder"]
        return running([*program, str(folder), str(count), manner], stub.environment)

    return start


@pytest.fixture
def leftover() -> Iterator[list[int]]:
    """Numbers of processes that outlive their runner; killed after the test."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        kill(pid, start_ticks(pid) or -1)


def line(process: Process) -> str:
    assert process.stdout is not None
    text: str = process.stdout.readline()
    return text.strip()


def die(process: Process) -> None:
    process.kill()
    process.wait()


def test_killed_runner_frees_its_units(holder: Holder, pool: Pool) -> None:
    with holder("plain", 2) as process:
        assert line(process) == "[1, 1]"
        answer = refused(pool.lease())
        assert f"is leased to process {process.pid} (lease 1)" in answer.reason
        die(process)
    with granted(pool.lease(2)) as grant:
        assert [lease.fence for lease in grant.leases] == [2, 2]


def test_killed_runner_shows_as_orphan_until_swept(holder: Holder, pool: Pool) -> None:
    with holder("plain", 1) as process:
        line(process)
        die(process)
    assert [one.state for one in pool.standings()] == ["orphaned", "free"]
    assert pool.sweep() == [f"{FIRST}: freed, its runner is dead"]
    assert [one.state for one in pool.standings()] == ["free", "free"]
    assert pool.sweep() == []


def test_left_over_program_keeps_its_unit(
    holder: Holder, pool: Pool, stub: StubCards, leftover: list[int]
) -> None:
    with holder("program", 1) as process:
        line(process)
        leftover.append(int(line(process)))
        stub.seat(leftover[0], 300)
        die(process)
    answer = refused(pool.lease(unit=FIRST))
    assert f"is still used by process {leftover[0]}" in answer.reason
    with granted(pool.lease()) as other:
        assert other.units[0].uuid == SECOND


def test_sweep_kills_what_a_dead_runner_left(
    holder: Holder, pool: Pool, stub: StubCards, leftover: list[int]
) -> None:
    with holder("program", 1) as process:
        line(process)
        leftover.append(int(line(process)))
        stub.seat(leftover[0], 300)
        die(process)
    assert pool.sweep() == [f"{FIRST}: freed, its runner is dead"]
    assert start_ticks(leftover[0]) is None
    granted(pool.lease(unit=FIRST)).release()


def test_sweep_spares_a_process_older_than_the_lease(
    holder: Holder, pool: Pool, stub: StubCards
) -> None:
    with running(["sleep", "60"]) as older:
        time.sleep(0.05)
        with holder("plain", 1) as process:
            line(process)
            stub.seat(older.pid, 300)
            die(process)
        (said,) = pool.sweep(wait_s=0.2)
        assert said == f"{FIRST}: its runner is dead, but it is still used by process {older.pid}"
        assert older.poll() is None
        assert isinstance(pool.lease(unit=FIRST), NotNow)


def test_sweep_spares_living_runners(holder: Holder, pool: Pool) -> None:
    with holder("plain", 1) as process:
        line(process)
        assert pool.sweep() == []
        assert process.poll() is None
        assert "is leased" in refused(pool.lease(unit=FIRST)).reason


def test_forked_child_of_a_dead_runner_keeps_its_unit(
    holder: Holder, pool: Pool, leftover: list[int]
) -> None:
    with holder("fork", 1) as process:
        line(process)
        leftover.append(int(line(process)))
        die(process)
        assert "is leased" in refused(pool.lease(unit=FIRST)).reason
        kill(leftover[0], start_ticks(leftover[0]) or -1)
        until = time.monotonic() + 5
        while isinstance(answer := pool.lease(unit=FIRST), NotNow):
            assert time.monotonic() < until, answer
            time.sleep(0.02)
        answer.release()


def test_release_in_a_forked_child_does_not_free_the_unit(stub: StubCards, pool: Pool) -> None:
    with granted(pool.lease(unit=FIRST)) as grant:
        child = os.fork()
        if child == 0:
            grant.release()
            os._exit(0 if not grant.is_current else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert grant.is_current
        assert f"process {os.getpid()} " in refused(pool.lease(unit=FIRST)).reason


def test_lease_outlives_the_thread_that_took_it(stub: StubCards, pool: Pool) -> None:
    got: list[Grant | NotNow] = []
    thread = threading.Thread(target=lambda: got.append(pool.lease(unit=FIRST)))
    thread.start()
    thread.join()
    assert isinstance(pool.lease(unit=FIRST), NotNow)
    granted(got[0]).release()
    granted(pool.lease(unit=FIRST)).release()


def test_all_or_none_of_several(stub: StubCards, pool: Pool) -> None:
    with granted(pool.lease(unit=SECOND)):
        answer = refused(pool.lease(2))
        assert answer.reason.startswith("1 of 2 GPUs are free")
        assert answer.hopeful
        granted(pool.lease(unit=FIRST)).release()
    granted(pool.lease(2)).release()


def test_removed_lock_file_does_not_lend_a_unit_twice(
    stub: StubCards, pool: Pool, folder: Path
) -> None:
    with granted(pool.lease(unit=FIRST)) as grant:
        (folder / "leases" / f"{FIRST}.lock").unlink()
        answer = refused(pool.lease(unit=FIRST))
        assert "lives though its lock file was removed" in answer.reason
        assert not grant.is_current


def test_damaged_record_keeps_its_unit_back(stub: StubCards, pool: Pool, folder: Path) -> None:
    granted(pool.lease(unit=FIRST)).release()
    for content in ("{", "[]", '{"unit": 1}'):
        (folder / "leases" / f"{FIRST}.json").write_text(content)
        assert "has no readable record" in refused(pool.lease(unit=FIRST)).reason


def test_instances_are_lent_apart_and_never_with_their_card(stub: StubCards, pool: Pool) -> None:
    whole = granted(pool.lease(unit=FIRST))
    stub.slice()
    answer = refused(pool.lease(unit=SLICES[0]))
    assert f"shares its card with {FIRST}, which is leased" in answer.reason
    whole.release()
    with granted(pool.lease(unit=SLICES[0])), granted(pool.lease(unit=SLICES[1])):
        assert "no GPU" in refused(pool.lease(unit=FIRST)).reason
        stub.change(mig=0)
        assert "shares its card" in refused(pool.lease(unit=FIRST)).reason


def test_several_units_are_never_instances(stub: StubCards, pool: Pool) -> None:
    stub.slice()
    assert "cannot lend 2 GPUs" in refused(pool.lease(2)).reason


@pytest.mark.parametrize(("count", "unit"), [(0, None), (-1, None), (2, FIRST)])
def test_senseless_request_is_refused(
    stub: StubCards, pool: Pool, count: int, unit: str | None
) -> None:
    with pytest.raises(ValueError, match="Ask for one GPU or more"):
        pool.lease(count, unit=unit)


def leases_of(log: Path) -> list[list[str]]:
    """None where every racer was killed before it had begun one."""
    return [entry.split() for entry in log.read_text().splitlines()] if log.exists() else []


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.nightly
def test_race_of_eight_lends_nothing_twice(
    stub: StubCards, folder: Path, tmp_path: Path, count: int
) -> None:
    log = tmp_path / "log"
    program = [sys.executable, "-m", "sandbox.gpu.tests.racer", str(folder), str(log)]
    with ExitStack() as stack:
        racers = [
            stack.enter_context(running([*program, str(count), "2", "40"], stub.environment))
            for _ in range(8)
        ]
        assert [racer.wait(timeout=120) for racer in racers] == [0] * 8
    _check(log, at_least=40)


def test_race_with_killed_runners_lends_nothing_twice(
    stub: StubCards, folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    program = [sys.executable, "-m", "sandbox.gpu.tests.racer", str(folder), str(log)]
    program += ["1", "180", "0"]
    chance = random.Random(8)
    with ExitStack() as stack:
        racers = [stack.enter_context(running(program, stub.environment)) for _ in range(8)]
        until = time.monotonic() + 30
        while not log.exists() and time.monotonic() < until:
            time.sleep(0.05)
        for racer in racers[:7]:
            time.sleep(0.3 + chance.random() / 10)
            die(racer)
        wanted = max(20, len(leases_of(log)) + 1)
        until = time.monotonic() + 60
        while len(leases_of(log)) < wanted:
            assert time.monotonic() < until, "the last runner should get the units of the dead"
            time.sleep(0.05)
    _check(log, at_least=20)


def _check(log: Path, *, at_least: int) -> None:
    entries = leases_of(log)
    assert len(entries) >= at_least
    assert {entry[2] for entry in entries} == {"alone"}
    fences = Counter((unit, fence) for unit, fence, _how in entries)
    assert set(fences.values()) == {1}, "a fencing number was given twice"


def test_owner_is_told_from_a_later_process_of_its_number() -> None:
    mine = Owner.current()
    assert mine.is_alive
    later = Owner(mine.pid, mine.start + 1, mine.boot, mine.namespace)
    assert not later.is_alive
    assert not Owner(mine.pid, mine.start, "another boot", mine.namespace).is_judgeable


def test_kill_spares_a_later_process_of_the_same_number() -> None:
    with running(["sleep", "60"]) as process:
        start = start_ticks(process.pid)
        assert start is not None
        assert not kill(process.pid, start - 1)
        assert process.poll() is None
        assert kill(process.pid, start)
        assert process.wait(timeout=5) == -9
        assert not kill(process.pid, start)
