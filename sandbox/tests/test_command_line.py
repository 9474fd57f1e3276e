"""`python -m sandbox` keeps its contract: exit codes, one JSON value, one clear line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import doctor, rootfs
from sandbox.__main__ import main, read_sdk
from sandbox.tests.conftest import REPO

KEYS = {
    *("status", "exit_code", "stdout", "stderr", "stdout_truncated", "wall_s", "cpu_s"),
    *("own_s", "waited_s"),
    *("max_rss_mb", "backend", "layers", "reduced", "detail", "calls", "image", "device"),
}

pytestmark = pytest.mark.usefixtures("namespace")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text("import headnode_sdk\nprint(headnode_sdk.call('ping'))\n")
    return path


def test_run_prints_one_json_object(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(program), "--json"]) == 0
    told = capsys.readouterr()
    outcome = json.loads(told.out)
    assert outcome.keys() == KEYS
    assert outcome["status"] == "ok"
    assert outcome["stdout"] == "{'pong': True}\n"
    assert outcome["calls"] == 1
    assert told.err == ""


def test_run_without_json_speaks_to_a_person(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(program)]) == 0
    assert "ok: Your program ran to its end." in capsys.readouterr().out


def test_failing_program_is_still_exit_0(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text("import time\ntime.sleep(20)\n")
    assert main(["run", "--wall", "0.5", "--cpu", "1", str(program), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "timeout"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["run", "nowhere.py"], "nowhere.py"),
        (["run", "."], "There is no program file"),
        (["run", "PROGRAM", "--wall", "0"], "wall_s"),
        (["run", "PROGRAM", "--wall", "nan"], "wall_s"),
        (["run", "PROGRAM", "--cpu", "-1"], "cpu_s"),
        (["run", "PROGRAM", "--memory", "1"], "at least 32 MiB"),
        (["run", "PROGRAM", "--pids", "0"], "pids"),
        (["run", "PROGRAM", "--output", "0"], "output_kb"),
        (["run", "PROGRAM", "--gpu", "-1"], "GPUs"),
        (["run", "PROGRAM", "--sdk", "/nowhere"], "/nowhere"),
        (["run", "PROGRAM", "--wall", "soon"], "soon"),
        (["run", "PROGRAM", "--backend", "none"], "none"),
        (["run", "PROGRAM", "--root", "windows"], "windows"),
        (["build-root", "windows"], "windows"),
        (["run"], "FILE"),
        (["dance"], "dance"),
        ([], "ACTION"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_exit_2_and_one_line(
    arguments: list[str], names: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main([str(program) if word == "PROGRAM" else word for word in arguments])
    except SystemExit as left:
        code = left.code
    told = capsys.readouterr()
    assert code == 2
    assert names in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


def test_unknown_backend_in_the_environment_is_bad_input(
    program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_BACKEND", "none")
    assert main(["run", str(program)]) == 2
    assert "SANDBOX_BACKEND" in capsys.readouterr().err


def test_missing_layer_is_exit_3_with_the_object_all_the_same(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "empty")
    assert main(["--state", nowhere, "run", str(program), "--json"]) == 3
    told = capsys.readouterr()
    assert json.loads(told.out)["status"] == "sandbox_error"
    assert "build-root" in told.err
    assert told.err.count("\n") == 1
    assert main(["--state", nowhere, "run", str(program)]) == 3
    assert capsys.readouterr().out == ""


def test_gpu_that_is_not_there_is_exit_3(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(program), "--gpu", "1"]) == 3
    assert "GPU" in capsys.readouterr().err


def test_docker_without_an_engine_is_exit_3(
    program: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SANDBOX_DOCKER_URL", f"unix://{tmp_path}/none.sock")
    assert main(["run", "--backend", "docker", str(program)]) == 3
    assert "none.sock" in capsys.readouterr().err


@pytest.mark.nightly
def test_doctor_names_each_backends_layers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["backends"].keys() == {"namespace", "docker"}
    layers = {layer["name"]: layer for layer in found["backends"]["namespace"]["layers"]}
    assert layers["system-call filter"]["works"] is True
    assert all(layer["meaning"].endswith(".") for layer in layers.values())
    assert found["backends"]["docker"]["state"] in ("full", "reduced", "unusable")
    assert found["backends"]["namespace"]["roots"]["python"] == ""
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "yes  system-call filter" in out
    assert "\n  yes  root python\n" in out


@pytest.mark.nightly
def test_doctor_lists_the_roots_built_or_not(
    tmp_path: Path, built_root: rootfs.Root, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "roots").mkdir()
    for path in (built_root.folder, built_root.folder.parent / "python.json"):
        (tmp_path / "roots" / path.name).symlink_to(path)
    assert main(["--state", str(tmp_path), "doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["roots"]
    assert {name: root["state"] for name, root in found.items()} == {
        "login": "not built",
        "python": "built",
        "slurm": "not built",
        "torch": "not built",
    }
    assert found["python"]["digest"] == built_root.digest
    assert found["python"]["size_mb"] == built_root.size >> 20
    assert main(["--state", str(tmp_path), "doctor"]) == 0
    assert "no   torch: not built; python -m sandbox build-root torch" in capsys.readouterr().out


@pytest.mark.nightly
def test_doctor_says_what_an_absent_engine_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_DOCKER_URL", f"unix://{tmp_path}/none.sock")
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["backends"]["docker"]["state"] == "unusable"
    assert "none.sock" in found["backends"]["docker"]["reason"]
    assert found["gvisor"] == {"state": "unknown", "runtimes": []}
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "docker: does not work\n  No Docker engine answers" in out
    assert "gvisor: no Docker engine answers, and without one it is not used." in out


def test_doctor_says_what_keeps_ordinary_users_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"user/max_user_namespaces": 0, "kernel/apparmor_restrict_unprivileged_userns": 1}
    monkeypatch.setattr(doctor, "_number", kept.get)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    lines = "\n".join(doctor._host_lines(doctor._host()))
    assert "max_user_namespaces is 0" in lines
    assert "AppArmor" in lines


@pytest.mark.nightly
def test_program_runs_on_the_root_it_asks_for(
    login_root: rootfs.Root, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_text("import pandas, subprocess\nsubprocess.run(['sh', '-c', 'echo hi'])\n")
    assert main(["run", "--root", "login", str(program), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["status"], outcome["stdout"]) == ("ok", "hi\n")
    assert outcome["image"] == login_root.image


def test_root_that_was_not_built_is_our_failure_and_says_what_to_do(
    built_root: rootfs.Root,
    tmp_path: Path,
    program: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "roots").mkdir()
    for path in (built_root.folder, built_root.folder.parent / "python.json"):
        (tmp_path / "roots" / path.name).symlink_to(path)
    asked = ["--state", str(tmp_path), "run", "--root", "torch", str(program), "--json"]
    assert main(asked) == 3
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["status"] == "sandbox_error"
    assert "python -m sandbox build-root torch" in outcome["detail"]


def test_build_root_prints_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build-root"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("ready: ")
    assert out.count("\n") == 1


def test_module_runs_from_the_repository_root(program: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": "platform:."}
    done = subprocess.run(
        [sys.executable, "-m", "sandbox", "run", str(program), "--json"],
        cwd=REPO,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["layers"]


def test_modules_are_found_in_a_checkout_below_a_folder_called_tests(tmp_path: Path) -> None:
    module = tmp_path / "tests" / "sdk" / "some_sdk"
    (module / "tests").mkdir(parents=True)
    for name in ("__init__.py", "tests/test_it.py"):
        (module / name).write_text("")
    assert set(read_sdk(module)) == {"some_sdk/__init__.py"}
