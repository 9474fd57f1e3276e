from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from graders import __main__ as command
from graders.backend import backend_from_environment
from graders.tests.local_backend import LocalBackend
from graders.tests.test_grading import GOLDENS, PACK, BrokenBackend
from sandbox import SandboxUnavailable

COMMON = [PACK, "--level", "mid", "--seed", "2", "--hidden-seeds", "1"]


@pytest.fixture(autouse=True)
def local_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "backend_from_environment", LocalBackend)


def graded(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code = command.main(["grade", *COMMON, *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_sandbox_keeps_its_state_where_headnode_data_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: dict[str, Any] = {}

    def noted(name: str, **options: Any) -> None:
        opened.update(options, name=name)

    monkeypatch.setattr("graders.backend.open_backend", noted)
    monkeypatch.setenv("HEADNODE_DATA", str(tmp_path))
    backend_from_environment()
    assert opened["state_dir"] == tmp_path / "sandbox"
    monkeypatch.delenv("HEADNODE_DATA")
    backend_from_environment()
    assert opened["state_dir"].parts[-2:] == ("data", "sandbox")


@pytest.mark.nightly
def test_file_is_the_entry_whatever_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    code, report = graded(capsys, "--answer", str(GOLDENS / "competent.py"))
    assert code == 0
    assert report["status"] == "done"
    assert report["score"] > 0.3


@pytest.mark.nightly
def test_folder_is_one_answer(capsys: pytest.CaptureFixture[str]) -> None:
    folder = GOLDENS.parent / "mid" / "template"
    code, report = graded(capsys, "--answer", str(folder))
    assert code == 0
    assert report["score"] < 0.2


@pytest.mark.nightly
def test_program_that_fails_is_exit_0_with_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    code, report = graded(capsys, "--answer", str(GOLDENS / "crasher.py"))
    assert code == 0
    assert report["status"] == "candidate_error"
    assert report["score"] is None


@pytest.mark.nightly
def test_folder_of_answers_gives_a_row_for_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("competent", "crasher"):
        (tmp_path / f"{name}.py").write_text((GOLDENS / f"{name}.py").read_text())
    code, table = graded(capsys, "--answers", str(tmp_path))
    assert code == 0
    rows = {row["answer"]: row for row in table["rows"]}
    assert rows["competent.py"]["status"] == "done"
    assert rows["crasher.py"]["score"] is None
    assert command.main(["grade", *COMMON, "--answers", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.index("competent.py") < shown.index("crasher.py")
    crashed = next(line for line in shown.splitlines() if line.startswith("crasher.py"))
    assert "candidate_error: Not measured: On hidden-1: Your program" in crashed


@pytest.mark.nightly
def test_table_is_the_same_with_several_jobs_and_shows_what_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("competent", "naive", "do_nothing"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "controller.py").write_text((GOLDENS / f"{name}.py").read_text())
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n")
    said = []
    for jobs in ("1", "3"):
        arguments = ["grade", *COMMON, "--answers", str(tmp_path), "--jobs", jobs]
        assert command.main(arguments) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    rows = [line for line in said[0].splitlines() if line[:1] in "cdnel"]
    assert [row.split()[0] for row in rows] == [
        "competent",
        "naive",
        "do_nothing",
        "empty",
        "latin.py",
    ]
    assert "holds no controller.py: name the program that." in rows[3]
    assert "is not UTF-8 text" in rows[4]


def test_kit_is_a_zip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kit.zip"
    kit = ["kit", PACK, "--level", "mid", "--seed", "2", "--out"]
    assert command.main([*kit, str(path)]) == 0
    with zipfile.ZipFile(path) as archive:
        assert "queue-autoscaler-mid/workloads.json" in archive.namelist()
    assert command.main([*kit, str(tmp_path / "absent" / "kit.zip")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    gpu = ["kit", "gpu/low-utilisation", "--level", "mid", "--seed", "2", "--out", str(path)]
    assert command.main(gpu) == 2


def test_trouble_of_the_sandbox_is_exit_3_with_the_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "backend_from_environment", BrokenBackend)
    code, report = graded(capsys, "--answer", str(GOLDENS / "competent.py"))
    assert code == 3
    assert report["status"] == "infrastructure_error"


def test_missing_layer_is_exit_3_with_the_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unavailable() -> LocalBackend:
        raise SandboxUnavailable("There is no bubblewrap here.")

    monkeypatch.setattr(command, "backend_from_environment", unavailable)
    arguments = ["grade", *COMMON, "--answer", str(GOLDENS / "competent.py")]
    assert command.main(arguments) == 3
    assert capsys.readouterr().err == "There is no bubblewrap here.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["automation/none", "--level", "mid"], "no pack"),
        ([PACK, "--level", "mid", "--hidden-seeds", "0"], "from 1 to 100"),
        ([PACK, "--level", "mid", "--profile", "/absent.toml"], "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = str(GOLDENS / "competent.py")
    assert command.main(["grade", *arguments, "--seed", "1", "--answer", answer]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--seed", "-1"], "no whole number from 0 to"),
        (["--seed", "x"], "no whole number from 0 to"),
        (["--jobs", "0"], "no whole number from 1 to 32"),
        (["--level", "staff"], "junior"),
    ],
)
def test_wrong_number_or_level_is_exit_2(
    wrong: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["grade", *COMMON, "--answers", str(GOLDENS), *wrong])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("what", ["--answer", "--answers"])
def test_answer_that_is_not_there_is_one_line_and_exit_2(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "absent", tmp_path / "empty"):
        assert command.main(["grade", *COMMON, what, str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_unknown_backend_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("SANDBOX_BACKEND", "none")
    with pytest.raises(ValueError, match="namespace or docker"):
        backend_from_environment()
