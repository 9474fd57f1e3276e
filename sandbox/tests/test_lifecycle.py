"""Nothing of a run outlives it, however it or its runner ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox import Backend, Limits, Outcome, Spec, bubblewrap, episode, launch, open_backend
from sandbox.launch import start
from sandbox.namespace import NamespaceBackend
from sandbox.runner import state_key
from sandbox.tests import traces
from sandbox.tests.ahead import Ahead
from sandbox.tests.conftest import REPO, docker_url
from sandbox.tests.episode import SDK, Steps, run

Opener = Callable[..., Backend]


@pytest.fixture
def opener(request: pytest.FixtureRequest, state_dir: Path) -> Opener:
    """Opens a backend on the test's own state folder; skips as the backend's fixture does."""

    def open_named(name: str, spares: int = 0) -> Backend:
        request.getfixturevalue(name)
        found = open_backend(name, state_dir=state_dir, docker_url=docker_url(), spares=spares)
        request.addfinalizer(found.close)
        return found

    return open_named


BOTH = pytest.mark.parametrize(
    "name", ["namespace", pytest.param("docker", marks=pytest.mark.docker)]
)


def kill_runner_in_the_middle(name: str, state_dir: Path) -> None:
    command = [sys.executable, "-m", "sandbox.tests.doomed", name, str(state_dir), docker_url()]
    with subprocess.Popen(command, cwd=REPO, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        process.kill()


@BOTH
@pytest.mark.by_day(but=["docker"])
def test_killed_runner_leaves_nothing_after_sweep(
    name: str, opener: Opener, state_dir: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(name)
    kill_runner_in_the_middle(name, state_dir)
    state = state_key(state_dir)
    left = {group.rpartition("/")[2] for group in traces.groups(state)}
    assert len(left) >= 3, "the killed runner should leave its run's group and two spares' to sweep"
    opener(name)
    assert traces.gone(state)
    assert traces.groups(state) == set()
    assert traces.containers(state, docker_url()) == []
    locks = list((state_dir / "runs").iterdir())
    assert [entry.suffix for entry in locks] == [".lock"], "only the living runner's lock"


@BOTH
@pytest.mark.by_day(but=["docker"])
def test_sweep_reports_what_it_removed(name: str, opener: Opener, state_dir: Path) -> None:
    backend = opener(name)
    kill_runner_in_the_middle(name, state_dir)
    removed = backend.sweep()
    assert any(line.startswith("group ") for line in removed)
    assert backend.sweep() == []


@BOTH
def test_sweep_spares_the_runs_of_other_installations(
    name: str, opener: Opener, request: pytest.FixtureRequest
) -> None:
    other: Backend = request.getfixturevalue(name)
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(run, other, "import time; time.sleep(2); print('done')")
        time.sleep(1)
        opener(name).sweep()
        assert going.result().stdout == "done\n"


@BOTH
def test_sweep_spares_the_runs_of_another_living_runner(name: str, opener: Opener) -> None:
    first, second = opener(name), opener(name)
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(run, first, "import time; time.sleep(2); print('done')")
        time.sleep(1)
        assert second.sweep() == []
        assert going.result().stdout == "done\n"


def leftovers(state_dir: Path) -> tuple[object, ...]:
    return (
        traces.mounts(),
        traces.groups(state_key(state_dir)),
        traces.children(),
        threading.active_count(),
        sorted(entry.name for entry in (state_dir / "runs").iterdir()),
        traces.containers(state_key(state_dir), docker_url()),
    )


def printing(number: int) -> Spec:
    """Without the SDK, whose import in every spare would only take the suite's time."""
    return Spec({"controller.py": f"print({number})".encode()})


@pytest.mark.by_day("name,runs,spares", [("docker", 8, 0)])
@pytest.mark.parametrize(
    ("name", "runs", "spares"),
    [
        ("namespace", 300, 2),
        ("namespace", 100, 2),
        ("namespace", 40, 0),
        pytest.param("docker", 60, 2, marks=pytest.mark.docker),
        pytest.param("docker", 8, 0, marks=pytest.mark.docker),
    ],
)
def test_many_runs_at_a_time_leave_nothing(
    name: str, runs: int, spares: int, opener: Opener, state_dir: Path
) -> None:
    opener(name).close()
    before, held = leftovers(state_dir), traces.descriptors()
    backend = opener(name, spares)
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda n: backend.run(printing(n), Steps()), range(runs)))
    backend.close()
    assert [outcome.stdout for outcome in outcomes] == [f"{n}\n" for n in range(runs)]
    assert leftovers(state_dir) == before
    assert traces.left_open(held) == Counter()
    assert traces.gone(state_key(state_dir))


