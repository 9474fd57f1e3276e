"""Containers under gVisor: what is asked for, what is believed, what is refused, without having it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker
import pytest

from sandbox import SandboxUnavailable, engine, probe
from sandbox.__main__ import main
from sandbox.container import host_config
from sandbox.inside import bootstrap
from sandbox.tests.test_container import REQUEST

# What gVisor's kernel said of a program of ours (runsc 20221219, with and without --oci-seccomp).
HELLO = {"CapEff": "0" * 16, "CapBnd": "0" * 16, "Uid": "64000", "kernel": "4.4.0", "user": "171"}
INFO = {
    "MemoryLimit": True,
    "PidsLimit": True,
    "CpuCfsQuota": True,
    "Runtimes": {
        "runc": {"path": "runc"},
        "fast": {"path": "/usr/bin/crun"},
        "strong": {"path": "/usr/bin/runsc", "runtimeArgs": ["--oci-seccomp"]},
    },
}


class Answering:
    """An engine that answers these two questions and is asked nothing else."""

    api_version = "1.41"

    def __init__(self, *_: object, **__: object) -> None: ...

    def info(self) -> dict[str, Any]:
        return INFO

    def close(self) -> None: ...


def test_runtime_is_asked_for_with_every_other_fence_in_place() -> None:
    ordinary = host_config(REQUEST)
    wanted = host_config(replace(REQUEST, runtime="strong", own_kernel=True))
    assert wanted["runtime"] == "strong"
    assert wanted["init"] is False
    changed = {key for key in ordinary if str(ordinary[key]) != str(wanted[key])}
    assert changed == {"runtime", "init"}


@pytest.mark.parametrize(
    ("runtime", "own_kernel"), [(None, False), ("runc", False), ("fast", False), ("strong", True)]
)
def test_gvisor_is_known_by_its_program(
    runtime: str | None, own_kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker, "APIClient", Answering)
    found = engine.Engine("unix:///nowhere", runtime)
    assert found.own_kernel is own_kernel
    assert found.gvisor == ["strong"]


def test_runtime_the_engine_does_not_have_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(docker, "APIClient", Answering)
    with pytest.raises(SandboxUnavailable, match="has no runtime 'runsc'") as refused:
        engine.Engine("unix:///nowhere", "runsc")
    assert "\n" not in str(refused.value)


def test_runtime_that_is_missing_is_our_failure_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing runs on another runtime instead."""
    monkeypatch.setattr(docker, "APIClient", Answering)
    monkeypatch.setenv("SANDBOX_RUNTIME", "runsc")
    program = tmp_path / "program.py"
    program.write_text("print('never')")
    assert main(["run", "--backend", "docker", str(program), "--json"]) == 3
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["status"] == "sandbox_error"
    assert "'runsc'" in outcome["detail"]
    assert outcome["stdout"] == ""


def test_its_own_kernel_stands_for_the_namespaces() -> None:
    layers = probe.from_own_kernel(HELLO)
    assert probe.refusal(layers, allow_reduced=False) == ""
    assert [layer.name for layer in layers if layer.works] == ["own kernel", "no capabilities"]
    filtered = probe.from_own_kernel(HELLO | {"Seccomp": "2"})
    assert all(layer.works for layer in filtered)


@pytest.mark.parametrize(
    ("hello", "named"),
    [
        (HELLO | {"kernel": os.uname().release}, "'own kernel'"),
        ({key: HELLO[key] for key in HELLO if key != "kernel"}, "'own kernel'"),
        (HELLO | {"CapEff": "00000000a80425fb"}, "'no capabilities'"),
    ],
    ids=["host", "silent", "capable"],
)
def test_runtime_that_does_not_hold_is_refused(hello: dict[str, object], named: str) -> None:
    assert named in probe.refusal(probe.from_own_kernel(hello), allow_reduced=True)


def test_bootstrap_leaves_out_what_a_kernel_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "exists", lambda path: path.endswith("/user"))
    told = json.loads("{" + bootstrap.fences() + "}")
    assert "user" in told
    assert "mnt" not in told
    assert told["kernel"] == os.uname().release
