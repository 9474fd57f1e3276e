"""The command `import`: what it writes, and that it writes nothing where something is bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.__main__ import main
from scenarios.company.importer.tests.exports import STOCK, focus, job, sacct, year
from scenarios.company.profile import load_profile


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "sacct.txt").write_text(year(300))
    (tmp_path / "focus.csv").write_text(focus({}))
    (tmp_path / "stock.csv").write_text(STOCK)
    return tmp_path


def run(folder: Path, *more: str) -> int:
    arguments = ["import", "--out", str(folder / "company.toml"), "--name", "Aurora"]
    for option, name in (
        ("sacct", "sacct.txt"),
        ("focus", "focus.csv"),
        ("inventory", "stock.csv"),
    ):
        arguments += [f"--{option}", str(folder / name)]
    return main([*arguments, *more])


def test_profile_is_written_with_where_it_comes_from(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(files, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["written"].endswith("company.toml")
    assert (told["bad_count"], len(told["sources"])) == (0, 3)
    company = load_profile(files / "company.toml")
    assert (company.cluster, company.nodes) == ("Aurora", 16)
    assert run(files) == 0
    assert "company.toml written." in capsys.readouterr().err


def test_variants_are_built_from_what_was_imported(files: Path) -> None:
    assert run(files) == 0
    out = files / "variant"
    build = ["build", "automation/queue-autoscaler", "--level", "mid", "--seed", "1"]
    assert main([*build, "--out", str(out), "--profile", str(files / "company.toml")]) == 0
    assert "Aurora" in (out / "brief.md").read_text()


def test_bad_row_stops_everything_and_is_named(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "company.toml").write_text("# mine\n")
    (files / "sacct.txt").write_text(sacct(job(), job(JobID="2", State="EXPLODED")))
    assert run(files) == 2
    said = capsys.readouterr().err
    assert "sacct.txt, line 3: State is 'EXPLODED'" in said
    assert "1 bad rows: nothing was imported." in said
    assert (files / "company.toml").read_text() == "# mine\n"
    assert sorted(path.name for path in files.iterdir() if path.name.startswith(".")) == []
    assert run(files, "--skip-bad") == 0
    assert load_profile(files / "company.toml").cluster == "Aurora"


@pytest.mark.parametrize("absent", ["sacct.txt", "stock.csv"])
def test_absent_file_is_bad_input(
    files: Path, absent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / absent).unlink()
    assert run(files) == 2
    assert f"{absent} cannot be read" in capsys.readouterr().err
    assert not (files / "company.toml").exists()