@BOTH
def test_cancel_ends_a_run_at_once(name: str, opener: Opener) -> None:
    backend, cancel = opener(name), threading.Event()
    spec = Spec({"controller.py": b"import time; time.sleep(30)"}, sdk=SDK, limits=Limits())
    threading.Timer(0.5, cancel.set).start()
    outcome = backend.run(spec, Steps(), cancel)
    assert outcome.status == "cancelled"
    assert outcome.wall_s < 15


@BOTH
def test_close_ends_running_programs(name: str, opener: Opener, state_dir: Path) -> None:
    backend = opener(name)
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(run, backend, "import time; time.sleep(30)", wall_s=30)
        time.sleep(1.5)
        backend.close()
        assert going.result(timeout=20).status == "cancelled"
    assert traces.gone(state_key(state_dir))
    assert traces.groups(state_key(state_dir)) == set()


def _run_in_child(backend: Backend, write_to: int) -> None:
    outcome = run(backend, "print('from the child')")
    os.write(write_to, f"{outcome.status} {outcome.stdout}".encode())
    backend.close()


@BOTH
def test_backend_works_on_both_sides_of_a_fork(name: str, opener: Opener, state_dir: Path) -> None:
    """The child leaves the parent's spares alone, and does not keep a dead parent's lock held."""
    backend = opener(name, 1)
    spec = Spec({"controller.py": b""}, sdk=SDK, limits=Limits(wall_s=10, cpu_s=8, memory_mb=256))
    Ahead.over(backend).wait_for_spare(spec)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _run_in_child(backend, writer)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        assert told.read() == "ok from the child\n"
    os.waitpid(child, 0)
    assert Ahead.over(backend).run(spec, Steps()).status == "ok"


def test_sandbox_outlives_the_thread_that_asked_for_it(opener: Opener) -> None:
    backend = opener("namespace")
    assert isinstance(backend, NamespaceBackend)
    host = backend._here()
    with ExitStack() as stack:
        with ThreadPoolExecutor(1) as brief:
            started = brief.submit(start, host, Limits(), SDK, stack).result()
        time.sleep(0.2)
        spec = Spec({"controller.py": b"print('alive')"}, sdk=SDK)
        given = episode.Assignment(spec, Steps(), None, time.monotonic())
        report = backend._report(host, started)
        outcome = episode.perform(started, given, report, "", episode.Runs())
    assert (outcome.status, outcome.stdout) == ("ok", "alive\n")


@pytest.mark.parametrize(
    ("broken", "late"),
    [("--no-such-option", False), ("--bind /nowhere /x", False), ("--bind /nowhere /x", True)],
)
@pytest.mark.nightly
def test_failed_start_is_ours_and_leaves_nothing(
    broken: str, late: bool, opener: Opener, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when bubblewrap gives up between being put in its group and being told to go on."""
    backend = opener("namespace")
    before, held = leftovers(state_dir), traces.descriptors()
    complete = bubblewrap.command

    def wrong(bwrap: str, *rest: object) -> list[str]:
        words = complete(bwrap, *rest)  # type: ignore[arg-type]
        return [words[0], *broken.split(), *words[1:]]

    def gone_since(*_: object) -> bool:
        time.sleep(0.3)
        return True

    monkeypatch.setattr(bubblewrap, "command", wrong)
    if late:
        monkeypatch.setattr(launch, "_into_group", gone_since)
    outcome = run(backend, "pass")
    assert outcome.status == "sandbox_error"
    assert "not your program's fault" in outcome.detail
    assert "bwrap: " in outcome.detail
    assert leftovers(state_dir) == before
    assert traces.left_open(held) == Counter()
    assert traces.gone(state_key(state_dir))


def test_bootstrap_that_dies_is_ours(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = opener("namespace")
    monkeypatch.setattr(bubblewrap, "interpreter", lambda *_: ["/usr/bin/python3", "-c", "1/0"])
    outcome = run(backend, "pass")
    assert outcome.status == "sandbox_error"
    assert "ZeroDivisionError" in outcome.detail


def test_runs_cannot_see_each_other(backend: Backend) -> None:
    """Neither one after the other nor at the same time."""
    mark = (
        "import os, time, glob\n"
        "for d in ('/tmp', '/box', '/dev/shm', '/run'):\n"
        "  try: open(d + '/mark', 'x').close(); print('made', d)\n"
        "  except FileExistsError: print('SEEN', d)\n"
        "  except OSError: pass\n"
        "time.sleep(0.5)"
    )
    run(backend, mark)
    with ThreadPoolExecutor(2) as pool:
        outcomes: list[Outcome] = list(pool.map(lambda _n: run(backend, mark), range(2)))
    assert all("made /box" in outcome.stdout for outcome in outcomes)
    assert not any("SEEN" in outcome.stdout for outcome in outcomes)
