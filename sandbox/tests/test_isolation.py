"""No run learns of another: pairs of programs that try, on each backend and root."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox import Backend, Outcome, bubblewrap, container, memory, probe
from sandbox.namespace import NamespaceBackend
from sandbox.tests.conftest import REPO, missing
from sandbox.tests.episode import run
from sandbox.tests.pairs import NAMESPACE_FILES, PAIRS, Pair, names_asked_for, play
from sandbox.tests.test_escape_suite import without

SHARED = REPO.parent / "shared" / "isolation"
APART_S = 3.0
"""The second program of the shared pair that meets starts so long after the first, as its page asks."""
TRIES = 3
"""On a busy host a page is not dropped at once, and who is watched comes too late for the eight seconds."""

# By day each pair on both backends, in turn on one root and on the other.
BY_DAY = [
    (pair, root, backend)
    for number, pair in enumerate(PAIRS)
    for root, backend in zip(
        ("python", "login"),
        ("namespace", "docker") if number % 2 else ("docker", "namespace"),
        strict=True,
    )
]


def learnt(pair: Pair, outcomes: tuple[Outcome, Outcome]) -> str:
    """What the one that was to learn printed; both have to have run to their end."""
    assert [one.status for one in outcomes] == ["ok", "ok"], outcomes
    return outcomes[0 if pair.watches else 1].stdout


@pytest.mark.by_day("pair,root,backend", BY_DAY)
@pytest.mark.parametrize("root", ["python", "login"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_run_does_not_learn_of_another(
    pair: Pair, root: str, backend: Backend, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("built_root" if root == "python" else f"{root}_root")
    said = learnt(pair, play(backend, pair, root))
    assert "BREACH" not in said, said
    assert said, "It tried nothing"


@pytest.mark.by_day("pair,backend", [(PAIRS[0], "namespace"), (PAIRS[1], "docker")])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.usefixtures("slurm_root")
def test_cluster_does_not_learn_of_another(pair: Pair, backend: Backend) -> None:
    said = learnt(pair, play(backend, pair, "slurm"))
    assert "BREACH" not in said, said
    assert said, "It tried nothing"


def program(name: str) -> bytes:
    """One of the shared pairs' programs."""
    if not (SHARED / name).is_file():
        missing(f"The shared pairs are not at {SHARED}")
    return (SHARED / name).read_bytes()


def one_after_the_other(backend: Backend, root: str) -> tuple[Outcome, Outcome]:
    """What is left in memory, and what a later run finds of it."""
    written = run(backend, program("page_cache_write.py"), root=root, wall_s=20.0)
    return written, run(backend, program("page_cache_read.py"), root=root, wall_s=20.0)


def at_the_same_time(backend: Backend, root: str) -> tuple[Outcome, Outcome]:
    """One works, and another has been watching."""
    watcher = program("watch_others.py")
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(run, backend, watcher, root=root, wall_s=20.0)
        time.sleep(APART_S)
        watched = run(backend, program("be_watched.py"), root=root, wall_s=20.0)
        return watched, watching.result()


@pytest.mark.by_day("root,backend", [("python", "docker"), ("login", "namespace")])
@pytest.mark.parametrize("root", ["python", "login"])
@pytest.mark.parametrize("meet", [one_after_the_other, at_the_same_time])
def test_shared_pair_learns_nothing(
    meet: Callable[[Backend, str], tuple[Outcome, Outcome]],
    root: str,
    backend: Backend,
    request: pytest.FixtureRequest,
) -> None:
    request.getfixturevalue("built_root" if root == "python" else f"{root}_root")
    first, second = meet(backend, root)
    assert [first.status, second.status] == ["ok", "ok"], (first, second)
    assert "SUITE BREACH" not in second.stdout, second.stdout
    assert second.stdout, "It tried nothing"


def names() -> Pair:
    return names_asked_for(secrets.token_hex(4))


@pytest.mark.by_day("root", ["python", "login"])
@pytest.mark.parametrize("root", ["python", "login", "slurm"])
@pytest.mark.parametrize("make", [names, lambda: NAMESPACE_FILES], ids=["names", "namespaces"])
def test_run_does_not_learn_of_another_by_what_containers_share(
    make: Callable[[], Pair], root: str, namespace: Backend, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("built_root" if root == "python" else f"{root}_root")
    pair = make()
    said = learnt(pair, play(namespace, pair, root))
    assert "BREACH" not in said, said
    assert said, "It tried nothing"


@pytest.fixture
def leave_out(namespace: NamespaceBackend, monkeypatch: pytest.MonkeyPatch) -> object:
    """Takes measures out of the namespace backend by name."""

    def left_out(measures: tuple[str, ...]) -> None:
        if "filter" in measures:
            without(monkeypatch, "--seccomp", 1)
        if "views" in measures:
            monkeypatch.setattr(namespace._host.spawner, "views", False)
            monkeypatch.setattr(probe, "refusal", lambda layers, allow_reduced: "")
        if "memory" in measures:
            monkeypatch.setattr(memory, "copy_of", lambda folder, is_right: None)
        # What is held once stays so in this process.
        monkeypatch.setattr(memory, "hold", lambda folder: False)
        if "time" in measures:
            monkeypatch.setattr(namespace._host.spawner, "next_time_namespace", lambda: None)
        if "proc" in measures:
            monkeypatch.setattr(bubblewrap, "hidden", lambda: ([], []))

    return left_out


@pytest.mark.parametrize(
    "pair",
    [*(pair for pair in PAIRS if pair.needs), names(), NAMESPACE_FILES],
    ids=lambda pair: pair.name,
)
@pytest.mark.by_day(ids=["locks on namespaces", "names looked up in vain", "the list of locks"])
def test_pairs_notice_missing_measures(
    pair: Pair, namespace: NamespaceBackend, leave_out: Callable[[tuple[str, ...]], None]
) -> None:
    leave_out(pair.needs)
    said = learnt(pair, play(namespace, pair, "python"))
    assert "BREACH" in said, said


@pytest.mark.usefixtures("login_root")  # which has the tools that are watched for
@pytest.mark.parametrize("meet", [one_after_the_other, at_the_same_time])
def test_shared_pair_notices_missing_measures(
    meet: Callable[[Backend, str], tuple[Outcome, Outcome]],
    namespace: NamespaceBackend,
    leave_out: Callable[[tuple[str, ...]], None],
) -> None:
    leave_out(("filter", "views", "memory"))
    said: list[str] = []
    while len(said) < TRIES and "SUITE BREACH" not in "".join(said):
        said.append(meet(namespace, "login")[1].stdout)
    assert "SUITE BREACH" in said[-1], said


@pytest.mark.docker
@pytest.mark.parametrize(
    "pair",
    [pair for pair in PAIRS if pair.name in ("locks", "the list of locks")],
    ids=lambda pair: pair.name,
)
def test_lock_pairs_notice_shared_files_in_containers(
    pair: Pair, docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "copytree", lambda folder, at: folder)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(container, "masked_paths", lambda terminal: [])
    assert "BREACH" in learnt(pair, play(docker, pair, "python"))
