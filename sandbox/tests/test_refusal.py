"""A backend that cannot hold says which layer is missing, and no other one takes its place."""

from __future__ import annotations

import builtins
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox import Backend, SandboxUnavailable, bubblewrap, cgroups, open_backend, seccomp
from sandbox.tests import traces
from sandbox.tests.episode import run

Break = Callable[[pytest.MonkeyPatch], None]


def without_program(name: str) -> Break:
    real = shutil.which

    def break_it(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(shutil, "which", lambda wanted: None if wanted == name else real(wanted))

    return break_it


def without_libseccomp(patch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importer(name: str, *rest: Any, **more: Any) -> Any:
        if name == "pyseccomp":
            raise ImportError(name)
        return real(name, *rest, **more)

    seccomp.bpf.cache_clear()
    patch.setattr(builtins, "__import__", importer)


def without_groups(patch: pytest.MonkeyPatch) -> None:
    def none_here() -> cgroups.Tree:
        raise PermissionError("read-only")

    patch.setattr(cgroups, "find_tree", none_here)


def without_words(*dropped: str, values: int = 0) -> Break:
    """Leave an option, and the values after it, out of bubblewrap's command line."""
    complete = bubblewrap.command

    def command(*arguments: Any) -> list[str]:
        words = complete(*arguments)
        for word in dropped:
            at = words.index(word)
            del words[at : at + 1 + values]
        return words

    return lambda patch: patch.setattr(bubblewrap, "command", command)


@pytest.mark.usefixtures("namespace")
@pytest.mark.parametrize(
    ("break_it", "named"),
    [
        (without_program("bwrap"), "apt-get install bubblewrap"),
        (without_program("prlimit"), "apt-get install util-linux"),
        (without_libseccomp, "libseccomp2"),
        (without_groups, "'memory cgroup'"),
        (without_words("--seccomp", values=1), "'system-call filter'"),
        (without_words("--unshare-net"), "'network namespace'"),
        (without_words("--unshare-ipc"), "'ipc namespace'"),
        (without_words("--unshare-uts", "--hostname", "sandbox"), "'uts namespace'"),
    ],
    ids=["bwrap", "prlimit", "libseccomp", "cgroups", "filter", "net", "ipc", "uts"],
)
def test_missing_layer_is_named(
    break_it: Break, named: str, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = traces.children()
    break_it(monkeypatch)
    with pytest.raises(SandboxUnavailable) as refused:
        open_backend(state_dir=state_dir)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)
    monkeypatch.undo()
    assert traces.children() == children


def test_layer_lost_while_running_is_ours(
    namespace: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_words("--unshare-net")(monkeypatch)
    outcome = run(namespace, "print('never')")
    assert outcome.status == "sandbox_error"
    assert "network namespace" in outcome.detail
    assert outcome.stdout == ""


@pytest.mark.usefixtures("namespace")
def test_reduced_mode_marks_every_outcome(state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_groups(monkeypatch)
    backend = open_backend(state_dir=state_dir, allow_reduced=True)
    try:
        outcome = run(backend, "print('runs')")
    finally:
        backend.close()
    assert outcome.status == "ok"
    assert "memory limit is per process only" in outcome.reduced
    assert "memory cgroup" not in outcome.layers


def test_root_folder_that_was_not_built_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="build-root"):
        open_backend(state_dir=tmp_path)


def test_unknown_backend_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="namespace or docker"):
        open_backend("none", state_dir=tmp_path)


def test_docker_without_an_engine_names_the_socket(state_dir: Path, tmp_path: Path) -> None:
    url = f"unix://{tmp_path}/nobody.sock"
    with pytest.raises(SandboxUnavailable, match=r"nobody\.sock"):
        open_backend("docker", state_dir=state_dir, docker_url=url)


def test_docker_on_another_host_is_refused(state_dir: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="on this host"):
        open_backend("docker", state_dir=state_dir, docker_url="tcp://10.0.0.1:2375")


@pytest.mark.docker
def test_docker_runtime_that_is_not_there_is_named(docker: Backend, state_dir: Path) -> None:
    from sandbox.tests.conftest import docker_url

    with pytest.raises(SandboxUnavailable, match="'no-such-runtime'"):
        open_backend(
            "docker", state_dir=state_dir, docker_url=docker_url(), runtime="no-such-runtime"
        )
