"""Spares are used once, under the limits of the job, and are there again soon."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sandbox import Limits, SandboxUnavailable, Spec, bubblewrap, cgroups, open_backend
from sandbox.handover import StartFailed
from sandbox.housekeeping import Housekeeper
from sandbox.runner import state_key
from sandbox.spares import Spares
from sandbox.tests import traces
from sandbox.tests.ahead import Ahead
from sandbox.tests.conftest import REPO, docker_url
from sandbox.tests.episode import SDK, Steps, run

ORDINARY = Limits()


class Pretended:
    """Stands for a sandbox; `die` makes its descriptor readable, as a pidfd becomes."""

    def __init__(self, shape: str, stack: ExitStack) -> None:
        self.shape, self.ready, self.refuses = shape, False, False
        self.limits: Limits | None = None
        self.given_back = 0
        self.exited, self._end = os.pipe()
        stack.callback(self._give_back)

    def get_ready(self) -> None:
        self.ready = True

    def bound(self, limits: Limits) -> None:
        if self.refuses:
            raise StartFailed("It does not answer.")
        self.limits = limits

    def die(self) -> None:
        os.write(self._end, b"1")

    def let_go(self) -> None:
        os.close(self.exited)

    def _give_back(self) -> None:
        self.given_back += 1
        os.close(self.exited)
        os.close(self._end)


class Yard:
    """Spares of pretended sandboxes, and all that were ever made."""

    def __init__(self, number: int) -> None:
        self.made: list[Pretended] = []
        self.broken = False
        self.spares = Spares[str, Pretended](number, self._begin)

    def _begin(self, shape: str, stack: ExitStack) -> Pretended:
        if self.broken:
            raise OSError("no more processes")
        self.made.append(Pretended(shape, stack))
        return self.made[-1]

    def take(self, shape: str) -> Pretended | None:
        """Take, use and give back."""
        with ExitStack() as stack:
            return self.spares.take(shape, ORDINARY, stack)

    @property
    def idle(self) -> list[Pretended]:
        return [one for one in self.made if not one.given_back]


@pytest.fixture
def yard() -> Iterator[Yard]:
    found = Yard(2)
    yield found
    found.spares.close()
    assert all(one.given_back == 1 for one in found.made)


moves = some.lists(some.sampled_from(["take a", "take b", "take c", "tend", "die"]), max_size=40)


@given(moves=moves, number=some.integers(0, 3))
def test_whatever_happens_each_is_lent_at_most_once(moves: list[str], number: int) -> None:
    yard, lent = Yard(number), []
    for move in moves:
        if move == "tend":
            yard.spares._not_before = 0
            yard.spares.tend()
            assert len(yard.idle) <= number
        elif move == "die":
            for one in yard.idle[:1]:
                one.die()
        elif (taken := yard.take(move[-1])) is not None:
            assert taken.shape == move[-1]
            assert taken.ready
            assert taken.limits is ORDINARY
            lent.append(taken)
    yard.spares.close()
    assert Counter(map(id, lent)).most_common(1)[0][1] == 1 if lent else True
    assert all(one.given_back == 1 for one in yard.made)


def test_they_follow_the_shapes_of_the_last_runs(yard: Yard) -> None:
    for shape in "aab":
        assert yard.take(shape) is None
    yard.spares.tend()
    assert sorted(one.shape for one in yard.idle) == ["a", "b"]
    yard.take("b")
    yard.spares.tend()
    assert [one.shape for one in yard.idle] == ["b", "b"]


def test_dead_one_is_replaced_after_a_pause(yard: Yard) -> None:
    yard.spares.ask("a")
    yard.spares.tend()
    first = yard.made[0]
    first.die()
    wait_s = yard.spares.tend()
    assert first.given_back == 1
    assert wait_s is not None
    assert 0 < wait_s <= 1
    yard.spares._not_before = 0
    assert yard.spares.tend() is None
    assert len(yard.idle) == 1


def test_pause_grows_while_none_comes_up(yard: Yard) -> None:
    yard.broken = True
    yard.spares.ask("a")
    pauses = []
    for _ in range(8):
        yard.spares._not_before = 0
        pauses.append(round(yard.spares.tend() or 0))
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]


def test_one_that_does_not_take_the_limits_on_is_passed_over(yard: Yard) -> None:
    yard.spares.ask("a")
    yard.spares.ask("a")
    yard.spares.tend()
    yard.made[0].refuses = True
    assert yard.take("a") is yard.made[1]
    assert yard.made[0].given_back == 1


def test_housekeeper_sweeps_again_and_again_and_lives_through_failures(yard: Yard) -> None:
    sweeps: list[int] = []
    reader, writer = os.pipe()

    def sweep() -> None:
        sweeps.append(1)
        os.write(writer, b"1")
        raise OSError("the engine is away")

    keeper = Housekeeper(yard.spares, sweep, every_s=0.01)
    assert [os.read(reader, 1) for _ in range(3)] == [b"1"] * 3
    keeper.close()
    swept = len(sweeps)
    keeper.wake()
    assert len(sweeps) == swept
    os.close(reader)
    os.close(writer)


@pytest.fixture(params=["namespace", pytest.param("docker", marks=pytest.mark.docker)])
def ahead(request: pytest.FixtureRequest) -> Ahead:
    found: Ahead = request.getfixturevalue(f"{request.param}_ahead")
    return found


MEASURE = (
    "import os, resource\n"
    "s = os.statvfs('/box')\n"
    "print(s.f_blocks * s.f_bsize >> 20, s.f_files)\n"
    "for n in ('FSIZE', 'NOFILE', 'CPU', 'CORE', 'MEMLOCK'):\n"
    "  print(*resource.getrlimit(getattr(resource, 'RLIMIT_' + n)))\n"
    "made = 0\n"
    "try:\n  while made < 300:\n    if os.fork() == 0: os.read(0, 1); os.pause()\n    made += 1\n"
    "except OSError: print(made)\n"
    "os._exit(0)\n"
).replace("os.read(0, 1); os.pause()", "import time; time.sleep(60)")


@pytest.mark.parametrize(
    "limits",
    [
        Limits(pids=20, work_mb=8, inodes=200, file_mb=3, open_files=40, cpu_s=3, memory_mb=64),
        Limits(pids=90, work_mb=128, inodes=9000, file_mb=99, open_files=400, cpu_s=77),
    ],
    ids=["smaller than usual", "larger than usual"],
)
def test_limits_are_those_of_the_job(limits: Limits, ahead: Ahead) -> None:
    spec = Spec({"controller.py": MEASURE.encode()}, sdk=SDK, limits=limits)
    outcome = ahead.run(spec, Steps())
    size, names = map(int, outcome.stdout.splitlines()[0].split())
    halves = 2 if ahead.name == "docker" else 1
    assert (size, names) == (limits.work_mb // halves, limits.inodes // halves)
    cpu = int(1.5 * limits.cpu_s) + 2
    bounds = [limits.file_mb << 20, limits.open_files, cpu, 0, 0]
    assert outcome.stdout.splitlines()[1:6] == [f"{one} {one}" for one in bounds], outcome
    made = int(outcome.stdout.splitlines()[6])
    assert limits.pids - 3 <= made <= limits.pids, outcome


@pytest.mark.parametrize(("memory_mb", "status"), [(64, "oom"), (900, "ok")])
def test_memory_is_that_of_the_job(memory_mb: int, status: str, ahead: Ahead) -> None:
    outcome = run(ahead, "print(len(bytearray(b'x') * (600 << 20)))", memory_mb=memory_mb)
    assert outcome.status == status, outcome


def test_spare_that_died_is_noticed_and_the_run_does_not_suffer(ahead: Ahead) -> None:
    spec = Spec({"controller.py": b"print('well')"}, sdk=SDK)
    ahead.wait_for_spare(spec)
    doomed = ahead.standing()[-1]
    number = doomed.pair.inner if ahead.name == "namespace" else doomed.main
    os.kill(number, signal.SIGKILL)
    end = select.poll()
    end.register(doomed.exited, select.POLLIN)
    end.poll(5000)
    assert run(ahead, "print('well')").stdout == "well\n"
    deadline = time.monotonic() + 20
    while doomed in ahead.standing():
        assert time.monotonic() < deadline, "the dead one should have been cleared away"
        time.sleep(0.01)


def test_waiting_costs_no_processor_time(namespace_ahead: Ahead) -> None:
    namespace_ahead.wait_for_spare(Spec({"controller.py": b""}, sdk=SDK))
    group = namespace_ahead.standing()[-1].group
    deadline = time.monotonic() + 30
    while (spent := _spent_in_a_second(group)) != (0, True):
        assert time.monotonic() < deadline, f"{spent}: waiting should cost nothing once it is ready"


def _spent_in_a_second(group: cgroups.Group) -> tuple[float, bool]:
    """Seconds of processor time inside, and whether we were idle meanwhile."""
    inside, ours = group.cpu_s(), time.process_time()
    time.sleep(1)
    return group.cpu_s() - inside, time.process_time() - ours < 0.1


def test_program_sees_the_same_modules_with_and_without_a_spare(ahead: Ahead) -> None:
    shown = "import headnode_sdk, sys; print(*sys.modules)"
    fresh = set(run(ahead.under, shown, work_mb=66, inodes=66).stdout.split())
    spare = set(run(ahead, shown).stdout.split())
    assert "headnode_sdk" in fresh
    assert fresh <= spare
    assert spare - fresh <= {"gc", "resource", "warnings"}


def test_spares_go_with_their_backend(state_dir: Path) -> None:
    ahead = Ahead("namespace", state_dir, docker_url(), spares=3)
    ahead.wait_for_spare(Spec({"controller.py": b""}, sdk=SDK), 3)
    state = state_key(state_dir)
    assert len({*traces.groups(state)}) % 3 == 0
    assert len(traces.processes(state)) >= 3
    ahead.close()
    assert traces.groups(state) == set()
    assert traces.gone(state)


def test_process_that_ends_without_closing_leaves_nothing(
    namespace_ahead: Ahead, state_dir: Path
) -> None:
    del namespace_ahead
    program = (
        "import sys; from pathlib import Path; from sandbox import Spec\n"
        "from sandbox.tests.ahead import Ahead\n"
        "ahead = Ahead('namespace', Path(sys.argv[1]), '')\n"
        "ahead.wait_for_spare(Spec({'controller.py': b''}))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(state_dir)], cwd=REPO, check=True)
    assert traces.groups(state_key(state_dir)) == set()
    assert traces.gone(state_key(state_dir))


def test_fewer_than_none_is_refused(state_dir: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="0 or more"):
        open_backend(state_dir=state_dir, spares=-1)


def test_layer_lost_later_is_found_in_the_next_spare(
    namespace_ahead: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = bubblewrap.command

    def without_net(*arguments: object) -> list[str]:
        words = complete(*arguments)  # type: ignore[arg-type]
        words.remove("--unshare-net")
        return words

    monkeypatch.setattr(bubblewrap, "command", without_net)
    spec = Spec({"controller.py": b"print('never')"}, sdk={"other.py": b""}, limits=ORDINARY)
    outcome = namespace_ahead.run(spec, Steps())
    assert outcome.status == "sandbox_error"
    assert "network namespace" in outcome.detail
    assert outcome.stdout == ""
